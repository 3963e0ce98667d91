/**
 * How good what follows from the people is, on a generated world whose truth is known: addresses, phones, e-mails, residents,
 * relatives, owners. `BENCH_PEOPLE` sets its size.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { addressLine, placeOf, SHORT, stateOf } from '../../src/generate/addresses.ts'
import { DAY_1, NEVER } from '../../src/generate/calendar.ts'
import { homeOn } from '../../src/generate/changes.ts'
import { DEFAULT_COUNTIES } from '../../src/generate/counties.ts'
import { emailOf, hasEmail } from '../../src/generate/emails.ts'
import { phoneDigits } from '../../src/generate/phones.ts'
import type { World } from '../../src/generate/types.ts'
import { buildWorld } from '../../src/generate/world.ts'
import { normalizeAddress } from '../../src/normalize/address.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { query, quotedLiteral } from '../../src/warehouse/query.ts'
import { generatedWorld, runNightOn } from './night.ts'

const OUT = fileURLToPath(new URL('out', import.meta.url))

export async function run(): Promise<void> {
  const people = Number(process.env['BENCH_PEOPLE'] ?? 20_000)
  const folder = await generatedWorld(people)
  const data = join(OUT, `entities-${people}`)
  await rm(data, { recursive: true, force: true })
  await runNightOn(folder, 'day-1', data)
  const warehouse = await openWarehouse(join(data, 'warehouse', 'warehouse.duckdb'), {
    memoryLimit: '2GB',
    threads: 2,
  })
  try {
    await loadTruth(
      warehouse.db,
      buildWorld({ people, counties: DEFAULT_COUNTIES, seed: 1 }),
      join(folder, 'truth.csv'),
    )
    for (const [title, sql] of FIGURES) await print(warehouse.db, title, sql)
  } finally {
    await warehouse.close()
    await rm(data, { recursive: true, force: true })
  }
}

// What is true of every person on day 1, and which of them a published person is: whom most of its records name.
async function loadTruth(db: DuckDBConnection, world: World, truth: string): Promise<void> {
  await db.run(
    `create temp table true_people (person integer, household integer, last integer, is_alive boolean, home varchar, zip varchar,
       mobile varchar, old_mobile varchar, email varchar)`,
  )
  const { people } = world
  const appender = await db.createAppender('true_people')
  for (let person = 0; person < people.sex.length; person++) {
    const home = homeOn(world, person, DAY_1)
    const { city, zip } = placeOf(world, home)
    const line_1 = addressLine(world, home, SHORT)
    const { address_key } = normalizeAddress({ line_1, city, state: stateOf(world, home), zip })
    appender.appendInteger(person + 1)
    appender.appendInteger(people.household.get(person))
    appender.appendInteger(people.last.get(person))
    appender.appendBoolean(people.diedOn.get(person) === NEVER)
    const numbers = [people.mobile.get(person), people.oldMobile.get(person)].map((number) =>
      number < 0 ? null : `1${phoneDigits(number)}`,
    )
    const email = hasEmail(world, person, 0) ? emailOf(world, person, DAY_1, 0).toLowerCase() : null
    for (const text of [address_key === null ? null : doorOf(address_key), zip, ...numbers, email]) {
      if (text === null) appender.appendNull()
      else appender.appendVarchar(text)
    }
    appender.endRow()
  }
  appender.closeSync()
  await db.run(
    `create temp table truth as select record_id as mention_key, cluster::integer as person from read_csv(${quotedLiteral(truth)}, all_varchar = true)`,
  )
  await db.run(
    `create temp table known as
     select person_id, mode(person order by person) as person
     from published.crosswalk inner join truth using (mention_key) group by person_id`,
  )
}

// An address without its place: the street with its number, and the unit.
function doorOf(address_key: string): string {
  return address_key.split('|').toSpliced(5, 1).join('|')
}

const DOOR = `array_to_string(list_concat(string_split(address_key, '|')[:5], string_split(address_key, '|')[7:]), '|')`

// Contacts that were noted years ago may live where they lived then: their numbers end with 1 of four.
const HOMES = `
select mentions.mention_key, true_people.home, true_people.zip, written.address_id as written_id, read.address_id as read_id
from normal.person_mentions as mentions
inner join truth using (mention_key)
inner join true_people using (person)
inner join normal.named_records as records on records.mention_base = mentions.mention_key
inner join normal.address_dictionary as written on written.text_key = records.address_text_key
inner join normal.read_addresses as read using (text_key)
where mentions.mention_kind in ('voter', 'contact') and not mentions.is_past and written.kind <> 'po_box'
  and not (mentions.mention_kind = 'contact' and try_cast(regexp_extract(mentions.mention_key, '/C([0-9]+)', 1) as integer) % 4 = 1)`

const FIGURES: readonly [title: string, sql: string][] = [
  [
    'addresses of voters and contacts that are their home: as written; as read',
    `with homes as (${HOMES})
     select avg((${DOOR.replaceAll('address_key', 'w.address_key')} = home and w.zip = homes.zip)::integer) as first,
       avg((${DOOR.replaceAll('address_key', 'r.address_key')} = home and coalesce(r.zip = homes.zip, false))::integer) as second,
       count(*)::integer as of
     from homes
     inner join normal.written_addresses as w on w.address_id = written_id
     inner join normal.addresses as r on r.address_id = read_id`,
  ],
  [
    'addresses that are read otherwise than written, and rightly',
    `with homes as (${HOMES})
     select avg((${DOOR.replaceAll('address_key', 'r.address_key')} = home and coalesce(r.zip = homes.zip, true))::integer) as first, count(*)::integer as of
     from homes inner join normal.addresses as r on r.address_id = read_id where written_id <> read_id`,
  ],
  [
    'people whose mobile number is among their phones, of those who gave it somewhere',
    `with given as (
       select distinct person, mobile from true_people
       inner join truth using (person) inner join normal.person_mentions using (mention_key) where phone = mobile
     )
     select avg((phones.phone is not null)::integer) as first, count(*)::integer as of
     from given inner join known using (person)
     left join published.person_phones as phones on phones.person_id = known.person_id and phones.phone = mobile`,
  ],
  [
    'their number of today scores above their former one, where both are known',
    `select avg((today.score > former.score)::integer) as first, avg((today.score >= former.score)::integer) as second, count(*)::integer as of
     from known inner join true_people using (person)
     inner join published.person_phones as today on today.person_id = known.person_id and today.phone = mobile
     inner join published.person_phones as former on former.person_id = known.person_id and former.phone = old_mobile`,
  ],
  [
    'e-mail addresses of best score that are the person’s own',
    `with best as (
       select * from published.person_emails qualify row_number() over (partition by person_id order by score desc, email) = 1
     )
     select avg((best.email = true_people.email)::integer) as first, count(*)::integer as of
     from best inner join known using (person_id) inner join true_people using (person) where true_people.email is not null`,
  ],
  [
    'residents who live there; people at a parcel’s address who are told as its residents',
    `with doors as (
       select property_id, ${DOOR} as door from published.properties inner join normal.addresses using (address_id)
     ), told as (
       select property_id, person_id, person, door = home and is_alive as is_right
       from published.residents inner join doors using (property_id)
       inner join known using (person_id) inner join true_people using (person)
     ), living as (
       select distinct person_id, property_id from known inner join true_people using (person)
       inner join published.person_addresses using (person_id)
       inner join published.properties using (address_id)
       inner join doors using (property_id) where is_alive and door = home
     )
     select (select avg(is_right::integer) from told) as first,
       (select avg((told.person_id is not null)::integer) from living left join told using (person_id, property_id)) as second,
       (select count(*) from told)::integer as of`,
  ],
  [
    'relatives of one household; people of one household and name who are told as relatives',
    `with told as (
       select person_id, relative_id, l.person as one, r.person as other
       from published.relatives inner join known as l using (person_id) inner join known as r on r.person_id = relative_id
     ), pairs as (
       select l.person_id, r.person_id as relative_id
       from known as l inner join true_people as one using (person)
       inner join true_people as other on one.household = other.household and one.last = other.last and one.person <> other.person
       inner join known as r on r.person = other.person
       where one.is_alive and other.is_alive and l.person_id <> r.person_id
     )
     select (select avg((a.household = b.household)::integer) from told
         inner join true_people as a on a.person = one inner join true_people as b on b.person = other) as first,
       (select avg((told.person_id is not null)::integer) from pairs left join told using (person_id, relative_id)) as second,
       (select count(*) from told)::integer as of`,
  ],
  [
    'owners on rolls who are people and are read as people; of these who are the right one',
    `with owners as (
       select mention_key, person from truth
       where regexp_matches(mention_key, '/(nal|real_acct|owners|pluto|prop)[^/]*/') and mention_key like '%#%'
     )
     select avg((crosswalk.person_id is not null)::integer) as first,
       avg((known.person = owners.person)::integer) filter (known.person_id is not null) as second, count(*)::integer as of
     from owners left join published.crosswalk using (mention_key) left join known using (person_id)`,
  ],
]

const Figure = z.object({ first: z.number().nullable(), second: z.number().nullish(), of: z.int() })

function share(value: number | null | undefined): string {
  return value == null ? '–' : `${(100 * value).toFixed(2)} %`
}

async function print(db: DuckDBConnection, title: string, sql: string): Promise<void> {
  const [found] = await query(db, sql, Figure)
  if (found === undefined || found.of === 0) throw new Error(`nothing to count: ${title}`)
  const values = found.second === undefined ? [found.first] : [found.first, found.second]
  console.log(`${title}: ${values.map(share).join('; ')} (of ${found.of.toLocaleString('en-US')})`)
} // prettier-ignore
