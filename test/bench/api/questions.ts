import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { parsePhone } from '../../../src/normalize/phone.ts'
import { query, quotedLiteral } from '../../../src/warehouse/query.ts'

/** One kind of request, with the share of a bare route's and the multiple of PostgreSQL's requests that are wanted. */
export interface Question {
  readonly name: string
  readonly paths: string[]
  readonly ofBare: number
  readonly timesPostgres: number
}

/** The query that asks for what sounds or reads alike. */
export const FUZZY = 'fuzzy search'

const SAMPLED = 2_000

const Row = z.object({
  person_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  state: z.string(),
  phone: z.string().nullable(),
  line1: z.string(),
  zip: z.string(),
})

const searching = (path: string, values: Record<string, string>): string =>
  `${path}?${new URLSearchParams(values).toString()}`

/** People drawn at random, so that common names are searched as often as people bear them. */
export async function drawQuestions(
  db: DuckDBConnection,
  snapshotFolder: string,
): Promise<{ people: number; questions: Question[] }> {
  const table = (name: string): string =>
    `read_parquet(${quotedLiteral(join(snapshotFolder, 'tables', `${name}.parquet`))})`
  const rows = await query(
    db,
    `select person_id, people.first_name, people.last_name, addresses.state, phone, line1, zip
     from ${table('people')} as people
     join ${table('person_addresses')} as lives using (person_id)
     join ${table('addresses')} as addresses using (address_id)
     join ${table('properties')} as properties using (address_id)
     left join ${table('person_phones')} as phones using (person_id)
     where is_current and people.first_name is not null and people.last_name is not null and addresses.state is not null
     qualify row_number() over (partition by person_id order by address_id, phone) = 1
     order by hash(person_id) limit ${SAMPLED}`,
    Row,
  )
  const [count] = await query(
    db,
    `select count(*)::integer as people from ${table('people')}`,
    z.object({ people: z.number() }),
  )
  const named = (row: z.output<typeof Row>): string => `${row.first_name} ${row.last_name}`
  const phones = rows.flatMap(({ phone }) => (phone !== null && parsePhone(phone) !== null ? [phone] : []))
  const questions: Question[] = [
    {
      name: 'person by id',
      ofBare: 60,
      timesPostgres: 3,
      paths: rows.map((row) => `/v2/person/${row.person_id}`),
    },
    { name: 'phone', ofBare: 45, timesPostgres: 3, paths: phones.map((phone) => `/v2/phone/${phone}`) },
    {
      name: 'name + state',
      ofBare: 40,
      timesPostgres: 3,
      paths: rows.map((row) => searching('/v2/person/', { name: named(row), state_code: row.state })),
    },
    {
      name: 'property search',
      ofBare: 40,
      timesPostgres: 3,
      paths: rows.map((row) => searching('/v2/property/', { street: row.line1, zipcode: row.zip })),
    },
    {
      name: FUZZY,
      ofBare: 15,
      timesPostgres: 10,
      paths: rows.map((row, index) =>
        searching('/v2/person/', {
          name: misspelt(named(row), index),
          state_code: row.state,
          include_fuzzy_matching: 'true',
        }),
      ),
    },
  ]
  return { people: count?.people ?? 0, questions }
}

// Two neighbouring letters of the last name change places, as fingers do it.
function misspelt(name: string, seed: number): string {
  const [first = '', last = ''] = name.split(' ')
  if (last.length < 4) return name
  const at = 1 + (seed % (last.length - 2))
  return `${first} ${last.slice(0, at)}${last[at + 1] ?? ''}${last[at] ?? ''}${last.slice(at + 2)}`
}
