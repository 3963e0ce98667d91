import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../../errors.ts'
import { PersonSearchResponseV1, PersonV1 } from '../responses/person.ts'
import { BILLED } from '../billing.ts'
import { PersonPath, PersonSearchV1 } from '../parameters/person.ts'
import { sendJson } from '../reply.ts'
import { isNowhere } from '../state-codes.ts'
import type { RouteOptions } from './options.ts'

const FIRST_PAGE = { include_fuzzy_matching: false, page: 1, page_size: 15 } as const

/** Routes `GET /v1/person/` and `GET /v1/person/{id}`: the first version, for clients that do not use version 2 yet. */
export const personV1: FastifyPluginAsync<RouteOptions> = async (app, { meter, served, today }) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v1/person/',
      operationId: 'searchPeopleV1',
      tag: 'Person',
      summary: 'Search for people (first version)',
      description:
        'Returns at most 15 people, each with all phones, e-mails, addresses and properties. Deprecated: use `/v2/person/`.',
      isDeprecated: true,
      access: meter.key('person:read', BILLED),
      request: { query: PersonSearchV1 },
      responses: { 200: PersonSearchResponseV1 },
    },
    (request, reply) => {
      const { query, arrivedAt, caller } = request
      if (isNowhere(request, query.state_code)) {
        sendJson(reply, '[]')
        return
      }
      const asked = { ...query, ...FIRST_PAGE }
      const page = served.of(caller).use((lookup) => lookup.findPeople(asked, today(arrivedAt), 1))
      sendJson(reply, page.results)
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/person/{id}',
      operationId: 'getPersonV1',
      tag: 'Person',
      summary: 'Get a person by id (first version)',
      description: 'Deprecated: use `/v2/person/{id}`.',
      isDeprecated: true,
      access: meter.key('person:read', BILLED),
      request: { path: PersonPath },
      responses: { 200: PersonV1 },
      failures: [404],
    },
    ({ params, arrivedAt, caller }, reply) => {
      const document = served.of(caller).use((lookup) => lookup.person(params.id, today(arrivedAt), 1))
      if (document === null) throw new AppError('not_found', `there is no person with the id ${params.id}`)
      sendJson(reply, document)
    },
  )
}
