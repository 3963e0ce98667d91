import Fastify, { type FastifyInstance } from 'fastify'
import { Pool } from 'pg'

// As an expert would write them: prepared, one round trip each, documents stored ready to be sent.
const PERSON = 'select document from people where person_id = $1'
const PHONE = `select people.document from person_phones join people using (person_id)
  where phone = $1 order by score desc, person_id limit 10`
const EXACT = `select people.document, count(*) over () as total from names join people using (person_id)
  where last_name = $1 and first_name = $2 and $3 = any (people.states)
  order by people.completeness desc, people.person_id limit 15`
const FUZZY = `select people.document, count(*) over () as total from names join people using (person_id)
  where names.full_name % $1 and $2 = any (people.states)
  order by similarity(names.full_name, $1) desc, people.completeness desc, people.person_id limit 15`
const PROPERTY = `select properties.document from properties where line1 = $1 and zip = $2 limit 1`

const joined = (rows: { document: string }[]): string => `[${rows.map(({ document }) => document).join(',')}]`

/** The five queries of the bench behind Fastify, on a PostgreSQL that listens in a folder. */
export function buildOnPostgres(socketFolder: string): FastifyInstance {
  // More connections than cores make it slower; fewer leave it waiting for the answers to be taken.
  const pool = new Pool({ host: socketFolder, user: 'postgres', database: 'postgres', max: 8 })
  const find = async (name: string, text: string, values: string[]): Promise<{ document: string }[]> =>
    (await pool.query<{ document: string }>({ name, text, values })).rows
  const app = Fastify({ logger: false, routerOptions: { ignoreTrailingSlash: true } })
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header('content-type', 'application/json; charset=utf-8')
    done()
  })
  app.get<{ Params: { id: string } }>('/v2/person/:id', async ({ params }) => {
    const [row] = await find('person', PERSON, [params.id])
    return `{"result":${row?.document ?? 'null'}}`
  })
  app.get<{ Params: { phone: string } }>(
    '/v2/phone/:phone',
    async ({ params }) => `{"people":${joined(await find('phone', PHONE, [params.phone]))}}`,
  )
  app.get<{ Querystring: Record<string, string> }>('/v2/person/', async ({ query }) => {
    const { name = '', state_code = '', include_fuzzy_matching } = query
    const [first = '', last = ''] = name.toUpperCase().split(' ')
    const rows =
      include_fuzzy_matching === 'true'
        ? await find('fuzzy', FUZZY, [name.toUpperCase(), state_code])
        : await find('exact', EXACT, [last, first, state_code])
    return `{"results":${joined(rows)}}`
  })
  app.get<{ Querystring: Record<string, string> }>('/v2/property/', async ({ query }) => {
    const [row] = await find('property', PROPERTY, [
      (query['street'] ?? '').toUpperCase(),
      query['zipcode'] ?? '',
    ])
    return `{"result":${row?.document ?? 'null'}}`
  })
  return app
}
