import type { FastifyPluginAsync } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { PersonPath, PersonSearch } from '../parameters.ts'
import { sendJson, wrapPage, wrapResult } from '../reply.ts'
import type { RouteOptions } from './options.ts'

/** `GET /v2/person/` and `GET /v2/person/{id}`. */
export const person: FastifyPluginAsync<RouteOptions> = async (app, { meter, snapshots, today }) => {
  app.get<{ Querystring: z.output<typeof PersonSearch> }>(
    '/v2/person/',
    {
      ...meter.hooks({ route: '/v2/person/', isBillable: true, isNotFoundBillable: true }),
      schema: { querystring: PersonSearch },
    },
    ({ query, arrivedAt }, reply) => {
      const page = snapshots.use((lookup) => lookup.findPeople(query, today(arrivedAt)))
      const metadata = { result_count: page.total, page: query.page, page_size: query.page_size }
      sendJson(reply, 200, wrapPage(page.results, metadata))
    },
  )

  app.get<{ Params: z.output<typeof PersonPath> }>(
    '/v2/person/:id',
    {
      ...meter.hooks({ route: '/v2/person/{id}', isBillable: true, isNotFoundBillable: true }),
      schema: { params: PersonPath },
    },
    ({ params, arrivedAt }, reply) => {
      const document = snapshots.use((lookup) => lookup.person(params.id, today(arrivedAt)))
      if (document === null) throw new AppError('not_found', `there is no person with the id ${params.id}`)
      sendJson(reply, 200, wrapResult(document))
    },
  )
}
