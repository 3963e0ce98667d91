import type { FastifyPluginAsync } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { PropertyPath, PropertySearch } from '../parameters.ts'
import { sendJson, wrapResult } from '../reply.ts'
import type { RouteOptions } from './options.ts'

/** `GET /v2/property/` and `GET /v2/property/{property_id}`. */
export const property: FastifyPluginAsync<RouteOptions> = async (app, { meter, snapshots, today }) => {
  app.get<{ Querystring: z.output<typeof PropertySearch> }>(
    '/v2/property/',
    {
      ...meter.hooks({ route: '/v2/property/', isBillable: true, isNotFoundBillable: true }),
      schema: { querystring: PropertySearch },
    },
    ({ query, arrivedAt }, reply) => {
      const document = snapshots.use((lookup) => lookup.findProperty(query, today(arrivedAt)))
      if (document === null) throw new AppError('not_found', 'no property matches the search parameters')
      sendJson(reply, 200, wrapResult(document))
    },
  )

  app.get<{ Params: z.output<typeof PropertyPath> }>(
    '/v2/property/:property_id',
    {
      ...meter.hooks({ route: '/v2/property/{property_id}', isBillable: true, isNotFoundBillable: false }),
      schema: { params: PropertyPath },
    },
    ({ params, arrivedAt }, reply) => {
      const id = params.property_id
      const document = snapshots.use((lookup) => lookup.property(id, today(arrivedAt)))
      if (document === null) throw new AppError('not_found', `there are no property details for the id ${id}`)
      sendJson(reply, 200, wrapResult(document))
    },
  )
}
