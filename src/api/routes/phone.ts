import type { FastifyPluginAsync } from 'fastify'
import { PhoneAnswer } from '../answers/phone.ts'
import { BILLED } from '../billing.ts'
import { NoParameters } from '../parameters/fields.ts'
import { PhonePath } from '../parameters/phone.ts'
import { sendJson } from '../reply.ts'
import type { RouteOptions } from './options.ts'

/** `GET /v2/phone/{phone}`. */
export const phone: FastifyPluginAsync<RouteOptions> = async (app, { meter, served, today }) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v2/phone/{phone}',
      operationId: 'getPhone',
      tag: 'Phone',
      summary: 'A phone number, with the people and businesses it belongs to',
      description:
        'The header `Content-Location` has the canonical form of the number. A number of which nothing is known is 200 with nobody.',
      access: meter.key('phone:read', BILLED),
      request: { path: PhonePath, query: NoParameters },
      answers: { 200: PhoneAnswer },
      headers: { 200: { 'Content-Location': 'the address of this number in its canonical form' } },
    },
    ({ params, arrivedAt, caller }, reply) => {
      const body = served.of(caller).use((lookup) => lookup.phone(params.phone, today(arrivedAt)))
      sendJson(reply, body, ['content-location', `/v2/phone/${params.phone}`])
    },
  )
}
