import type { DuckDBConnection } from '@duckdb/node-api'
import { PEOPLE_LIMIT } from '../lookup/phone-document.ts'
import type { Store } from '../lookup/store.ts'
import { execute } from '../warehouse/query.ts'
import { json, object, addressPart, position } from './json-sql.ts'
import { PostingWriter } from './posting-writer.ts'
import { readLists, rowBatches, rowChunks } from './row-batches.ts'

/** Writes the document of every phone (see lookup/phone-document.ts), in the order of the numbers. */
export async function writePhones(db: DuckDBConnection, store: Store, signal: AbortSignal): Promise<number> {
  for (const [name, select] of Object.entries(TABLES)) {
    await execute(db, `create or replace temp table ${name} as ${select}`)
  }
  let count = 0
  for await (const rows of rowChunks(db, 'select count(*)::integer from numbered_phones', signal)) {
    count = rows.integers(0, 0)
  }
  const people = await readLists(db, PHONE_PEOPLE, count, signal)
  const scores = await readLists(db, PHONE_SCORES, count, signal)
  for await (const rows of rowBatches(db, DOCUMENTS, count, 200_000, signal)) {
    store.root.transactionSync(() => {
      for (let row = 0; row < rows.count; row++) {
        const phone = rows.integers(0, row)
        const text = rows.bytes(4, row)
        const first = people.start[phone]!
        const personCount = people.start[phone + 1]! - first
        const textStart = 12 + personCount * 8
        const document = Buffer.allocUnsafe(textStart + text.length)
        document.writeUInt32LE(personCount, 0)
        for (let i = 0; i < personCount; i++) {
          document.writeUInt32LE(people.items[first + i]!, 4 + i * 8)
          document.writeUInt32LE(scores.items[first + i]!, 8 + i * 8)
        }
        document.writeUInt32LE(rows.integers(2, row), textStart - 8)
        document.writeUInt32LE(rows.integers(3, row), textStart - 4)
        document.set(text, textStart)
        store.phones.putSync(Buffer.from(rows.bytes(1, row)), document, { append: true })
      }
    })
  }
  for (const name of Object.keys(TABLES)) await execute(db, `drop table temp.${name}`)
  return count
}

/** Writes the people of every e-mail address. */
export async function writeEmails(db: DuckDBConnection, store: Store, signal: AbortSignal): Promise<void> {
  const select =
    'select email, person_no, score from numbered_person_emails order by email, score desc, person_no'
  const postings = new PostingWriter<string>(store, (email, value) => {
    store.emails.putSync(Buffer.from(email), value, { append: true })
  })
  for await (const rows of rowChunks(db, select, signal)) {
    const { text, integers } = rows
    // Two numbers a row: the person, then the score.
    postings.addAll(rows.count * 2, (half) => text(0, half >>> 1)!, (half) => integers(1 + (half & 1), half >>> 1)) // prettier-ignore
  }
  postings.end()
}

const PEOPLE_ORDER =
  'from numbered_person_phones join numbered_phones using (phone) order by phone_no, score desc, person_no'
const PHONE_PEOPLE = `select phone_no, person_no ${PEOPLE_ORDER}`
const PHONE_SCORES = `select phone_no, score ${PEOPLE_ORDER}`

const businessAddress = object({
  full_address: addressPart('addresses.full_address'),
  line1: addressPart('addresses.line1'),
  city: addressPart('addresses.city'),
  state: addressPart('addresses.state'),
  zip: addressPart('addresses.zip'),
  plus4: addressPart('addresses.plus4'),
  latlong: position('addresses.latitude', 'addresses.longitude'),
  is_historical: json('coalesce(links.is_historical, false)'),
})
const approximateLocation = object({
  city: addressPart('addresses.city'),
  state: addressPart('addresses.state'),
  zip: addressPart('addresses.zip'),
  plus4: addressPart('addresses.plus4'),
  country: `'"US"'`,
  latlong: position('addresses.latitude', 'addresses.longitude'),
  is_historical: json('coalesce(links.is_historical, false)'),
  precision: `case when addresses.plus4 is not null then '"zip4"' when addresses.zip is not null then '"zip"' else '"city"' end`,
})
const ADDRESS_ORDER = 'coalesce(links.is_historical, false), addresses.address_id'

const TABLES = {
  numbered_phones: `
    select (row_number() over (order by phone) - 1)::integer as phone_no, phone, coalesce(line_type, 'unknown') as line_type, carrier
    from (
      select phone from published.phones
      union select phone from published.person_phones
      union select phone from published.business_phones
      union select phone from published.phone_names
    )
    left join published.phones using (phone)
    order by phone_no`,
  phone_people: `
    select
      phone_no,
      count(*)::integer as people_count,
      max(links.last_seen_on) as last_seen_on
    from numbered_person_phones as links
    join numbered_phones using (phone)
    group by phone_no
    order by phone_no`,
  phone_unresolved: `
    select
      phone_no,
      count(*)::integer as name_count,
      concat('[', string_agg(${object({ name: json('names.name'), score: 'coalesce(names.score, 0)', type: json('line_type') })},
        ',' order by names.score desc, names.name), ']') as names
    from published.phone_names as names
    join numbered_phones using (phone)
    group by phone_no
    order by phone_no`, // prettier-ignore
  phone_businesses: `
    select
      phone_no,
      count(*)::integer as business_count,
      max(links.last_seen_on) as last_seen_on,
      string_agg(${object({
        name: json('businesses.name'),
        addresses: `concat('[', coalesce(places.addresses, ''), ']')`,
        approximate_locations: `concat('[', coalesce(places.approximate_locations, ''), ']')`,
      })}, ',' order by businesses.business_id) as businesses
    from published.business_phones as links
    join numbered_phones using (phone)
    join published.businesses as businesses using (business_id)
    left join (
      select
        business_id,
        string_agg(${businessAddress}, ',' order by ${ADDRESS_ORDER}) filter (addresses.line1 is not null) as addresses,
        string_agg(${approximateLocation}, ',' order by ${ADDRESS_ORDER}) filter (addresses.line1 is null) as approximate_locations
      from published.business_addresses as links
      join published.addresses as addresses using (address_id)
      where business_id in (select business_id from published.business_phones)
      group by business_id
    ) as places using (business_id)
    group by phone_no
    order by phone_no`,
} as const

// A toll-free number, or a business's that more than a couple share, is the business's; else who was seen with it last.
const PRIMARY_OWNER = `
  case
    when people_count is null and business_count is null then case when name_count is null then 'unknown' else 'person' end
    when people_count is null then 'business'
    when business_count is null then 'person'
    when line_type = 'tollfree' or people_count > 2 then 'business'
    when phone_businesses.last_seen_on > coalesce(phone_people.last_seen_on, date '0001-01-01') then 'business'
    else 'person'
  end`

/** How many people and names a phone has. */
const LINKED = '(coalesce(people_count, 0) + coalesce(name_count, 0))'

const DOCUMENTS = `
with
pieces as (
  select
    phones.phone_no,
    phones.phone,
    concat('{"phone":', ${object({
      e164: json(`concat('+', phone)`),
      national_format: json(`concat('(', substr(phone, 2, 3), ') ', substr(phone, 5, 3), '-', substr(phone, 8))`),
      line_type: json('line_type'),
      carrier: json(`case when line_type <> 'tollfree' then carrier end`),
      primary_owner: json(PRIMARY_OWNER),
      returned_people: `least(${LINKED}, ${PEOPLE_LIMIT})`,
      people_limit: String(PEOPLE_LIMIT),
      people_truncated: json(`${LINKED} > ${PEOPLE_LIMIT}`),
      returned_businesses: 'coalesce(business_count, 0)',
    })}, ',"people":[') as head,
    coalesce(phone_unresolved.names, '') as names,
    concat('],"businesses":[', coalesce(phone_businesses.businesses, ''), ']}') as tail
  from numbered_phones as phones
  left join phone_people using (phone_no)
  left join phone_businesses using (phone_no)
  left join phone_unresolved using (phone_no)
  where phones.phone_no >= $low and phones.phone_no < $high
)
select phone_no, encode(phone) as phone, strlen(head)::integer as head_length,
  (head_length + strlen(names))::integer as names_end, encode(concat(head, names, tail)) as text
from pieces
order by phone_no` // prettier-ignore
