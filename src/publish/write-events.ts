import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DOCUMENTS_FILE, EventDocumentsWriter } from '../events/documents.ts'
import { UNDATED } from '../events/position.ts'
import { SEARCH_COLUMNS, SEARCH_FILE, SEARCH_ORDER } from '../events/search.ts'
import { lockFile } from '../lmdb-file.ts'
import { execute, quotedLiteral } from '../warehouse/query.ts'
import { json, object, position } from './json-sql.ts'
import { countOf, rowBatches } from './row-batches.ts'

/**
 * Writes the events of `published.*` into `folder`: a Parquet file that searches read, and the documents that
 * answers return.
 */
export async function writeEvents(db: DuckDBConnection, folder: string, signal: AbortSignal): Promise<void> {
  await mkdir(folder, { recursive: true })
  try {
    await execute(db, `create or replace temp table numbered_events as ${NUMBERED_EVENTS}`)
    signal.throwIfAborted()
    await execute(db, `copy (${SEARCH}) to ${quotedLiteral(join(folder, SEARCH_FILE))} (${SEARCH_FORMAT})`)
    await writeDocuments(db, folder, signal)
  } finally {
    await execute(db, 'drop table if exists temp.numbered_events')
  }
}

async function writeDocuments(db: DuckDBConnection, folder: string, signal: AbortSignal): Promise<void> {
  const count = await countOf(db, 'numbered_events')
  const writer = new EventDocumentsWriter(folder)
  try {
    for await (const rows of rowBatches(db, DOCUMENTS, count, 20_000, signal)) {
      writer.batch(() => {
        for (let row = 0; row < rows.count; row++) writer.add(rows.bytes(0, row))
      })
    }
    await execute(db, `create or replace temp table ordered_events as ${IDS}`)
    for await (const rows of rowBatches(db, ORDERED_IDS, count, 100_000, signal)) {
      writer.batch(() => {
        for (let row = 0; row < rows.count; row++) writer.addId(rows.text(0, row)!, rows.integers(1, row))
      })
    }
  } finally {
    await execute(db, 'drop table if exists temp.ordered_events')
    await writer.close()
  }
  // Readers create a lock file of their own.
  await rm(lockFile(join(folder, DOCUMENTS_FILE)), { force: true })
}

// Events of a county on neighbouring days are neighbours in the file, and so are their documents.
const NUMBERED_EVENTS = `
  select
    (row_number() over (order by events.county_fips, events.recorded_date desc nulls last, events.event_id) - 1)::integer as event_no,
    events.*,
    properties.apn as assessor_number,
    addresses.line1,
    addresses.city,
    addresses.zip,
    coalesce(properties.latitude, addresses.latitude) as latitude,
    coalesce(properties.longitude, addresses.longitude) as longitude,
    coalesce(events.legal_description, properties.legal_description) as legal_text,
    properties.bedrooms,
    properties.bathrooms,
    properties.living_sqft,
    properties.lot_sqft,
    properties.property_purpose
  from published.deed_events as events
  left join published.properties as properties using (property_id)
  left join published.addresses as addresses
    on addresses.address_id = coalesce(properties.address_id, events.address_id)
  order by event_no`

const scoped = (scope: string): string => `
  select ${scope} as scope, coalesce(recorded_date, date '${UNDATED}') as recorded_on, event_id::uuid as event_id,
    event_no, state, county_fips
  from numbered_events where ${scope} is not null`

const SEARCH = `
  select ${Object.entries(SEARCH_COLUMNS)
    .map(([name, type]) => `${name}::${type} as ${name}`)
    .join(', ')}
  from (${['state', 'county_fips', 'property_id'].map(scoped).join(' union all ')})
  order by ${SEARCH_ORDER}`

// A search reads one or two row groups. With much smaller groups it spends its time on skipping groups, with
// much larger ones on reading events that it does not need.
const SEARCH_FORMAT = 'format parquet, compression zstd, row_group_size 122880'

const date = (column: string): string => json(`${column}::varchar`)

const party = object({
  role: json('party.role'),
  name: json('party.name'),
  type: json('party.type'),
  person_id: json('party.person_id'),
  addresses: `case when party.full_address is null then '[]' else concat('[', ${object({ full_address: json('party.full_address') })}, ']') end`,
})
const parties = `concat('[', array_to_string(list_transform(parties, lambda party: ${party}), ','), ']')`

const property = object({
  property_id: json('property_id'),
  property_address: object({
    line1: json('line1'),
    city: json('city'),
    state: json('state'),
    zip: json('zip'),
    county: json('county_name'),
  }),
  apn: json('coalesce(assessor_number, apn)'),
  parcel_id: json('apn'),
  geolocation: position('latitude', 'longitude'),
  legal_description: object({ text: json('legal_text') }),
  bedrooms: json('bedrooms'),
  bathrooms: json('bathrooms'),
  living_sqft: json('living_sqft'),
  lot_sqft: json('lot_sqft'),
  property_purpose: json('property_purpose'),
})

const detail = {
  document_type: object({ category: `'"deed"'`, text: json('document_text') }),
  recorded_date: date('recorded_date'),
  instrument_date: date('instrument_date'),
  consideration: json('consideration'),
  transaction_reason: object({ category: json('transaction_reason'), text: json('transaction_reason_text') }),
}

// Only voided documents have these members. They come last, so the API's own members keep their order.
const voided = { ...detail, is_void: json('is_void'), voided_date: date('voided_date') }

const DOCUMENTS = `
select encode(${object({
  id: json('event_id'),
  object: `'"event"'`,
  event_type: json('event_type'),
  data: object({
    jurisdiction: object({
      county: json('county_name'),
      state: json('state'),
      fips_code: json('county_fips'),
    }),
    property,
    parties,
    detail: `case when is_void then ${object(voided)} else ${object(detail)} end`,
  }),
})})
from numbered_events
where event_no >= $low and event_no < $high
order by event_no`

const IDS = `
  select (row_number() over (order by event_id) - 1)::integer as place, event_id, event_no
  from numbered_events order by place`
const ORDERED_IDS = `
  select event_id, event_no from ordered_events where place >= $low and place < $high order by place`
