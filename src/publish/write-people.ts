import type { DuckDBConnection } from '@duckdb/node-api'
import { CAPS, FIELD, HEADER_LENGTH } from '../lookup/format/person-document.ts'
import { type DocumentStarts, DocumentFileWriter } from '../lookup/format/document-file.ts'
import { addressSummary, json, members, object, packedBirth } from './json-sql.ts'
import { rowBatches } from './row-batches.ts'

/**
 * Writes the documents (lookup/format/person-document.ts) of the `count` people with the numbers from `first`
 * on, in the order of their numbers.
 */
export async function writePeople(
  db: DuckDBConnection,
  folder: string,
  { kind, first, count }: { kind: 'people' | 'guests'; first: number; count: number },
  signal: AbortSignal,
): Promise<DocumentStarts> {
  const file = new DocumentFileWriter(folder, kind, count)
  try {
    let document = Buffer.alloc(64 * 1024)
    for await (const rows of rowBatches(db, DOCUMENTS, count, 150_000, signal, first)) {
      const { integers, bytes } = rows
      for (let row = 0; row < rows.count; row++) {
        const text = bytes(FIELD_COUNT + 1, row)
        const length = HEADER_LENGTH + text.length
        if (length > document.length) document = Buffer.alloc(length * 2)
        // The query has the fields in the order of FIELD.
        for (let field = 0; field < FIELD_COUNT; field++) {
          const value = integers(field + 1, row)
          document.writeUInt32LE(NUMBERS.has(field) ? value : value + HEADER_LENGTH, field * 4)
        }
        document.set(text, HEADER_LENGTH)
        file.add(integers(0, row) - first, document.subarray(0, length))
      }
    }
    return file.end()
  } finally {
    file.close()
  }
}

/** The fields that are no offsets. Offsets of the query begin at the text, those of the document at the header. */
const NUMBERS: ReadonlySet<number> = new Set([
  FIELD.BIRTH,
  FIELD.COMPLETENESS,
  FIELD.PHONE_COUNT,
  FIELD.EMAIL_COUNT,
  FIELD.OWNED_COUNT,
  FIELD.IS_WHOLE,
])
const FIELD_COUNT = HEADER_LENGTH / 4

/**
 * Returns SQL for the items of `table` per person: one text of all items, and the length of its first `cap`
 * items. `order` has the sort keys, all ascending. The lists are sorted after the aggregation, because that
 * is much cheaper for DuckDB than an ordered list() aggregate.
 */
function list(
  table: string,
  item: string,
  order: readonly string[],
  cap: number,
  where = 'true',
  join = '',
): string {
  const keys = order.map((key, index) => `'k${index}': ${key}`).join(', ')
  return `
    select person_no, len(items)::integer as count, array_to_string(items, ',') as text,
      case when len(items) <= ${cap} then strlen(text) else strlen(array_to_string(items[:${cap}], ',')) end::integer as capped
    from (
      select person_no, list_transform(list_sort(list({${keys}, 'item': ${item}})), lambda one: one.item) as items
      from ${table} as links ${join}
      where person_no >= $low and person_no < $high and ${where}
      group by person_no
    )`
}

const NEWEST_FIRST = (column: string): string => `-coalesce(epoch(${column}), 0)`

const ADDRESSES = 'join numbered_addresses as addresses using (address_no)'
const ADDRESS_ORDER = ['-score', NEWEST_FIRST('links.last_seen_on'), 'address_id']
const metadata = (count: string, cap: number): string =>
  object({ displayed: `least(${count}, ${cap})`, additional: `greatest(${count} - ${cap}, 0)` })

const DOCUMENTS = `
with
phones as (${list('numbered_person_phones', object({ number: json(`concat('(', substr(phone, 2, 3), ') ', substr(phone, 5, 3), '-', substr(phone, 8))`), type: json('line_type'), score: 'score' }), ['-score', NEWEST_FIRST('last_seen_on'), 'phone'], CAPS.phones)}),
emails as (${list('numbered_person_emails', object({ email: json('email'), score: 'score' }), ['-score', 'email'], CAPS.emails)}),
currents as (${list('numbered_person_addresses', addressSummary('addresses'), ADDRESS_ORDER, 1, 'is_current', ADDRESSES)}),
historics as (${list('numbered_person_addresses', addressSummary('addresses'), ADDRESS_ORDER, CAPS.historic_addresses, 'not is_current', ADDRESSES)}),
owned as (${list('numbered_owned', object({ id: json('property_id'), address: json('full_address') }), [NEWEST_FIRST('sale_date'), 'property_id'], CAPS.owned_properties)}),
relatives as (${list('numbered_relatives', object({ id: json('person_id'), name: json('name') }), ['-score', 'person_id'], 1)}),
pieces as (
  select
    people.person_no,
    ${packedBirth('people')} as birth,
    coalesce(people.completeness, 0) as completeness,
    concat('{', ${members({ id: json('people.person_id'), name: json('people.name') })}) as name_piece,
    concat(',', ${members({ aliases: json('coalesce(people.aliases, [])'), is_dead: json('coalesce(people.is_dead, false)') })}, ',"age":') as head_piece,
    concat(',', ${members({ date_of_birth: json('people.date_of_birth'), linkedin_url: json('people.linkedin_url') })}) as link_piece,
    concat(',', ${members({ company_name: json('people.company_name'), job_title: json('people.job_title') })}) as job_piece,
    coalesce(phones.text, '') as phones, coalesce(phones.capped, 0) as phones_cap, coalesce(phones.count, 0) as phone_count,
    coalesce(emails.text, '') as emails, coalesce(emails.capped, 0) as emails_cap, coalesce(emails.count, 0) as email_count,
    coalesce(currents.text, '') as currents,
    coalesce(historics.text, '') as historics, coalesce(historics.capped, 0) as historics_cap, coalesce(historics.count, 0) as historic_count,
    coalesce(owned.text, '') as owned, coalesce(owned.capped, 0) as owned_cap, coalesce(owned.count, 0) as owned_count,
    coalesce(relatives.text, '') as relatives,
    ',"phones":[' as open_phones, '],"emails":[' as open_emails, '],"current_addresses":[' as open_currents,
    '],"historic_addresses":[' as open_historics, '],"owned_properties":[' as open_owned, '],"relatives":[' as open_relatives,
    concat(',"result_metadata":', ${object({
      details_url: `concat('"/v2/person/', people.person_id, '"')`,
      phones: metadata('phone_count', CAPS.phones),
      emails: metadata('email_count', CAPS.emails),
      historic_addresses: metadata('historic_count', CAPS.historic_addresses),
      owned_properties: metadata('owned_count', CAPS.owned_properties),
    })}, '}') as metadata_piece
  from numbered_people as people
  left join phones using (person_no)
  left join emails using (person_no)
  left join currents using (person_no)
  left join historics using (person_no)
  left join owned using (person_no)
  left join relatives using (person_no)
  where people.person_no >= $low and people.person_no < $high
)
select
  person_no,
  birth,
  completeness,
  strlen(name_piece)::integer as name_end,
  (name_end + strlen(head_piece))::integer as head_end,
  (head_end + strlen(link_piece))::integer as link_end,
  (link_end + strlen(job_piece))::integer as job_end,
  (job_end + strlen(open_phones))::integer as phones_start,
  (phones_start + phones_cap)::integer as phones_cap_end,
  (phones_start + strlen(phones))::integer as phones_end,
  (phones_end + strlen(open_emails))::integer as emails_start,
  (emails_start + emails_cap)::integer as emails_cap_end,
  (emails_start + strlen(emails))::integer as emails_end,
  (emails_end + strlen(open_currents))::integer as current_start,
  (current_start + strlen(currents))::integer as current_end,
  (current_end + strlen(open_historics))::integer as historic_start,
  (historic_start + historics_cap)::integer as historic_cap_end,
  (historic_start + strlen(historics))::integer as historic_end,
  (historic_end + strlen(open_owned))::integer as owned_start,
  (owned_start + owned_cap)::integer as owned_cap_end,
  (owned_start + strlen(owned))::integer as owned_end,
  (owned_end + strlen(open_relatives) + strlen(relatives) + 1)::integer as relatives_end,
  (relatives_end + strlen(metadata_piece))::integer as metadata_end,
  phone_count,
  email_count,
  owned_count,
  case when phone_count <= ${CAPS.phones} and email_count <= ${CAPS.emails} and historic_count <= ${CAPS.historic_addresses} and owned_count <= ${CAPS.owned_properties} then 1 else 0 end as is_whole,
  encode(concat(name_piece, head_piece, link_piece, job_piece, open_phones, phones, open_emails, emails, open_currents, currents,
    open_historics, historics, open_owned, owned, open_relatives, relatives, ']', metadata_piece)) as text
from pieces
order by person_no` // prettier-ignore
