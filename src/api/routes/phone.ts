import type { FastifyPluginAsync } from 'fastify'
import { PhoneResponse } from '../responses/phone.ts'
import { BILLED } from '../billing.ts'
import { NoParameters } from '../parameters/fields.ts'
import { PhonePath } from '../parameters/phone.ts'
import { sendJson } from '../reply.ts'
import type { RouteOptions } from './options.ts'

/** Route `GET /v2/phone/{phone}`. */
export const phone: FastifyPluginAsync<RouteOptions> = async (app, { meter, served, today }) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v2/phone/{phone}',
      operationId: 'getPhone',
      tag: 'Phone',
      summary: 'Get a phone number with its people and businesses',
      description:
        'The header `Content-Location` has the canonical form of the number. For an unknown number, the status is 200, and `people` and `businesses` are empty.',
      access: meter.key('phone:read', BILLED),
      request: { path: PhonePath, query: NoParameters },
      responses: { 200: PhoneResponse },
      headers: { 200: { 'Content-Location': 'The path of this number in its canonical form.' } },
    },
    ({ params, arrivedAt, caller }, reply) => {
      const body = served.of(caller).use((lookup) => lookup.phone(params.phone, today(arrivedAt)))
      sendJson(reply, body, ['content-location', `/v2/phone/${params.phone}`])
    },
  )
}
