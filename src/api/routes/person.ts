import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../../errors.ts'
import { PersonResponse, PersonSearchResponse } from '../responses/person.ts'
import { BILLED } from '../billing.ts'
import { PersonPath, PersonSearch } from '../parameters/person.ts'
import { isNowhere } from '../state-codes.ts'
import type { RouteOptions } from './options.ts'

const NO_RESULTS = Buffer.from('[]')

/** Routes `GET /v2/person/` and `GET /v2/person/{id}`. */
export const person: FastifyPluginAsync<RouteOptions> = async (app, { meter, served, envelopes, today }) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v2/person/',
      operationId: 'searchPeople',
      tag: 'Person',
      summary: 'Search for people',
      description:
        'A person must match every given parameter. When the exact search finds nobody, the service searches again with fuzzy names and then in nearby places, unless `strict_match` is true.',
      access: meter.key('person:read', BILLED),
      request: { query: PersonSearch },
      responses: { 200: PersonSearchResponse },
    },
    (request, reply) => {
      const { query, arrivedAt, caller } = request
      if (isNowhere(request, query.state_code)) {
        envelopes.sendPage(reply, NO_RESULTS, {
          result_count: 0,
          page: query.page,
          page_size: query.page_size,
        })
        return
      }
      const page = served.of(caller).use((lookup) => lookup.findPeople(query, today(arrivedAt)))
      const metadata = { result_count: page.total, page: query.page, page_size: query.page_size }
      envelopes.sendPage(reply, page.results, metadata)
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v2/person/{id}',
      operationId: 'getPerson',
      tag: 'Person',
      summary: 'Get a person by id',
      description:
        'When two people turn out to be one, they are merged and one id is given up. The given-up id returns the merged person; the response has the id that was kept.',
      access: meter.key('person:read', BILLED),
      request: { path: PersonPath },
      responses: { 200: PersonResponse },
      failures: [404],
    },
    ({ params, arrivedAt, caller }, reply) => {
      const document = served.of(caller).use((lookup) => lookup.person(params.id, today(arrivedAt)))
      if (document === null) throw new AppError('not_found', `there is no person with the id ${params.id}`)
      envelopes.sendResult(reply, document)
    },
  )
}
