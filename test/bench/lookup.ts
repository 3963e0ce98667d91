import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot, type Lookup, openLookup, type PersonQuery } from '../../src/lookup/index.ts'
import { publish } from '../../src/publish/publish.ts'
import { openWarehouse, type Warehouse } from '../../src/warehouse/open.ts'
import { query, quotedLiteral } from '../../src/warehouse/query.ts'
import { machineLine } from './machine.ts'
import { fillPublished } from './published-world.ts'

const MADE_UP = 1_000_000
const TODAY = '2026-06-01'
const SAMPLED = 5_000
const ROUNDS = 4

/**
 * Microseconds per lookup in this process, and how fast a snapshot is published. Takes the snapshots of
 * `PLATBOOK_BENCH_SNAPSHOTS`; without them, publishes a million made-up people (`PLATBOOK_BENCH_PEOPLE`), in `PLATBOOK_BENCH_SHARDS` shards, and measures that too.
 */
export async function run(): Promise<void> {
  const given = process.env['PLATBOOK_BENCH_SNAPSHOTS']
  if (given !== undefined) return runOn(given)
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  try {
    await publishMadeUp(folder, Number(process.env['PLATBOOK_BENCH_PEOPLE'] ?? MADE_UP))
    await runOn(join(folder, 'snapshots'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function publishMadeUp(folder: string, people: number): Promise<void> {
  await withDuckDb(join(folder, 'warehouse.duckdb'), async (db) => {
    await fillPublished(db, people)
    const started = performance.now()
    const before = process.cpuUsage()
    await publish({
      db,
      snapshots: join(folder, 'snapshots'),
      now: systemClock,
      log: silentLog,
      signal: new AbortController().signal,
      keep: 1,
      shards: Number(process.env['PLATBOOK_BENCH_SHARDS'] ?? 1),
      sources: [],
      checks: null,
      progress: ({ detail, seconds }) => console.log(`  ${detail}: ${seconds.toFixed(1)} s`),
    })
    const seconds = (performance.now() - started) / 1000
    const used = process.cpuUsage(before)
    const busy = (used.user + used.system) / 1e6
    const rate = Math.round(people / seconds).toLocaleString('en-US')
    console.log(`published ${people.toLocaleString('en-US')} people in ${seconds.toFixed(1)} s (${busy.toFixed(1)} s of processor), ${rate} people/s`) // prettier-ignore
  })
}

async function runOn(snapshots: string): Promise<void> {
  const current = await currentSnapshot(snapshots)
  if (current === null) throw new Error(`no snapshot in ${snapshots}`)
  const people = await samplePeople(current.folder)
  if (people.length === 0) throw new Error(`no person of ${current.folder} has a name and a current address`)
  const opened = performance.now()
  const lookup = openLookup(current.folder)
  console.log(`opened in ${Math.round(performance.now() - opened)} ms; ${machineLine()}`)
  console.log('microseconds a lookup      p50      p95      p99  processor   (mean answers)')
  for (const [name, work] of Object.entries(WORKS)) measure(name, lookup, people, work)
  lookup.close()
}

const Person = z.object({
  person_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  line1: z.string(),
  phone: z.string().nullable(),
  property_id: z.string().nullable(),
})
type Person = z.output<typeof Person>

async function samplePeople(folder: string): Promise<Person[]> {
  const table = (name: string): string =>
    `read_parquet(${quotedLiteral(join(folder, 'tables', `${name}.parquet`))})`
  return withDuckDb(':memory:', (db) =>
    query(
      db,
      `select people.person_id, first_name, last_name, city, state, zip, line1, phone, property_id
       from (select * from ${table('people')} where first_name is not null and last_name is not null order by hash(person_id) limit ${SAMPLED}) as people
       join (select person_id, min(address_id) as address_id from ${table('person_addresses')} where is_current group by person_id) using (person_id)
       join ${table('addresses')} using (address_id)
       left join (select person_id, min(phone) as phone from ${table('person_phones')} group by person_id) using (person_id)
       left join (select address_id, min(property_id) as property_id from ${table('properties')} group by address_id) using (address_id)
       where state is not null and city is not null and zip is not null and line1 is not null
       order by hash(person_id, 1)`,
      Person,
    ),
  )
}

type Work = (lookup: Lookup, person: Person) => number | undefined

const WORKS: Record<string, Work> = {
  'person by id': (lookup, { person_id }) => (lookup.person(person_id, TODAY) === null ? 0 : 1),
  'first + last + state': (lookup, { first_name, last_name, state }) =>
    total(lookup, { first_name, last_name, state_code: state }),
  'name + state': (lookup, { first_name, last_name, state }) =>
    total(lookup, { name: `${first_name} ${last_name}`, state_code: state }),
  'first + last': (lookup, { first_name, last_name }) => total(lookup, { first_name, last_name }),
  'last + city + state': (lookup, { last_name, city, state }) =>
    total(lookup, { last_name, city, state_code: state }),
  'first + last + radius 25': (lookup, { first_name, last_name, zip }) =>
    total(lookup, { first_name, last_name, zipcode: zip, radius: 25 }),
  'street + ZIP': (lookup, { line1, zip }) => total(lookup, { street: line1, zipcode: zip }),
  phone: (lookup, { phone }) => (phone === null ? undefined : total(lookup, { phone })),
  'fuzzy name + state': (lookup, { first_name, last_name, state }) =>
    total(lookup, { first_name, last_name, state_code: state, include_fuzzy_matching: true }),
  'property by id': (lookup, { property_id }) =>
    property_id === null ? undefined : Number(lookup.property(property_id, TODAY) !== null),
  'property by address': (lookup, { line1, zip, property_id }) =>
    property_id === null ? undefined : Number(lookup.findProperty({ street: line1, zipcode: zip, strict_match: false }, TODAY) !== null), // prettier-ignore
  'phone body': (lookup, { phone }) => (phone === null ? undefined : lookup.phone(phone, TODAY).length),
}

function total(lookup: Lookup, asked: Partial<PersonQuery>): number {
  const { total: found } = lookup.findPeople(
    {
      include_historical_locations: false,
      include_fuzzy_matching: false,
      strict_match: false,
      page: 1,
      page_size: 15,
      ...asked,
    },
    TODAY,
  )
  return found
}

function measure(name: string, lookup: Lookup, people: readonly Person[], work: Work): void {
  const took: number[] = []
  let answers = 0
  let before = process.threadCpuUsage()
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 1) before = process.threadCpuUsage()
    for (const person of people) {
      const started = performance.now()
      const found = work(lookup, person)
      const ended = performance.now()
      if (found === undefined || round === 0) continue
      took.push((ended - started) * 1000)
      answers += found
    }
    // Whoever warms up on a slow kind of search has seen enough after a second.
    if (took.length > 2_000 && took.reduce((sum, one) => sum + one, 0) > 1e6) break
  }
  if (answers === 0) throw new Error(`${name}: ${took.length} lookups found nothing`)
  // What the clock says holds on a quiet machine only; what the processor was busy with holds on any.
  const { user, system } = process.threadCpuUsage(before)
  const busy = ((user + system) / took.length).toFixed(1).padStart(10)
  took.sort((a, b) => a - b)
  const at = (share: number): string => (took[Math.floor(took.length * share)] ?? 0).toFixed(1).padStart(8)
  console.log(
    `${name.padEnd(25)}${at(0.5)} ${at(0.95)} ${at(0.99)} ${busy}   (${(answers / took.length).toFixed(1)})`,
  )
}

async function withDuckDb<T>(path: string, body: (db: DuckDBConnection) => Promise<T>): Promise<T> {
  const warehouse: Warehouse = await openWarehouse(path, { memoryLimit: '4GB', threads: 2 })
  try {
    return await body(warehouse.db)
  } finally {
    await warehouse.close()
  }
}
