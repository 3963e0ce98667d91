import type { FastifyPluginAsync } from 'fastify'
import type { z } from 'zod'
import { NoParameters, PhonePath } from '../parameters.ts'
import { sendJson } from '../reply.ts'
import type { RouteOptions } from './options.ts'

/** `GET /v2/phone/{phone}`. */
export const phone: FastifyPluginAsync<RouteOptions> = async (app, { meter, snapshots, today }) => {
  app.get<{ Params: z.output<typeof PhonePath> }>(
    '/v2/phone/:phone',
    {
      ...meter.hooks({ route: '/v2/phone/{phone}', isBillable: true, isNotFoundBillable: true }),
      schema: { params: PhonePath, querystring: NoParameters },
    },
    ({ params, arrivedAt }, reply) => {
      const body = snapshots.use((lookup) => lookup.phone(params.phone, today(arrivedAt)))
      sendJson(reply.header('content-location', `/v2/phone/${params.phone}`), 200, body)
    },
  )
}
