import { addressLine } from './addresses.ts'
import { addRow } from './columns.ts'
import { spelled } from './names.ts'
import type { Ground } from './parcels.ts'
import type { PhoneBook } from './phones.ts'
import { Random, stream, Weighted } from './random.ts'
import { BUSINESS, type World } from './types.ts'
import { wordList } from './words.ts'

const BUSINESSES = stream('businesses')
const NAMES = stream('business names')

const BANKS = wordList('bank')

/** The first rows of `world.businesses` are the banks. */
export const BANK_COUNT = BANKS.length

const KINDS = new Weighted(
  [
    BUSINESS.llc,
    BUSINESS.inc,
    BUSINESS.corporation,
    BUSINESS.partnership,
    BUSINESS.homeowners,
    BUSINESS.condoAssociation,
    BUSINESS.church,
    BUSINESS.medical,
    BUSINESS.hospital,
    BUSINESS.addressLlc,
    BUSINESS.familyLlc,
    BUSINESS.builder,
  ],
  [30, 16, 8, 4, 4, 4, 3, 9, 1, 8, 9, 3],
)

const FIRST_WORDS = wordList('business_first')
const SECOND_WORDS = wordList('business_second')
const CHURCHES = wordList('church')
const PRACTICES = wordList('practice')

/** Adds the banks, then firms, associations, churches and practices in the offices of every county. */
export function buildBusinesses(world: World, grounds: readonly Ground[], phones: PhoneBook): void {
  const random = new Random(world.seed).at(BUSINESSES, 0)
  for (let bank = 0; bank < BANK_COUNT; bank += 1) {
    const county = random.int(world.counties.length)
    const ground = grounds[county]!
    const address = ground.firstOffice + random.int(ground.pastOffices - ground.firstOffice)
    addBusiness(world, county, BUSINESS.bank, address, phones, true)
  }
  world.counties.forEach((_, county) => {
    const { firstOffice, pastOffices } = grounds[county]!
    for (let address = firstOffice; address < pastOffices; address += 1) {
      random.at(BUSINESSES, address)
      // Some offices have two tenants: a firm and the company that holds it.
      for (let tenants = random.chance(0.3) ? 2 : 1; tenants > 0; tenants -= 1) {
        addBusiness(world, county, KINDS.draw(random), address, phones, random.chance(0.12))
      }
    }
  })
}

function addBusiness(
  world: World,
  county: number,
  kind: number,
  address: number,
  phones: PhoneBook,
  tollFree: boolean,
): void {
  const plan = world.counties[county]!
  const row = world.businesses.kind.length
  addRow(world.businesses, {
    county,
    kind,
    address,
    phone: phones.next(plan, row % 5 === 0 ? 'voip' : 'landline'),
    tollFree: tollFree ? phones.next(plan, 'tollfree') : -1,
  })
}

/** Returns the registered name of a business, in upper case. */
export function businessName(world: World, business: number): string {
  const kind = world.businesses.kind.get(business)
  if (kind === BUSINESS.bank) return BANKS[business % BANKS.length]!
  const random = new Random(world.seed).at(NAMES, business)
  const first = random.pick(FIRST_WORDS)
  const second = random.pick(SECOND_WORDS)
  const surname = spelled(world.names.surnames.draw(random))
  const lead = random.chance(0.35)
    ? surname
    : random.chance(0.3)
      ? `${first} ${random.pick(FIRST_WORDS)}`
      : first
  switch (kind) {
    case BUSINESS.llc:
      return `${lead} ${second} ${random.pick(['LLC', 'LLC', 'LLC', 'L.L.C.', 'L L C'])}`
    case BUSINESS.inc:
      return `${lead} ${second}${random.pick([' INC', ' INC', ', INC.'])}`
    case BUSINESS.corporation:
      return `${lead} ${second} ${random.pick(['CORP', 'CORPORATION', 'CO'])}`
    case BUSINESS.partnership:
      return `${lead} ${second} ${random.pick(['LP', 'LTD', 'LIMITED PARTNERSHIP', 'LLP'])}`
    case BUSINESS.homeowners:
      return `${first} ESTATES HOMEOWNERS ASSOCIATION INC`
    case BUSINESS.condoAssociation:
      return `${first} TOWERS CONDOMINIUM ASSN INC`
    case BUSINESS.church:
      return `${random.pick(CHURCHES)} ${random.pick(['BAPTIST CHURCH', 'CHURCH', 'MINISTRIES INC', 'LUTHERAN CHURCH'])}`
    case BUSINESS.medical:
      return `${lead} ${random.pick(PRACTICES)} ${random.pick(['PA', 'PLLC', 'LLC', 'ASSOCIATES PC'])}`
    case BUSINESS.hospital:
      return `${first} GENERAL HOSPITAL`
    case BUSINESS.addressLlc:
      return `${addressLine(world, world.businesses.address.get(business), { words: 'full', ordinals: false, unit: '' })} LLC`
    case BUSINESS.familyLlc:
      return `${surname} ${random.pick(['FAMILY', 'BROTHERS', '& SONS', 'PROPERTIES'])} ${random.pick(['LLC', 'HOLDINGS LLC', 'LP'])}`
    default:
      return `${first} HOMES OF ${world.counties[world.businesses.county.get(business)]!.state === 'TX' ? 'TEXAS' : 'AMERICA'} LLC`
  }
}

const STATES: Readonly<Record<string, string>> = { NY: 'NEW YORK', FL: 'FLORIDA', TX: 'TEXAS' }

/** Public bodies have no table. Each county has five, in the order of `governmentName`. */
export const BODIES_PER_COUNTY = 5

export function governmentName(world: World, government: number): string {
  const county = world.counties[Math.floor(government / BODIES_PER_COUNTY)]!
  const name = county.name.toUpperCase()
  if (county.borough !== undefined) {
    return [
      'CITY OF NEW YORK',
      'NYC HOUSING PRESERVATION AND DEVELOPMENT',
      'NEW YORK CITY HOUSING AUTHORITY',
      'NYC TRANSIT AUTHORITY',
      'UNITED STATES OF AMERICA',
    ][government % BODIES_PER_COUNTY]!
  }
  return [
    `${name} COUNTY`,
    `CITY OF ${county.places[0]!.city.toUpperCase()}`,
    `SCHOOL BOARD OF ${name} COUNTY`,
    `STATE OF ${STATES[county.state]!}`,
    'UNITED STATES OF AMERICA',
  ][government % BODIES_PER_COUNTY]!
}
