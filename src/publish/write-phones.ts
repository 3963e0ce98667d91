import type { DuckDBConnection } from '@duckdb/node-api'
import type { Columns } from '../lookup/format/columns.ts'
import { type DocumentStarts, DocumentFileWriter } from '../lookup/format/document-file.ts'
import { PHONE_HEADER_LENGTH } from '../lookup/format/phone-document.ts'
import { isAtHomeSql, type ShardPlace } from '../lookup/format/shards.ts'
import type { Store } from '../lookup/format/store.ts'
import { execute } from '../warehouse/query.ts'
import { readTexts, textsAsColumns } from './dictionaries.ts'
import { json, members, object, addressPart, position } from './json-sql.ts'
import { PostingWriter } from './posting-writer.ts'
import { countOf, readLists, rowBatches, rowChunks } from './row-batches.ts'

/**
 * Writes the columns of phones, in the order of their digits, and the documents of phones with names or
 * businesses (lookup/phone/read-phone.ts).
 */
export async function writePhones(
  db: DuckDBConnection,
  folder: string,
  place: ShardPlace,
  signal: AbortSignal,
): Promise<Partial<Columns>> {
  const tables = phoneTables(isAtHomeSql('phone', place))
  for (const [name, select] of Object.entries(tables)) {
    await execute(db, `create or replace temp table ${name} as ${select}`)
  }
  const count = await countOf(db, 'numbered_phones')
  const lines = await readLists(db, LINES, AREAS, signal)
  const people = await readLists(db, PHONE_PEOPLE, count, signal)
  const scores = await readLists(db, PHONE_SCORES, count, signal)
  const facts = textsAsColumns(await readTexts(db, 'select fact from fact_texts order by fact_no', signal))
  const phone_facts = await readLists(db, 'select phone_no, fact_no from phone_facts join fact_texts using (fact) order by phone_no', count, signal) // prettier-ignore
  const documents = await writeDocuments(db, folder, count, signal)
  for (const name of Object.keys(tables)) await execute(db, `drop table temp.${name}`)
  return {
    phone_document_start: documents.start,
    phone_document_turns: documents.turns,
    phone_area_start: lines.start,
    phone_line: lines.items,
    phone_person_start: people.start,
    phone_people: people.items,
    phone_people_scores: Uint8Array.from(scores.items),
    phone_facts: phone_facts.items,
    fact_start: facts.start,
    fact_text: facts.text,
  }
}

async function writeDocuments(
  db: DuckDBConnection,
  folder: string,
  count: number,
  signal: AbortSignal,
): Promise<DocumentStarts> {
  const file = new DocumentFileWriter(folder, 'phones', count)
  try {
    for await (const rows of rowBatches(db, DOCUMENTS, count, 1_000_000, signal)) {
      for (let row = 0; row < rows.count; row++) {
        const names = rows.bytes(2, row)
        const businesses = rows.bytes(3, row)
        const document = Buffer.alloc(PHONE_HEADER_LENGTH + names.length + businesses.length)
        document.writeUInt32LE(rows.integers(1, row), 0)
        document.writeUInt32LE(PHONE_HEADER_LENGTH + names.length, 4)
        document.writeUInt32LE(document.length, 8)
        document.set(names, PHONE_HEADER_LENGTH)
        document.set(businesses, PHONE_HEADER_LENGTH + names.length)
        file.add(rows.integers(0, row), document)
      }
    }
    return file.end()
  } finally {
    file.close()
  }
}

/** Writes the people of every e-mail address. */
export async function writeEmails(db: DuckDBConnection, store: Store, signal: AbortSignal): Promise<void> {
  const select =
    'select email, person_no, score from numbered_person_emails order by email, score desc, person_rank'
  const postings = new PostingWriter<string>(store, (email, value) => {
    store.emails.putSync(Buffer.from(email), value, { append: true })
  })
  for await (const rows of rowChunks(db, select, signal)) {
    const { text, integers } = rows
    // Each row gives two numbers: the person, then the score.
    postings.addAll(rows.count * 2, (half) => text(0, half >>> 1)!, (half) => integers(1 + (half & 1), half >>> 1)) // prettier-ignore
  }
  postings.end()
}

// Area codes are the three digits after the leading 1.
const AREAS = 1000
const LINES =
  'select substr(phone, 2, 3)::integer, substr(phone, 5)::integer from numbered_phones order by phone_no'
const PEOPLE_ORDER =
  'from numbered_person_phones join numbered_phones using (phone) order by phone_no, score desc, person_rank'
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

// A toll-free number belongs to the business. So does a number of a business that more than two people share.
// Otherwise it belongs to the owner with whom it was seen last.
const PRIMARY_OWNER = `
  case
    when people_count is null and business_count is null then case when name_count is null then 'unknown' else 'person' end
    when people_count is null then 'business'
    when business_count is null then 'person'
    when line_type = 'tollfree' or people_count > 2 then 'business'
    when phone_businesses.last_seen_on > coalesce(phone_people.last_seen_on, date '0001-01-01') then 'business'
    else 'person'
  end`

/** SQL for the facts about a phone, as members of a JSON object. */
const FACT = members({
  line_type: json('line_type'),
  carrier: json(`case when line_type <> 'tollfree' then carrier end`),
  primary_owner: json(PRIMARY_OWNER),
})

/**
 * Returns the temporary tables of phones. A shard has the phones that are at home in it (`isHome`), with their
 * facts, names and businesses, and the other phones of its people, which have none.
 */
const phoneTables = (isHome: string) => ({
  numbered_phones: `
    select (row_number() over (order by phone) - 1)::integer as phone_no, phone, ${isHome} as is_home, coalesce(line_type, 'unknown') as line_type, carrier
    from (
      select phone from published.phones where ${isHome}
      union select phone from published.person_phones where ${isHome}
      union select phone from published.business_phones where ${isHome}
      union select phone from published.phone_names where ${isHome}
      union select phone from numbered_person_phones
    )
    left join published.phones using (phone)
    -- The API accepts only numbers of the North American plan.
    where regexp_full_match(phone, '1\\d{10}')
    order by phone_no`,
  phone_people: `
    select
      phone_no,
      count(*)::integer as people_count,
      max(links.last_seen_on) as last_seen_on
    from published.person_phones as links
    join numbered_phones using (phone)
    where is_home and person_id in (select person_id from published.people)
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
    where is_home
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
    where is_home
    group by phone_no
    order by phone_no`,
  phone_facts: `
    select phone_no, case when is_home then ${FACT} else '' end as fact
    from numbered_phones
    left join phone_people using (phone_no)
    left join phone_businesses using (phone_no)
    left join phone_unresolved using (phone_no)`,
  fact_texts: `select (row_number() over (order by fact) - 1)::integer as fact_no, fact from (select distinct fact from phone_facts)`,
})

const DOCUMENTS = `
  select phone_no, coalesce(business_count, 0)::integer as business_count,
    encode(coalesce(names, '')) as names, encode(coalesce(businesses, '')) as businesses
  from phone_unresolved
  full join phone_businesses using (phone_no)
  where phone_no >= $low and phone_no < $high
  order by phone_no`
