import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type EventArchive, EVENTS_FOLDER, openEventArchive } from '../../src/events/archive.ts'
import { DOCUMENTS_FILE } from '../../src/events/documents.ts'
import type { EventFilter, Position } from '../../src/events/position.ts'
import { SEARCH_FILE } from '../../src/events/search.ts'
import { writeEvents } from '../../src/publish/write-events.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { emptyPublished } from '../support/published.ts'
import { machineLine } from './machine.ts'

const MADE_UP = 10_000_000
const ROUNDS = 400
const DAYS = 7_300

/**
 * Milliseconds a search of ten million made-up events (`PLATBOOK_BENCH_EVENTS`) takes in this process, and how long
 * writing them takes. Events of `PLATBOOK_BENCH_EVENTS_FOLDER` are made there, or used when they are there already.
 */
export async function run(): Promise<void> {
  const given = process.env['PLATBOOK_BENCH_EVENTS_FOLDER']
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'platbook-bench-')))
  try {
    await mkdir(folder, { recursive: true })
    const isThere = await stat(join(folder, EVENTS_FOLDER, DOCUMENTS_FILE)).catch(() => null)
    if (isThere === null) await write(folder, Number(process.env['PLATBOOK_BENCH_EVENTS'] ?? MADE_UP))
    await measureAll(folder)
  } finally {
    if (given === undefined) await rm(folder, { recursive: true, force: true })
  }
}

async function write(folder: string, count: number): Promise<void> {
  const warehouse = await openWarehouse(join(folder, 'warehouse.duckdb'), { memoryLimit: '3GB', threads: 2 })
  try {
    await fillEvents(warehouse.db, count)
    const started = performance.now()
    const before = process.cpuUsage()
    await writeEvents(warehouse.db, join(folder, EVENTS_FOLDER), new AbortController().signal)
    const seconds = (performance.now() - started) / 1000
    const used = process.cpuUsage(before)
    const busy = ((used.user + used.system) / 1e6).toFixed(0)
    const sizes = await Promise.all(
      [SEARCH_FILE, DOCUMENTS_FILE].map(async (file) => {
        const { size } = await stat(join(folder, EVENTS_FOLDER, file))
        return `${file} ${Math.round(size / 1e6)} MB`
      }),
    )
    console.log(
      `${count.toLocaleString('en-US')} events written in ${seconds.toFixed(0)} s (${busy} s of processor): ${sizes.join(', ')}`,
    )
  } finally {
    await warehouse.close()
    await rm(join(folder, 'warehouse.duckdb'), { force: true })
  }
}

// 171 counties, few of them large; twenty years; five events a parcel.
async function fillEvents(db: DuckDBConnection, count: number): Promise<void> {
  await emptyPublished(db)
  const parcels = Math.ceil(count / 5)
  const fips = `case when c < 100 then '48' when c < 105 then '36' else '12' end || lpad(c::varchar, 3, '0')`
  await db.run(
    `insert into published.addresses by name
     select 'A' || lpad(i::varchar, 10, '0') as address_id, (1 + i % 9900) || ' Example ' || (i % 4999) || ' St' as line1,
       'Exampleville ' || (i % 700) as city, lpad((i % 99999)::varchar, 5, '0') as zip from range(${parcels}) as t(i)`,
  )
  await db.run(
    `insert into published.properties by name
     select 'R' || lpad(i::varchar, 10, '0') as property_id, 'A' || lpad(i::varchar, 10, '0') as address_id,
       i::varchar as apn, 26 + (i % 9973) / 9973.0 as latitude, -80 - (i % 9967) / 9967.0 as longitude,
       1 + i % 5 as bedrooms, 900 + i % 3000 as living_sqft, 4000 + i % 9000 as lot_sqft, 'single_family' as property_purpose
     from range(${parcels}) as t(i)`,
  )
  await db.run(
    `insert into published.deed_events by name
     select uuid()::varchar as event_id, 'deed.transfer' as event_type, ${fips} as county_fips, 'County ' || c as county_name,
       case when c < 100 then 'TX' when c < 105 then 'NY' else 'FL' end as state,
       'R' || lpad((i // 5)::varchar, 10, '0') as property_id, (i // 5)::varchar as apn, i::varchar as document_id,
       'Deed' as document_text, date '2026-01-01' - (random() * ${DAYS})::integer as recorded_date,
       (random() * 900000)::integer as consideration, 1 as parcel_count, 'sale' as transaction_reason,
       'a price of ' || i || ' dollars' as transaction_reason_text, 'LOT ' || i % 60 || ' BLOCK ' || i % 20 as legal_description,
       false as is_void, 'recorder' as told_by,
       [
         {'role': 'grantor', 'name': 'Example' || i % 99991 || ' Seller' || i % 4999, 'type': 'individual',
          'person_id': 'P' || lpad((hash(i) % 9999999999)::varchar, 10, '0'), 'full_address': i % 7000 || ' Other Rd, Exampleville'},
         {'role': 'grantee', 'name': 'Example' || i % 99989 || ' Buyer' || i % 3333, 'type': 'individual',
          'person_id': 'P' || lpad((hash(i + 1) % 9999999999)::varchar, 10, '0'), 'full_address': null},
       ] as parties
     from (select i, (pow(random(), 2) * 170)::integer as c from range(${count}) as t(i))`,
  )
}

const filter = (over: Partial<EventFilter>): EventFilter => ({
  state_code: 'TX', fips_code: null, property_id: null, from: null, to: null, ...over,
}) // prettier-ignore

const day = (back: number): string =>
  new Date(Date.UTC(2026, 0, 1) - back * 86_400_000).toISOString().slice(0, 10)
const below = (of: number): number => Math.floor(Math.random() * of)
const at = (recorded_on: string): Position => ({
  recorded_on,
  event_id: '00000000-0000-0000-0000-000000000000',
})
const county = (): Partial<EventFilter> => {
  const c = Math.floor(Math.random() ** 2 * 100)
  return { fips_code: `48${String(c).padStart(3, '0')}` }
}
const month = (): Partial<EventFilter> => {
  const back = 30 + below(DAYS - 60)
  return { from: day(back), to: day(back - 30) }
}

/** Resolves to how many events were found. */
type Work = (archive: EventArchive) => Promise<number>

async function found(
  archive: EventArchive,
  asked: EventFilter,
  after: Position | null,
  limit: number,
): Promise<number> {
  const { documents } = await archive.search(asked, after, limit)
  return documents.length
}

async function measureAll(folder: string): Promise<void> {
  const options = { timeoutMs: 60_000, concurrency: 4, memoryLimit: '512MB' }
  const archive = openEventArchive(folder, options)
  const { documents } = await archive.search(filter({}), null, 100)
  if (documents.length === 0) throw new Error(`${folder} has no event of Texas`)
  const sample = documents.map((document) => JSON.parse(document.toString()) as Sampled)
  const properties = sample.map(({ data }) => data.property.property_id)
  const works: Record<string, Work> = {
    'state, first page': (events) => found(events, filter({}), null, 20),
    'state, page by cursor': (events) => found(events, filter({}), at(day(below(DAYS - 10))), 20),
    'state, last page': (events) => found(events, filter({}), at(day(DAYS - 1)), 20),
    'state and dates': (events) => found(events, filter(month()), null, 20),
    'county, first page': (events) => found(events, filter(county()), null, 20),
    'county and dates': (events) => found(events, filter({ ...county(), ...month() }), null, 20),
    'county and dates, 100 events': (events) => found(events, filter({ ...county(), ...month() }), null, 100),
    'county, last page': (events) => found(events, filter(county()), at(day(DAYS - 1)), 20),
    'history of a property': (events) =>
      found(events, filter({ property_id: properties[below(properties.length)]! }), null, 20),
    'event by id': (events) =>
      Promise.resolve(Number(events.event(sample[below(sample.length)]!.id) !== null)),
  }
  const load = loadavg().map((minutes) => minutes.toFixed(1))
  console.log(`${machineLine()}; load ${load.join(' ')}; milliseconds`)
  console.log(`${' '.repeat(30)} one at a time              four at a time`)
  console.log(`${' '.repeat(30)}      p50      p99 processor      p50      p99 processor`)
  for (const [name, work] of Object.entries(works)) {
    let events = 0
    for (let n = 0; n < 20; n++) events += await work(archive)
    if (events === 0) throw new Error(`${name}: 20 searches found no event`)
    const figures = [...(await measure(archive, work, 1)), ...(await measure(archive, work, 4))]
    console.log(`${name.padEnd(29)} ${figures.map((figure) => figure.toFixed(2).padStart(9)).join(' ')}`)
  }
  archive.close()
}

interface Sampled {
  readonly id: string
  readonly data: { readonly property: { readonly property_id: string } }
}

// The processor's time says what a search costs when the machine is busy with other work.
async function measure(archive: EventArchive, work: Work, atOnce: number): Promise<number[]> {
  const times: number[] = []
  const before = process.cpuUsage()
  const one = async (): Promise<void> => {
    while (times.length < ROUNDS) {
      const started = performance.now()
      await work(archive)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  const { user, system } = process.cpuUsage(before)
  times.sort((a, b) => a - b)
  const place = (share: number): number => times[Math.floor(times.length * share)]!
  return [place(0.5), place(0.99), (user + system) / 1000 / times.length]
}
