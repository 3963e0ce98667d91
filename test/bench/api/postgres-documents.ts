// The documents of the interface, put together by PostgreSQL from its tables when they are asked for: the same members with
// the same lists, order and caps as Platbook's (a test of the bench compares them). `p` is the person's row.

import { CAPS } from '../../../src/lookup/format/person-document.ts'
import { RESIDENT_LIMIT } from '../../../src/lookup/format/property-document.ts'

const ALL = 1_000_000

/** One list of a person: its first `cap` items as JSON, and how many there are. */
function list(name: string, item: string, order: string, from: string, cap: number): string {
  return `cross join lateral (
    select coalesce(json_agg(${item} order by place) filter (where place <= ${cap}), '[]') as items, count(*)::integer as total
    from (select *, row_number() over (order by ${order}) as place from ${from}) as ranked
  ) as ${name}`
}

const NEWEST = "coalesce(last_seen_on, date '1970-01-01') desc"
const ADDRESS = `json_build_object('address_id', address_id, 'full_address', coalesce(full_address, ''), 'city', coalesce(city, ''),
  'state', coalesce(state, ''), 'line1', coalesce(line1, ''), 'zip', coalesce(zip, ''))`
const addresses = (isCurrent: boolean): string =>
  `(select * from person_addresses join addresses using (address_id) where person_id = p.person_id and ${isCurrent ? '' : 'not '}is_current) as mine`

/** `pinned` is SQL of a phone that stands first. */
const phones = (cap: number, pinned = 'null'): string =>
  list(
    'phones',
    `json_build_object('number', national_format, 'type', coalesce(line_type, 'unknown'), 'score', score)`,
    `(phone = ${pinned}) is true desc, score desc, ${NEWEST}, phone`,
    '(select * from person_phones where person_id = p.person_id) as mine',
    cap,
  )
const emails = (cap: number): string =>
  list(
    'emails',
    `json_build_object('email', email, 'score', score)`,
    'score desc, email',
    '(select * from person_emails where person_id = p.person_id) as mine',
    cap,
  )
const currents = list('currents', ADDRESS, `score desc, ${NEWEST}, address_id`, addresses(true), ALL)
const historics = (cap: number): string =>
  list('historics', ADDRESS, `score desc, ${NEWEST}, address_id`, addresses(false), cap)
const owned = (cap: number): string =>
  list(
    'owned',
    `json_build_object('id', property_id, 'address', full_address)`,
    `coalesce(sale_date, date '1970-01-01') desc, property_id`,
    `(select distinct property_id, sale_date, coalesce(full_address, concat_ws(', ', 'Parcel ' || apn, properties.county_name, properties.state)) as full_address
      from property_owners join properties using (property_id) left join addresses using (address_id)
      where property_owners.person_id = p.person_id) as mine`,
    cap,
  )
const RELATIVES = list(
  'relatives',
  `json_build_object('id', relative_id, 'name', name)`,
  'score desc, relative_id',
  `(select relative_id, score, relative.name from relatives join people as relative on relative.person_id = relative_id
    where relatives.person_id = p.person_id) as mine`,
  ALL,
)

const AGE = `case when not p.is_dead then extract(year from age($1::date, p.birth_on))::integer end`
const shown = (name: string, cap: number): string =>
  `json_build_object('displayed', least(${name}.total, ${cap}), 'additional', greatest(${name}.total - ${cap}, 0))`

const FACTS = `'id', p.person_id, 'name', p.name, 'aliases', p.aliases, 'is_dead', p.is_dead, 'age', ${AGE},
  'date_of_birth', p.date_of_birth, 'linkedin_url', p.linkedin_url, 'company_name', p.company_name, 'job_title', p.job_title`
const LISTS = `'phones', phones.items, 'emails', emails.items, 'current_addresses', currents.items,
  'historic_addresses', historics.items, 'owned_properties', owned.items, 'relatives', relatives.items`

/** The lists that `DETAILS` is made of, as joins behind people `p`. */
export const DETAILS_LISTS = [phones(ALL), emails(ALL), currents, historics(ALL), owned(ALL), RELATIVES].join('\n') // prettier-ignore
export const DETAILS = `json_build_object(${FACTS}, ${LISTS})`

export const resultLists = (pinned?: string): string =>
  [
    phones(CAPS.phones, pinned),
    emails(CAPS.emails),
    currents,
    historics(CAPS.historic_addresses),
    owned(CAPS.owned_properties),
    RELATIVES,
  ].join('\n')

/** A result of a search; `matchedBy` is a list of SQL texts. */
export const result = (matchScore: string, matchedBy: string): string => `json_build_object(${FACTS},
  'match_score', ${matchScore}, 'matched_by', json_build_array(${matchedBy}), ${LISTS},
  'result_metadata', json_build_object('details_url', '/v2/person/' || p.person_id, 'phones', ${shown('phones', CAPS.phones)},
    'emails', ${shown('emails', CAPS.emails)}, 'historic_addresses', ${shown('historics', CAPS.historic_addresses)},
    'owned_properties', ${shown('owned', CAPS.owned_properties)}))`

const OWNED_COUNT = `cross join lateral (select count(distinct property_id)::integer as total from property_owners where person_id = p.person_id) as owned`

const occupant = (
  metadata: string,
): string => `json_build_object('id', p.person_id, 'name', p.name, 'age', ${AGE},
  'current_addresses', currents.items, 'phones', phones.items, 'emails', emails.items,
  'company_name', p.company_name, 'job_title', p.job_title,
  '${metadata}', json_build_object('details_url', '/v2/person/' || p.person_id, 'phones', ${shown('phones', CAPS.phones)},
    'emails', ${shown('emails', CAPS.emails)}, 'owned_properties', ${shown('owned', 0)}))`
const OCCUPANT_LISTS = [phones(CAPS.phones), emails(CAPS.emails), currents, OWNED_COUNT].join('\n')

const SUMMARY = (of: string): string =>
  `case when ${of}.address_id is not null then json_build_object('full_address', coalesce(${of}.full_address, ''), 'line1', coalesce(${of}.line1, ''),
    'city', coalesce(${of}.city, ''), 'state', coalesce(${of}.state, ''), 'zip', coalesce(${of}.zip, ''), 'address_id', ${of}.address_id) end`

/** The form of a property search of the row `r` of properties, its address `a` and its mailing address `m`; `grade` is SQL. */
export const property = (grade: string): string => `json_build_object(
  'property_id', r.property_id, 'address_id', r.address_id, 'apn', r.apn,
  'property_address', ${SUMMARY('a')}, 'mailing_address', ${SUMMARY('m')},
  'property_purpose', r.property_purpose, 'owner_occupied', r.owner_occupied, 'is_vacant', r.is_vacant,
  'geolocation', case when r.latitude is not null and r.longitude is not null then json_build_object('lat', r.latitude, 'lng', r.longitude)
    when a.latitude is not null and a.longitude is not null then json_build_object('lat', a.latitude, 'lng', a.longitude) end,
  'ownership_info', json_build_object('owner_type', coalesce(r.owner_type, 'unknown'), 'sale_date', r.sale_date,
    'business_owners', json_build_array(),
    'person_owners', (select coalesce(json_agg(${occupant('person_owner_metadata')} order by place), '[]')
      from (select person_id, row_number() over (order by min(owner_sequence), max(people.completeness) desc, person_id) as place
        from property_owners join people using (person_id) where property_id = r.property_id group by person_id) as mine
      join people as p using (person_id) ${OCCUPANT_LISTS})),
  'residents', (select coalesce(json_agg(${occupant('resident_metadata')} order by place), '[]')
    from (select person_id, row_number() over (order by score desc, people.completeness desc, person_id) as place
      from residents join people using (person_id) where property_id = r.property_id order by place limit ${RESIDENT_LIMIT}) as mine
    join people as p using (person_id) ${OCCUPANT_LISTS}),
  'property_metadata', json_build_object('confidence_score', ${grade}, 'match_type', case when ${grade} = 100 then 'exact' else 'best match' end,
    'details_url', '/v2/property/' || r.property_id))`
