import type { PublishedRows } from '../support/published.ts'

// Few names and places, so that nearly every question finds somebody, and rows that refer to each other, so that shards
// must.
export const FIRST = ['ANN', 'ANNA', 'ANNE', 'BEN', 'BENNO', 'CARL', 'CARLA', 'WILLIAM', 'BILL', 'KATHRYN', 'CATHERINE'] // prettier-ignore
export const LAST = ['ADLER', 'BAUM', 'BAUMANN', 'CARL', 'DE LA ROSA', 'ROSA', 'OBRIEN', 'BRIEN', 'ADLAR']
const MIDDLE = [null, null, 'A', 'BEN']
const SUFFIX = [null, null, null, 'JR', 'SR']
export const CITIES = [
  ['ALPHA', 'TX', '70001'],
  ['ALPHA', 'TX', '70002'],
  ['ALPHA', 'FL', '30001'],
  ['BETA', 'TX', '70003'],
  ['BETA PARK', 'TX', '70003'],
  ['GAMMA', 'AL', '30001'],
] as const
export const STREETS = ['ELM', 'OAK', 'ELMWOOD', 'MARTIN LUTHER KING', 'OKA']

/** Returns a generator of whole numbers below `of`, the same for every run of a seed. */
export function random(seed: number): (of: number) => number {
  let state = seed
  return (of) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * of)
  }
}

const id = (letter: string, number: number): string => `${letter}${String(number).padStart(10, '0')}`

/** Returns a random world of all tables that the index is made of. */
export function relatedWorld(seed: number): PublishedRows {
  const below = random(seed)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const rows = {
    people: [], person_names: [], addresses: [], person_addresses: [], person_phones: [], person_emails: [], phones: [],
    phone_names: [], properties: [], property_owners: [], residents: [], relatives: [], businesses: [], business_phones: [],
    business_addresses: [], mortgages: [], person_redirects: [], coverage: [],
  } as unknown as Required<PublishedRows> // prettier-ignore
  const PEOPLE = 250
  const ADDRESSES = 90
  for (let n = 0; n < ADDRESSES; n++) {
    const [city, state, zip] = one(CITIES)
    const [house_number, street_name] = [String(1 + below(6)), one(STREETS)]
    const unit = below(3) === 0 ? String(1 + below(9)) : null
    const isKnown = below(5) > 0
    rows.addresses.push({
      address_id: id('A', n), city, state: below(30) === 0 ? null : state, zip: below(12) === 0 ? null : zip, house_number, street_name,
      street_suffix: one(['ST', 'AVE']), unit_type: unit === null ? null : 'APT', unit_number: unit,
      building_key: below(9) === 0 ? null : `${house_number}|${street_name}|${zip}`,
      line1: `${house_number} ${street_name}`, full_address: `${house_number} ${street_name}, ${city}`,
      latitude: isKnown ? 30 + below(1000) / 997 : null, longitude: isKnown ? -97 - below(1000) / 997 : null,
    }) // prettier-ignore
  }
  const person = (): string => id('P', below(PEOPLE))
  const address = (): string => id('A', below(ADDRESSES))
  const phone = (): string => `1206555${String(100 + below(60)).padStart(4, '0')}`
  for (let n = 0; n < PEOPLE; n++) {
    const person_id = id('P', n)
    const [first_name, last_name] = [one(FIRST), one(LAST)]
    rows.people.push({
      person_id, name: `${first_name} ${last_name}`, first_name, last_name, aliases: [], is_dead: below(20) === 0,
      date_of_birth: below(4) === 0 ? null : `${1940 + below(60)}-0${1 + below(9)}-1${below(10)}`, completeness: below(6) * 15,
    }) // prettier-ignore
    for (let names = 0; names <= below(3); names++) {
      const name = names === 0 ? { first_name, last_name } : { first_name: one(FIRST), last_name: one(LAST) }
      rows.person_names.push({ person_id, ...name, middle_name: one(MIDDLE), name_suffix: one(SUFFIX), is_primary: names === 0 }) // prettier-ignore
    }
    for (const address_id of new Set(Array.from({ length: below(4) }, address)))
      rows.person_addresses.push({ person_id, address_id, is_current: below(2) === 0, score: below(10) * 10 })
    for (const of of new Set(Array.from({ length: below(3) }, phone)))
      rows.person_phones.push({ person_id, phone: of, line_type: 'mobile', score: below(4) * 25, last_seen_on: '2026-01-02' }) // prettier-ignore
    if (below(3) === 0) rows.person_emails.push({ person_id, email: below(5) === 0 ? 'shared@example.com' : `p${n}@example.com`, score: below(4) * 25 }) // prettier-ignore
    if (below(8) === 0) rows.person_redirects.push({ old_person_id: id('P', 9000 + n), person_id })
  }
  for (const of of new Set(Array.from({ length: 50 }, phone)))
    rows.phones.push({ phone: of, line_type: one(['mobile', 'landline']), carrier: one([null, 'Example Wireless']) }) // prettier-ignore
  for (const of of new Set(Array.from({ length: 12 }, phone)))
    rows.phone_names.push({ phone: of, name: `${one(FIRST)} Unlisted`, score: below(100) })
  for (let n = 0; n < 12; n++) {
    rows.businesses.push({ business_id: id('B', n), name: `Example ${n} LLC` })
    rows.business_phones.push({ business_id: id('B', n), phone: phone(), last_seen_on: '2026-02-03' })
    rows.business_addresses.push({ business_id: id('B', n), address_id: address(), is_historical: below(3) === 0 }) // prettier-ignore
  }
  for (let n = 0; n < 70; n++) {
    const property_id = id('R', n)
    const isPlaced = below(10) > 0
    rows.properties.push({
      property_id, address_id: isPlaced ? address() : null, mailing_address_id: below(2) === 0 ? address() : null, apn: `apn-${n}`,
      county_name: 'Travis', state: 'TX', sale_date: below(2) === 0 ? `20${10 + below(15)}-01-02` : null,
    }) // prettier-ignore
    for (let owner = 1; owner <= below(4); owner++) {
      const [kind] = [below(4)]
      if (kind === 3) rows.property_owners.push({ property_id, owner_sequence: owner, business_id: id('B', below(12)), owner_type: 'business' }) // prettier-ignore
      else if (kind === 2) rows.property_owners.push({ property_id, owner_sequence: owner, owner_name: `${one(LAST)} ${one(FIRST)}`, owner_type: 'individual' }) // prettier-ignore
      else rows.property_owners.push({ property_id, owner_sequence: owner, person_id: person(), owner_type: 'individual' }) // prettier-ignore
    }
    const most = below(8) === 0 ? 25 : 3
    for (const person_id of new Set(Array.from({ length: below(most) }, person)))
      rows.residents.push({ property_id, person_id, score: below(5) * 20 })
    if (below(3) === 0) rows.mortgages.push({ property_id, document_id: `d${n}`, lender_name: `${one(FIRST)} ${one(LAST)}`, position: 1 }) // prettier-ignore
  }
  for (let n = 0; n < 120; n++) {
    const [person_id, relative_id] = [person(), person()]
    if (
      person_id !== relative_id &&
      !rows.relatives.some((row) => row['person_id'] === person_id && row['relative_id'] === relative_id)
    )
      // prettier-ignore
      rows.relatives.push({ person_id, relative_id, reason: 'address', score: below(4) * 25 })
  }
  rows.coverage.push({ county_fips: '48453', parcel_count: 3, deed_count: 0 }, { county_fips: '12086', parcel_count: 0, deed_count: 2 }) // prettier-ignore
  return rows
}
