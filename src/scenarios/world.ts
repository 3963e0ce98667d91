import type { PublishedName } from '../publish/tables.ts'

export type Row = Record<string, unknown>
export type Rows = Partial<Record<PublishedName, Row[]>>

const COUNTY = { county_fips: '48453', county_name: 'Travis', state: 'TX' }
const SEEN_ON = '2026-05-01'
const CARRIER = 'Invented Telephone Co'

/**
 * Returns the rows of `published.*` from which test keys are answered. All names are invented, all phones are 555
 * numbers, and all e-mail addresses belong to example.com. `scenarios.ts` lists what callers can rely on.
 */
export function scenarioRows(): Rows {
  const rows: Rows = {
    people: [], person_names: [], addresses: [], person_addresses: [], phones: [], person_phones: [], person_emails: [],
    phone_names: [], properties: [], property_owners: [], residents: [], relatives: [], businesses: [],
    business_addresses: [], business_phones: [], mortgages: [], deed_events: [], person_redirects: [], coverage: [],
  } // prettier-ignore
  const add = (table: PublishedName, ...more: Row[]): void => void rows[table]?.push(...more)

  const address = (n: number, house_number: string, unit: string | null = null): string => {
    const address_id = id('A', n)
    const line1 = `${house_number} Example Ave${unit === null ? '' : ` Apt ${unit}`}`
    add('addresses', {
      address_id, full_address: `${line1}, Austin, TX 78701`, line1, city: 'Austin', state: 'TX', zip: '78701',
      house_number, street_name: 'EXAMPLE', street_suffix: 'AVE', unit_type: unit === null ? null : 'APT', unit_number: unit,
      building_key: `${house_number} EXAMPLE AVE|78701`, county_fips: COUNTY.county_fips, county_name: COUNTY.county_name,
      latitude: 30.27 + n / 10_000, longitude: -97.74, location_precision: 'rooftop',
    }) // prettier-ignore
    return address_id
  }
  const person = (n: number, first: string, middle: string | null, last: string, facts: Row = {}): string => {
    const person_id = id('P', n)
    const parts = { first_name: first.toUpperCase(), middle_name: middle?.toUpperCase() ?? null, last_name: last.toUpperCase() } // prettier-ignore
    add('people', {
      person_id, name: [first, middle, last].filter((part) => part !== null).join(' '), ...parts, aliases: [], is_dead: false,
      completeness: 50, source_count: 1, mention_count: 1, ...facts,
    }) // prettier-ignore
    add('person_names', { person_id, ...parts, is_primary: true })
    return person_id
  }
  const lives = (person_id: string, address_id: string, score: number, is_current = true): void =>
    add('person_addresses', { person_id, address_id, is_current, score, first_seen_on: '2015-01-01', last_seen_on: SEEN_ON }) // prettier-ignore
  const number = (phone: string, line_type: string): void => {
    if (rows.phones?.some((row) => row['phone'] === phone) === true) return
    const national_format = `(${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`
    add('phones', { phone, national_format, line_type, carrier: CARRIER })
  }
  const hasPhone = (person_id: string, phone: string, line_type: string, score: number): void => {
    add('person_phones', { person_id, phone, line_type, score, last_seen_on: SEEN_ON })
    number(phone, line_type)
  }
  const hasEmail = (person_id: string, email: string, score: number): void =>
    add('person_emails', { person_id, email, score, last_seen_on: SEEN_ON })

  const home = address(1, '100')
  const flat = address(2, '200', '5')
  const shop = address(3, '300')

  // Ada has more phones, e-mails and past addresses than a search shows.
  const ada = person(1, 'Ada', 'Marie', 'Sample', {
    date_of_birth: '1980-05-17', aliases: ['Ada Specimen'], completeness: 95, company_name: 'Example Widgets',
    job_title: 'Engineer', linkedin_url: 'linkedin.com/in/example-ada-sample',
  }) // prettier-ignore
  add('person_names', { person_id: ada, first_name: 'ADA', last_name: 'SPECIMEN', is_primary: false })
  const bert = person(2, 'Bert', null, 'Sample', { date_of_birth: '1978-11-02', completeness: 80 })
  const walter = person(3, 'Walter', null, 'Sample', { date_of_birth: '1931-02-03', is_dead: true, completeness: 40 }) // prettier-ignore
  const minnie = person(4, 'Minnie', null, 'Minimal', { completeness: 5 })
  for (const [one, at, score] of [[ada, home, 98], [bert, home, 90], [walter, flat, 50], [minnie, flat, 60]] as const) lives(one, at, score) // prettier-ignore
  for (let n = 1; n <= 7; n += 1) lives(ada, address(10 + n, String(400 + n)), 60 - n, false)
  hasPhone(ada, '15125550100', 'landline', 80)
  hasPhone(bert, '15125550100', 'landline', 85)
  hasPhone(ada, '15125550101', 'mobile', 96)
  for (let n = 2; n <= 5; n += 1) hasPhone(ada, `1512555010${n}`, 'voip', 60 - n)
  for (const [n, user] of ['ada.sample', 'asample', 'ada80', 'ada', 'a.m.sample'].entries()) hasEmail(ada, `${user}@example.com`, 90 - 10 * n) // prettier-ignore
  add('relatives', ...[[ada, bert], [bert, ada]].map(([person_id, relative_id]) => ({ person_id, relative_id, reason: 'spouse', score: 90 }))) // prettier-ignore
  add('person_redirects', { old_person_id: id('P', 99), person_id: ada, merged_on: '2026-01-02', reason: 'merged' }) // prettier-ignore

  // Eighteen people of one name fill more than a page. The first twelve share a phone, more than a phone lookup shows.
  const tower = address(30, '600')
  for (let n = 0; n < 18; n += 1) {
    const casey = person(20 + n, 'Casey', null, 'Common', { date_of_birth: `${1960 + n}-06-01`, completeness: 20 + n }) // prettier-ignore
    lives(casey, tower, 50)
    if (n < 12) hasPhone(casey, '15125550110', 'landline', 50 + n)
  }

  const business_id = id('B', 1)
  add('businesses', { business_id, name: 'Example Widgets LLC', business_type: 'llc' })
  add('business_addresses', { business_id, address_id: shop, is_historical: false })
  add('business_phones', { business_id, phone: '15125550120', last_seen_on: SEEN_ON })
  number('15125550120', 'voip')
  add('phone_names', { phone: '15125550121', name: 'Yolanda', score: 40, last_seen_on: SEEN_ON })
  number('15125550121', 'mobile')

  const property = (n: number, address_id: string | null, facts: Row): string => {
    const property_id = id('R', n)
    const at = rows.addresses?.find((row) => row['address_id'] === address_id)
    add('properties', {
      property_id, ...COUNTY, apn: `TEST-${n}`, address_id, is_vacant: false, has_pool: false,
      latitude: at?.['latitude'] ?? null, longitude: at?.['longitude'] ?? null, ...facts,
    }) // prettier-ignore
    return property_id
  }
  const house = property(1, home, {
    property_purpose: 'single_family', owner_occupied: 'OwnerOccupied', owner_type: 'individual', bedrooms: 3, bathrooms: 2,
    living_sqft: 1_500, lot_sqft: 6_000, year_built: 1998, market_value: 410_000, assessed_value: 400_000,
    property_tax_amount: 8_200, property_tax_percent: 2, assessment_year: 2025, sale_date: '2015-03-02',
    last_sale_amount: 265_000, legal_description: 'LOT 1 BLOCK A EXAMPLE SUBDIVISION',
  }) // prettier-ignore
  for (const [n, person_id] of [ada, bert].entries()) {
    add('property_owners', { property_id: house, owner_sequence: n + 1, person_id, owner_name: 'SAMPLE', owner_type: 'individual' }) // prettier-ignore
    add('residents', { property_id: house, person_id, score: 90 - n })
  }
  add('mortgages', {
    property_id: house, document_id: 'TEST-M1', amount: 200_000, recorded_date: '2015-03-05', document_date: '2015-03-02',
    document_number: 'TEST-M1', lender_name: 'Example Savings Bank', loan_type: 'mortgage', position: 1,
  }) // prettier-ignore
  const store = property(2, shop, { property_purpose: 'commercial', owner_occupied: 'AbsenteeOwner', owner_type: 'business' }) // prettier-ignore
  add('property_owners', { property_id: store, owner_sequence: 1, business_id, owner_name: 'EXAMPLE WIDGETS LLC', owner_type: 'business' }) // prettier-ignore
  property(3, null, { property_purpose: 'vacant_land', is_vacant: true, owner_type: 'unknown' })

  const deed = (n: number, event_type: string, recorded_date: string, property_id: string, facts: Row): void =>
    add('deed_events', {
      event_id: `00000000-0000-5000-8000-00000000000${n}`, event_type, ...COUNTY, property_id,
      address_id: rows.properties?.find((row) => row['property_id'] === property_id)?.['address_id'] ?? null,
      apn: rows.properties?.find((row) => row['property_id'] === property_id)?.['apn'] ?? null,
      document_id: `TEST-D${n}`, document_text: 'Warranty Deed', recorded_date, instrument_date: recorded_date,
      parcel_count: 1, transaction_reason: 'sale', transaction_reason_text: 'a price is recorded', is_void: false,
      told_by: 'recorder', parties: [], ...facts,
    }) // prettier-ignore
  deed(1, 'deed.transfer', '2026-03-02', house, {
    consideration: 265_000,
    parties: [
      party('grantor', 'EXAMPLE WIDGETS LLC', 'llc', null, '300 Example Ave, Austin, TX 78701'),
      party('grantee', 'ADA SAMPLE', 'individual', ada),
      party('grantee', 'BERT SAMPLE', 'individual', bert),
    ],
  }) // prettier-ignore
  deed(2, 'deed.quitclaim', '2026-04-10', store, { document_text: 'Quitclaim Deed', transaction_reason: 'nominal', transaction_reason_text: 'quitclaim', parties: [party('grantor', 'WALTER SAMPLE', 'individual', walter), party('grantee', 'EXAMPLE WIDGETS LLC', 'llc')] }) // prettier-ignore
  deed(3, 'deed.correction', '2026-04-20', store, { document_text: 'Correction Deed', transaction_reason: 'correction', transaction_reason_text: 'correction' }) // prettier-ignore
  add('coverage', { source_id: 'scenarios', county_fips: COUNTY.county_fips, parcel_count: 3, deed_count: 3, person_mention_count: 22, newest_on: SEEN_ON }) // prettier-ignore
  return rows
}

function party(
  role: string,
  name: string,
  type: string,
  person_id: string | null = null,
  full_address: string | null = null,
): Row {
  return { role, name, type, person_id, full_address }
}

/** Returns ids like `PTEST000001`: readable, and valid. */
function id(letter: 'A' | 'B' | 'P' | 'R', n: number): string {
  return `${letter}TEST${String(n).padStart(6, '0')}`
}
