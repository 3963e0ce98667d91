import type { PublishedRows } from './published.ts'
import type { Cell } from './warehouse.ts'

/** The day that the tests of lookups ask on. */
export const PUBLISHED_ON = '2026-06-01'

/** Who and what the invented world is asked for by name; everyone else is filler. All invented, phones in 555 exchanges. */
export const INVENTED = {
  /** Lives at 123 N Main St Apt 4, Austin; owns that flat and 125 N Main St; six phones, five e-mails, seven past addresses. */
  jane: 'P0000000001',
  /** Jane's husband: same flat, shares her landline. */
  john: 'P0000000002',
  /** Another John Smith, in Miami. */
  johnInMiami: 'P0000000003',
  /** Died; birth date known. */
  walter: 'P0000000004',
  /** Only a birth year. */
  maria: 'P0000000005',
  /** No birth date; an alias under her maiden name, Nguyen. */
  linh: 'P0000000006',
  /** Catherine; written Katherine nowhere. */
  catherine: 'P0000000007',
  /** Jonathan, lives next door to Jane. */
  jonathan: 'P0000000008',
  /** Merged into Jane. */
  mergedIntoJane: 'P0000000099',
  janesPhone: '15125550101',
  /** Jane's and John's. */
  sharedPhone: '15125550100',
  businessPhone: '13055550170',
  /** Twelve people share it. */
  crowdedPhone: '17185550199',
  /** A business's and, by a name that is no person's, Yolanda's. */
  namedPhone: '13055550171',
  /** Assigned to nobody. */
  unknownPhone: '12065550142',
  janesEmail: 'jane.smith@example.com',
  /** 123 N Main St Apt 4. */
  flat: 'R0000000001',
  /** 125 N Main St, owned by Jane, let to Jonathan. */
  house: 'R0000000002',
  /** 200 N Main St, owned by a business. */
  shop: 'R0000000003',
  /** A parcel without an address. */
  lot: 'R0000000004',
  /** 45-12 Bell Blvd, Queens: a trust's, seventeen residents, no point on the roll. */
  tower: 'R0000000020',
  flatAddress: 'A0000000001',
  /** 123 N Main St Apt 5: nobody's parcel, but in the flat's building. */
  neighbourAddress: 'A0000000002',
} as const

type Row = Record<string, Cell>

interface AddressParts {
  house: string
  pre?: string
  street: string
  suffix: string
  building?: string
  unit?: string
  city: string
  state: string
  zip: string
  county: [fips: string, name: string]
  at?: [latitude: number, longitude: number]
}

const TRAVIS: [string, string] = ['48453', 'Travis']
const MIAMI_DADE: [string, string] = ['12086', 'Miami-Dade']
const QUEENS: [string, string] = ['36081', 'Queens']

/** Rows of every published table of the invented world: 69 people, 40 addresses, 13 properties, 3 businesses. */
export function inventedWorld(): PublishedRows {
  const world = new World()
  addAustin(world)
  addMiami(world)
  addQueens(world)
  addFillers(world)
  addCoverage(world)
  return world.rows
}

function addAustin(world: World): void {
  const main = {
    pre: 'N',
    street: 'MAIN',
    suffix: 'ST',
    city: 'AUSTIN',
    state: 'TX',
    zip: '78701',
    county: TRAVIS,
  }
  const flat = world.address(1, { ...main, house: '123', unit: '4', at: [30.2701, -97.7431] })
  const neighbour = world.address(2, { ...main, house: '123', unit: '5', at: [30.2701, -97.7431] })
  const house = world.address(3, { ...main, house: '125', at: [30.2703, -97.7431] })
  const shop = world.address(4, { ...main, house: '200', at: [30.2712, -97.743] })
  const oak = world.address(5, { house: '301', street: 'OAK', suffix: 'AVE', city: 'AUSTIN', state: 'TX', zip: '78704', county: TRAVIS, at: [30.243, -97.765] }) // prettier-ignore
  const jane = world.person(1, 'JANE', 'ANN', 'SMITH', { date_of_birth: '1980-05-17', completeness: 95, company_name: 'Invented Widgets', job_title: 'Engineer', linkedin_url: 'linkedin.com/in/invented-jane-smith' }) // prettier-ignore
  world.alias(jane, 'JANE', null, 'DOE')
  world.lives(jane, flat, 98)
  for (let n = 1; n <= 7; n++) {
    const past = world.address(10 + n, { house: String(400 + n), street: 'ELM', suffix: 'ST', city: 'ROUND ROCK', state: 'TX', zip: '78664', county: ['48491', 'Williamson'], at: [30.508 + n / 1000, -97.678] }) // prettier-ignore
    world.livedAt(jane, past, 60 - n)
  }
  world.phone(jane, '15125550101', 'mobile', 96)
  world.phone(jane, INVENTED.sharedPhone, 'landline', 80)
  for (let n = 2; n <= 5; n++) world.phone(jane, `1512555010${n}`, 'voip', 60 - n)
  for (const [n, user] of ['jane.smith', 'jsmith', 'jane.doe', 'jane80', 'jas'].entries()) world.email(jane, `${user}@example.com`, 90 - 10 * n) // prettier-ignore
  const john = world.person(2, 'JOHN', 'Q', 'SMITH', { date_of_birth: '1978-11-02', completeness: 80 })
  world.lives(john, flat, 90)
  world.phone(john, INVENTED.sharedPhone, 'landline', 85)
  world.relatives(jane, john, 'spouse')
  const jonathan = world.person(8, 'JONATHAN', null, 'SMYTHE', {
    date_of_birth: '1990-01-31',
    completeness: 60,
  })
  world.lives(jonathan, house, 88)
  world.lives(world.person(7, 'CATHERINE', 'R', 'OBRIEN', { date_of_birth: '1965-07-04', completeness: 70 }), oak, 91) // prettier-ignore
  world.lives(world.person(4, 'WALTER', null, 'GRAVES', { date_of_birth: '1931-02-03', is_dead: true, completeness: 40 }), oak, 50) // prettier-ignore
  world.property(1, TRAVIS, 'TX', flat, { property_purpose: 'condominium', owner_occupied: 'OwnerOccupied', bedrooms: 2, bathrooms: 1.5, year_built: 1998, market_value: 410000, assessed_value: 400000, property_tax_amount: 8200, property_tax_percent: 2, assessment_year: 2025, sale_date: '2015-03-02', last_sale_amount: 265000, owner_type: 'individual' }) // prettier-ignore
  world.owners(INVENTED.flat, [jane, john])
  world.residents(INVENTED.flat, [jane, john])
  world.property(2, TRAVIS, 'TX', house, { property_purpose: 'single_family', owner_occupied: 'AbsenteeOwner', owner_type: 'individual', mailing_address_id: flat }) // prettier-ignore
  world.owners(INVENTED.house, [jane])
  world.residents(INVENTED.house, [jonathan])
  world.property(3, TRAVIS, 'TX', shop, { property_purpose: 'commercial', owner_type: 'business' })
  world.businessOwner(INVENTED.shop, world.business(1, 'Invented Widgets LLC', shop, null))
  world.property(4, TRAVIS, 'TX', null, { property_purpose: 'vacant_land', is_vacant: true })
  world.mortgage(INVENTED.flat, 'M-1', 212000)
  world.rows.person_redirects!.push({ old_person_id: INVENTED.mergedIntoJane, person_id: jane, merged_on: '2026-05-01', reason: 'merged' }) // prettier-ignore
  world.lives(world.person(9, 'PETER', null, 'FLATT', { completeness: 10 }), neighbour, 30)
}

function addMiami(world: World): void {
  for (const [n, building] of ['BLDG 4', 'BLDG 5'].entries()) {
    const flat = world.address(60 + n, { house: '55', street: 'PALM', suffix: 'CT', building, unit: '12', city: 'MIAMI BEACH', state: 'FL', zip: '33139', county: MIAMI_DADE, at: [25.774, -80.132] }) // prettier-ignore
    world.property(30 + n, MIAMI_DADE, 'FL', flat, { property_purpose: 'condominium' })
  }
  const beach = world.address(20, { house: '9', street: 'OCEAN', suffix: 'DR', city: 'MIAMI BEACH', state: 'FL', zip: '33139', county: MIAMI_DADE, at: [25.773, -80.131] }) // prettier-ignore
  const office = world.address(21, { house: '77', street: 'COLLINS', suffix: 'AVE', city: 'MIAMI BEACH', state: 'FL', zip: '33139', county: MIAMI_DADE, at: [25.77, -80.132] }) // prettier-ignore
  const john = world.person(3, 'JOHN', 'ROBERT', 'SMITH', { date_of_birth: '1955-09-09', completeness: 75 })
  world.lives(john, beach, 93)
  world.livedAt(john, 'A0000000003', 40)
  const maria = world.person(5, 'MARIA', 'DEL CARMEN', 'DE LA CRUZ', {
    date_of_birth: '1970-00-00',
    completeness: 55,
  })
  world.lives(maria, beach, 70)
  const linh = world.person(6, 'LINH', null, 'TRAN', { completeness: 35 })
  world.alias(linh, 'LINH', null, 'NGUYEN')
  world.lives(linh, office, 65)
  world.property(5, MIAMI_DADE, 'FL', beach, { property_purpose: 'single_family', owner_occupied: 'OwnerOccupied', owner_type: 'individual' }) // prettier-ignore
  world.owners('R0000000005', [john])
  world.residents('R0000000005', [john, maria])
  const clinic = world.business(2, 'Ocean Clinic Inc', office, INVENTED.businessPhone)
  world.rows.business_phones!.push({
    business_id: clinic,
    phone: INVENTED.namedPhone,
    last_seen_on: '2024-05-01',
  })
  world.rows.phone_names!.push({
    phone: INVENTED.namedPhone,
    name: 'Yolanda',
    score: 40,
    last_seen_on: '2025-05-01',
  })
  world.number(INVENTED.namedPhone, 'mobile', 'Invented Telephone Co')
}

function addQueens(world: World): void {
  const bell = world.address(22, { house: '45-12', street: 'BELL', suffix: 'BLVD', city: 'BAYSIDE', state: 'NY', zip: '11361', county: QUEENS, at: [40.763, -73.771] }) // prettier-ignore
  // A house of the Queens County, without a point of its own on the roll; twelve tenants and five more.
  world.property(20, QUEENS, 'NY', bell, { property_purpose: 'multi_family', owner_type: 'trust', latitude: null, longitude: null, owner_occupied: 'AbsenteeOwner' }) // prettier-ignore
  world.rows.property_owners!.push({ property_id: INVENTED.tower, owner_sequence: 1, owner_name: 'Unknown Heirs', owner_type: 'unknown' }) // prettier-ignore
  for (let n = 0; n < 5; n++) {
    const person = world.person(42 + n, 'LODGER', null, `QUIET${'ABCDE'[n]!}`, { completeness: 5 })
    world.lives(person, bell, 20)
  }
  world.residents(
    INVENTED.tower,
    Array.from({ length: 17 }, (_, n) => `P${String(30 + n).padStart(10, '0')}`),
  )
  for (let n = 0; n < 12; n++) {
    const person = world.person(30 + n, 'TENANT', null, `CROWD${'ABCDEFGHIJKL'[n]!}`, { date_of_birth: `${1950 + n}-06-01`, completeness: 20 + n }) // prettier-ignore
    world.lives(person, bell, 50)
    world.phone(person, INVENTED.crowdedPhone, 'landline', 50 + n)
  }
}

function addFillers(world: World): void {
  const first = ['ROBERT', 'LINDA', 'MICHAEL', 'SUSAN', 'DAVID', 'KAREN', 'JAMES', 'PATRICIA']
  const last = ['JOHNSON', 'WILLIAMS', 'BROWN', 'JONES', 'GARCIA']
  for (let n = 0; n < 43; n++) {
    const at: AddressParts = { house: String(1000 + 2 * (n % 17)), street: 'CEDAR', suffix: 'LN', city: 'AUSTIN', state: 'TX', zip: '78745', county: TRAVIS, at: [30.21 + (n % 17) / 10_000, -97.79] } // prettier-ignore
    const address = n < 17 ? world.address(40 + n, at) : `A00000000${40 + (n % 17)}`
    const birth = `${1950 + n}-0${1 + (n % 9)}-15`
    const person = world.person(50 + n, first[n % 8]!, n % 3 === 0 ? 'LEE' : null, last[n % 5]!, { date_of_birth: birth, completeness: 30 + n }) // prettier-ignore
    world.lives(person, address, 50 + (n % 40))
    if (n % 2 === 0) world.phone(person, `1512555${String(2000 + n)}`, 'mobile', 70)
    if (n % 3 === 0) world.email(person, `filler${n}@example.com`, 60)
    if (n < 7) {
      world.property(6 + n, TRAVIS, 'TX', address, {
        property_purpose: 'single_family',
        owner_type: 'individual',
      })
      world.owners(`R${String(6 + n).padStart(10, '0')}`, [person])
    }
  }
}

// Rolls of Travis, deeds of Miami-Dade, rolls of a county in a state without events, and voters of Broward.
function addCoverage(world: World): void {
  world.rows.coverage!.push(
    { source_id: 'travis', county_fips: '48453', parcel_count: 9, deed_count: 0, person_mention_count: 9, newest_on: '2026-05-01' },
    { source_id: 'miami', county_fips: '12086', parcel_count: 0, deed_count: 3, person_mention_count: 6, newest_on: '2026-05-01' },
    { source_id: 'elsewhere', county_fips: '06037', parcel_count: 5, deed_count: 5, person_mention_count: 5, newest_on: '2026-05-01' },
    { source_id: 'voters', county_fips: '12011', parcel_count: 0, deed_count: 0, person_mention_count: 5, newest_on: '2026-05-01' },
  ) // prettier-ignore
}

class World {
  readonly rows: PublishedRows = {
    people: [], person_names: [], addresses: [], person_addresses: [], phones: [], person_phones: [], person_emails: [],
    properties: [], property_owners: [], residents: [], relatives: [], businesses: [], business_addresses: [],
    business_phones: [], mortgages: [], person_redirects: [], phone_names: [], coverage: [],
  } // prettier-ignore

  address(n: number, parts: AddressParts): string {
    const { house, pre, street, suffix, building: wing, unit, city, state, zip } = parts
    const address_id = `A${String(n).padStart(10, '0')}`
    const building = [house, pre, street, suffix].filter((part) => part !== undefined).join(' ')
    const units = [wing, unit === undefined ? undefined : `APT ${unit}`]
    const line1 = titleCase([building, ...units].filter((part) => part !== undefined).join(' '))
    this.rows.addresses!.push({
      address_id,
      full_address: `${line1}, ${titleCase(city)}, ${state} ${zip}`,
      line1,
      city: titleCase(city),
      state,
      zip,
      house_number: house,
      pre_directional: pre ?? null,
      street_name: street,
      street_suffix: suffix,
      building: wing ?? null,
      unit_type: unit === undefined ? null : 'APT',
      unit_number: unit ?? null,
      building_key: `${building}|${zip}`,
      county_fips: parts.county[0],
      county_name: parts.county[1],
      latitude: parts.at?.[0] ?? null,
      longitude: parts.at?.[1] ?? null,
      location_precision: parts.at === undefined ? null : 'rooftop',
    })
    return address_id
  }

  person(n: number, first_name: string, middle_name: string | null, last_name: string, facts: Row): string {
    const person_id = `P${String(n).padStart(10, '0')}`
    const name = titleCase([first_name, middle_name, last_name].filter((part) => part !== null).join(' '))
    this.rows.people!.push({
      person_id, name, first_name, middle_name, last_name, aliases: [], is_dead: false, source_count: 1, mention_count: 1,
      completeness: 50, ...facts,
    }) // prettier-ignore
    this.rows.person_names!.push({ person_id, first_name, middle_name, last_name, is_primary: true })
    return person_id
  }

  alias(person_id: string, first_name: string, middle_name: string | null, last_name: string): void {
    this.rows.person_names!.push({ person_id, first_name, middle_name, last_name, is_primary: false })
    const person = this.rows.people!.find((row) => row['person_id'] === person_id)!
    person['aliases'] = [...(person['aliases'] as string[]), titleCase(`${first_name} ${last_name}`)]
  }

  lives(person_id: string, address_id: string, score: number): void {
    this.rows.person_addresses!.push({ person_id, address_id, is_current: true, score, first_seen_on: '2015-01-01', last_seen_on: '2026-05-01' }) // prettier-ignore
  }

  livedAt(person_id: string, address_id: string, score: number): void {
    this.rows.person_addresses!.push({ person_id, address_id, is_current: false, score, first_seen_on: '2001-01-01', last_seen_on: '2014-05-01' }) // prettier-ignore
  }

  phone(person_id: string, phone: string, line_type: string, score: number): void {
    this.rows.person_phones!.push({ person_id, phone, line_type, score, last_seen_on: '2026-05-01' })
    this.number(phone, line_type, 'Invented Telephone Co')
  }

  number(phone: string, line_type: string, carrier: string | null): void {
    if (this.rows.phones!.some((row) => row['phone'] === phone)) return
    const national_format = `(${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`
    this.rows.phones!.push({ phone, national_format, line_type, carrier })
  }

  email(person_id: string, email: string, score: number): void {
    this.rows.person_emails!.push({ person_id, email, score, last_seen_on: '2026-05-01' })
  }

  relatives(left: string, right: string, reason: string): void {
    this.rows.relatives!.push({ person_id: left, relative_id: right, reason, score: 90 })
    this.rows.relatives!.push({ person_id: right, relative_id: left, reason, score: 90 })
  }

  property(
    n: number,
    [county_fips, county_name]: [string, string],
    state: string,
    address_id: string | null,
    facts: Row,
  ): void {
    const at = this.rows.addresses!.find((row) => row['address_id'] === address_id)
    this.rows.properties!.push({
      property_id: `R${String(n).padStart(10, '0')}`, county_fips, county_name, state, apn: `0${n}-77`, address_id, is_vacant: false,
      latitude: at?.['latitude'] ?? null, longitude: at?.['longitude'] ?? null, has_pool: false, ...facts,
    }) // prettier-ignore
  }

  owners(property_id: string, people: string[]): void {
    for (const [n, person_id] of people.entries()) {
      this.rows.property_owners!.push({ property_id, owner_sequence: n + 1, person_id, owner_name: 'as recorded', owner_type: 'individual' }) // prettier-ignore
    }
  }

  residents(property_id: string, people: string[]): void {
    for (const [n, person_id] of people.entries())
      this.rows.residents!.push({ property_id, person_id, score: 90 - n })
  }

  business(n: number, name: string, address_id: string, phone: string | null): string {
    const business_id = `B${String(n).padStart(10, '0')}`
    this.rows.businesses!.push({ business_id, name, business_type: 'llc' })
    this.rows.business_addresses!.push({ business_id, address_id, is_historical: false })
    if (phone !== null) {
      this.rows.business_phones!.push({ business_id, phone, last_seen_on: '2026-05-01' })
      this.number(phone, 'voip', null)
    }
    return business_id
  }

  businessOwner(property_id: string, business_id: string): void {
    this.rows.property_owners!.push({ property_id, owner_sequence: 1, business_id, owner_name: 'as recorded', owner_type: 'business' }) // prettier-ignore
  }

  mortgage(property_id: string, document_id: string, amount: number): void {
    this.rows.mortgages!.push({ property_id, document_id, amount, recorded_date: '2015-03-05', document_date: '2015-03-02', document_number: document_id, lender_name: 'Invented Savings Bank', loan_type: 'mortgage', position: 1, due_date: null }) // prettier-ignore
  }
}

function titleCase(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[\s-])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
}
