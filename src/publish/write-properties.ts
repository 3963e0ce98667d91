import type { DuckDBConnection } from '@duckdb/node-api'
import { type DocumentStarts, DocumentFileWriter } from '../lookup/format/document-file.ts'
import { shown } from '../lookup/format/person-document.ts'
import { type DocumentOf, PropertyWriter } from '../lookup/format/property-writer.ts'
import { json, members, object, addressPart, position } from './json-sql.ts'
import { type Lists, readLists, rowBatches } from './row-batches.ts'

/**
 * Writes the document of every property (lookup/format/property-document.ts), in the order of property
 * numbers. `documentOf` returns the documents of people, from which the forms of owners and residents are copied.
 */
export async function writeProperties(
  db: DuckDBConnection,
  folder: string,
  documentOf: DocumentOf,
  count: number,
  signal: AbortSignal,
): Promise<DocumentStarts> {
  const owners = await readLists(db, OWNERS, count, signal)
  const residents = await readLists(db, RESIDENTS, count, signal)
  const file = new DocumentFileWriter(folder, 'properties', count)
  const writer = new PropertyWriter()
  try {
    for await (const rows of rowBatches(db, DOCUMENTS, count, 150_000, signal)) {
      for (let row = 0; row < rows.count; row++) {
        const property = rows.integers(0, row)
        const ends = [2, 3, 4, 5, 6].map((column) => rows.integers(column, row))
        const occupants = { owners: itemsOf(owners, property), residents: itemsOf(residents, property) }
        file.add(property, writer.document(rows.bytes(1, row), ends, occupants, documentOf))
      }
    }
    return file.end()
  } finally {
    file.close()
  }
}

function itemsOf({ start, items }: Lists, property: number): Uint32Array {
  return items.subarray(start[property], start[property + 1])
}

const date = (column: string): string => json(`${column}::varchar`)

/**
 * Returns SQL that writes upper-case parts of an address in mixed case: 'MARTIN LUTHER KING' gives 'Martin
 * Luther King', '5TH' gives '5th'.
 */
const titled = (column: string): string =>
  `array_to_string(list_transform(string_split(lower(${column}), ' '), lambda word: upper(word[1]) || word[2:]), ' ')`

const reducedAddress = (of: string): string =>
  `case when ${of}.address_id is null then 'null' else ${object({
    full_address: addressPart(`${of}.full_address`),
    line1: addressPart(`${of}.line1`),
    city: addressPart(`${of}.city`),
    state: addressPart(`${of}.state`),
    zip: addressPart(`${of}.zip`),
    address_id: json(`${of}.address_id`),
  })} end`

const fullAddress = (of: string): string =>
  `case when ${of}.address_id is null then 'null' else ${object({
    full_address: addressPart(`${of}.full_address`),
    line1: addressPart(`${of}.line1`),
    city: addressPart(`${of}.city`),
    state: addressPart(`${of}.state`),
    zip: addressPart(`${of}.zip`),
    house: addressPart(`${of}.house_number`),
    street: addressPart(titled(`${of}.street_name`)),
    street_type: addressPart(titled(`${of}.street_suffix`)),
    county: addressPart(`${of}.county_name`),
  })} end`

/**
 * Returns the parcel's own point if it is known. Otherwise it returns the address's point: that of another
 * parcel there, or the centre of the ZIP.
 */
const located = (column: string): string =>
  `case when p.latitude is not null and p.longitude is not null then p.${column} else a.${column} end`

const identity = { property_id: json('p.property_id'), address_id: json('p.address_id'), apn: json('p.apn') }
const facts = {
  property_purpose: json('p.property_purpose'),
  owner_occupied: json('p.owner_occupied'),
  is_vacant: json('p.is_vacant'),
  geolocation: position(located('latitude'), located('longitude')),
}
const ownership = {
  owner_type: json(`coalesce(p.owner_type, 'unknown')`),
  sale_date: date('p.sale_date'),
}
const characteristics = [
  'year_built', 'effective_year_built', 'living_sqft', 'lot_sqft', 'ground_floor_sqft', 'basement_sqft', 'basement_type',
  'garage_type', 'roof_covering', 'heating_fuel', 'condition', 'build_quality', 'stories', 'bedrooms', 'bathrooms', 'has_pool',
] as const // prettier-ignore
const assessed = [
  'market_value',
  'assessed_value',
  'property_tax_amount',
  'property_tax_percent',
  'assessment_year',
] as const
const ofProperty = (columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((column) => [column, json(`p.${column}`)]))

const mortgage = object({
  amount: json('amount'),
  recorded_date: date('recorded_date'),
  document_date: date('document_date'),
  document_number: json('document_number'),
  lender_name: json('lender_name'),
  loan_type: json('loan_type'),
  position: json('position'),
  due_date: date('due_date'),
})

// An owner whom the rolls name, but who has no person id.
const unresolvedOwner = object({
  id: `'null'`,
  name: json('owner_name'),
  age: `'null'`,
  current_addresses: `'[]'`,
  phones: `'[]'`,
  emails: `'[]'`,
  company_name: `'null'`,
  job_title: `'null'`,
  person_owner_metadata: `'{"details_url":null,"phones":${shown(0, 0)},"emails":${shown(0, 0)},"owned_properties":${shown(0, 0)}}'`,
})

const OWNERS = `
  select property_no, person_no
  from (
    select property_no, person_no, any_value(person_rank) as person_rank, min(owner_sequence) as first_sequence
    from numbered_owners where person_no is not null and not is_guest group by property_no, person_no
  )
  order by property_no, first_sequence, person_rank`
const RESIDENTS =
  'select property_no, person_no from numbered_residents order by property_no, score desc, person_rank'

const DOCUMENTS = `
with
named_owners as (
  select
    property_no,
    string_agg(${object({ name: json('coalesce(businesses.name, owner_name)') })}, ',' order by owner_sequence)
      filter (owners.business_id is not null or owner_type not in ('individual', 'unknown')) as businesses,
    string_agg(${unresolvedOwner}, ',' order by owner_sequence)
      filter (owners.business_id is null and owner_type in ('individual', 'unknown') and owner_name is not null) as unresolved
  from numbered_owners as owners
  left join published.businesses as businesses using (business_id)
  where property_no >= $low and property_no < $high and person_no is null
  group by property_no
),
debts as (
  select property_id, string_agg(${mortgage}, ',' order by position nulls last, recorded_date desc nulls last, document_id) as items
  from published.mortgages
  where property_id in (select property_id from numbered_properties where property_no >= $low and property_no < $high)
  group by property_id
),
pieces as (
  select
    p.property_no,
    concat('{', ${members({ ...identity, property_address: reducedAddress('a'), mailing_address: reducedAddress('m'), ...facts })},
      ',"ownership_info":{', ${members(ownership)},
      ',"business_owners":[', coalesce(named_owners.businesses, ''), '],"person_owners":[') as search_head,
    concat('{', ${members({ ...identity, property_address: fullAddress('a'), mailing_address: fullAddress('m'), ...facts })},
      ',"ownership_info":{', ${members(ownership)},
      ',"business_owners":[', coalesce(named_owners.businesses, ''), '],"person_owners":[') as details_head,
    coalesce(named_owners.unresolved, '') as owners_text,
    concat('],', ${members({ last_sale_amount: json('p.last_sale_amount') })}, ',"mortgages":[', coalesce(debts.items, ''),
      ']},"residents":[') as details_middle,
    concat('],', ${members({ ...ofProperty(characteristics), assessed_info: object(ofProperty(assessed)) })}, ',') as details_tail
  from numbered_properties as p
  left join numbered_addresses as a on a.address_no = p.address_no
  left join numbered_addresses as m on m.address_no = p.mailing_address_no
  left join named_owners using (property_no)
  left join debts on debts.property_id = p.property_id
  where p.property_no >= $low and p.property_no < $high
)
select
  property_no,
  encode(concat(search_head, details_head, owners_text, details_middle, details_tail)) as text,
  strlen(search_head)::integer as search_head_end,
  (search_head_end + strlen(details_head))::integer as details_head_end,
  (details_head_end + strlen(owners_text))::integer as owners_text_end,
  (owners_text_end + strlen(details_middle))::integer as details_middle_end,
  (details_middle_end + strlen(details_tail))::integer as details_tail_end
from pieces
order by property_no` // prettier-ignore
