import type { FastifyInstance } from 'fastify'
import { Pool } from 'pg'
import type { z } from 'zod'
import { PersonResponse, PersonSearchResponse } from '../../../src/api/responses/person.ts'
import { PhoneResponse } from '../../../src/api/responses/phone.ts'
import { PropertySearchResponse } from '../../../src/api/responses/property.ts'
import { BILLED } from '../../../src/api/billing.ts'
import type { Access } from '../../../src/api/endpoint.ts'
import { PersonPath, PersonSearch } from '../../../src/api/parameters/person.ts'
import { PhonePath } from '../../../src/api/parameters/phone.ts'
import { PropertySearch } from '../../../src/api/parameters/property.ts'
import { sendJson } from '../../../src/api/reply.ts'
import { AppError } from '../../../src/errors.ts'
import { streetKey } from '../../../src/lookup/format/address-keys.ts'
import { wordsOf } from '../../../src/lookup/format/words.ts'
import { readAddress } from '../../../src/normalize/address.ts'
import { EXACT, FUZZY, PERSON, PHONE, PROPERTY } from './postgres-queries.ts'

/** Where the routes stand beside the service's own. */
export const PREFIX = '/postgres'

/**
 * The five queries of the bench by a PostgreSQL that listens in a folder, as further routes of the service itself: key, rate,
 * access event, validation, headers and error bodies are the very same.
 */
export function addPostgresRoutes(app: FastifyInstance, socketFolder: string): void {
  // More connections than cores make it slower; fewer leave it waiting for the answers to be taken.
  const pool = new Pool({ host: socketFolder, user: 'postgres', database: 'postgres', max: 8 })
  app.addHook('onClose', () => pool.end())
  const ask: Ask = async (name, text, values) => {
    const query = { name, text, values: [new Date().toISOString().slice(0, 10), ...values] }
    const { rows } = await pool.query<[string | null]>({ ...query, rowMode: 'array' })
    return rows[0]?.[0] ?? null
  }
  addById(app, ask)
  addSearches(app, ask)
}

/** The text of the one column, as PostgreSQL has written it. */
type Ask = (name: string, text: string, values: readonly unknown[]) => Promise<string | null>

/** What the routes have in common with each other. */
function declared<Answer extends z.ZodType>(
  access: Access,
  path: string,
  operationId: string,
  answer: Answer,
) {
  return {
    method: 'GET',
    path: PREFIX + path,
    operationId,
    tag: 'PostgreSQL',
    summary: 'Of the bench',
    access,
    responses: { 200: answer },
  } as const
}

function addById(app: FastifyInstance, ask: Ask): void {
  const access = app.meter.key('person:read', BILLED)
  app.endpoint(
    {
      ...declared(access, '/v2/person/{id}', 'postgresPerson', PersonResponse),
      request: { path: PersonPath },
    },
    async ({ params }, reply) => sendFound(reply, await ask('person', PERSON, [params.id])),
  )
  app.endpoint(
    {
      ...declared(access, '/v2/phone/{phone}', 'postgresPhone', PhoneResponse),
      request: { path: PhonePath },
    },
    async ({ params }, reply) => sendFound(reply, await ask('phone', PHONE, [params.phone])),
  )
}

function addSearches(app: FastifyInstance, ask: Ask): void {
  const access = app.meter.key('person:read', BILLED)
  app.endpoint(
    {
      ...declared(access, '/v2/person/', 'postgresPeople', PersonSearchResponse),
      request: { query: PersonSearch },
    },
    async ({ query }, reply) => {
      const words = wordsOf(query.name ?? '')
      const [one, other] = words.toSorted()
      if (words.length !== 2 || query.state_code === undefined)
        throw new AppError('bad_usage', 'the bench asks PostgreSQL for two words of a name and a state')
      const paging = [query.page, query.page_size]
      const exact = query.include_fuzzy_matching
        ? null
        : await ask('exact', EXACT, [query.state_code, ...paging, one, other])
      // Nobody has the name: what sounds or reads like it, as Platbook does.
      const body = exact ?? (await ask('fuzzy', FUZZY, [query.state_code, ...paging, words.join(' ')])) // prettier-ignore
      const { page, page_size } = query
      const nobody = { results: [], metadata: { result_count: 0, page, page_size } }
      return sendJson(reply, body ?? JSON.stringify(nobody))
    },
  )
  app.endpoint(
    {
      ...declared(access, '/v2/property/', 'postgresProperty', PropertySearchResponse),
      request: { query: PropertySearch },
    },
    async ({ query }, reply) => {
      const { line, zip } = readAddress({ line_1: query.street ?? null, zip: query.zipcode ?? null })
      const house = Number.parseInt(line.house_number ?? '', 10)
      const asked = [
        zip,
        streetKey(line.street_name ?? ''),
        line.street_suffix,
        line.house_number,
        Number.isNaN(house) ? null : house,
        line.unit_number,
      ]
      return sendFound(reply, await ask('property', PROPERTY, asked))
    },
  )
}

function sendFound(reply: Parameters<typeof sendJson>[0], body: string | null): unknown {
  if (body === null) throw new AppError('not_found', 'PostgreSQL has found nothing')
  return sendJson(reply, body)
}
