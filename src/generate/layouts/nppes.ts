import { addressLine, placeOf, SHORT, stateOf, unitText } from '../addresses.ts'
import { businessName } from '../businesses.ts'
import { compactDate, DAY_1, DAY_2, NEVER, usDate } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { HEALTH_JOBS, JOBS } from '../people.ts'
import { maidenName, writtenName } from '../persons.ts'
import { phoneDigits } from '../phones.ts'
import { mix, Random, stream } from '../random.ts'
import { BUSINESS, type World } from '../types.ts'
import { CSV, RecordFormat, type Values } from './record-format.ts'

const SOURCE = 'us/nppes.providers'

const RECORDS = stream('nppes')
const FORMAT = new RecordFormat('nppes', 'npi', { ...CSV, quotes: 'all' })
const TITLES = ['OWNER', 'PRESIDENT', 'CEO', 'OFFICE MANAGER', 'CFO']

/** Writes one full file in an archive on day 1, and nothing on day 2. */
export function writeNppes(world: World, delivery: Delivery): void {
  if (delivery.day === DAY_2) return
  const zip = delivery.zip(SOURCE, 'NPPES_Data_Dissemination_January_2026.zip')
  const file = zip.table(`npidata_pfile_20050523-${compactDate(DAY_1)}.csv`, 'utf8', FORMAT)
  const random = new Random(world.seed)
  const { people, businesses } = world
  for (let person = 0; person < people.sex.length; person += 1) {
    const job = people.job.get(person)
    if (job < 0 || !HEALTH_JOBS.has(JOBS[job]!) || mix(RECORDS, person, 1) % 10 > 6) continue
    file.row(individual(world, delivery, person, random.at(RECORDS, person)))
  }
  for (let business = 0; business < businesses.kind.length; business += 1) {
    const kind = businesses.kind.get(business)
    if (kind !== BUSINESS.medical && kind !== BUSINESS.hospital) continue
    file.row(organisation(world, delivery, business, random.at(RECORDS, -1 - business)))
  }
}

function individual(world: World, delivery: Delivery, person: number, random: Random): Values {
  const { people } = world
  const npi = npiOf(person * 2)
  // One provider in forty is deactivated: the row has only a number and a date.
  if (random.chance(0.025)) {
    return { NPI: npi, 'NPI Deactivation Date': usDate(DAY_1 - 300 - random.int(2000)) }
  }
  delivery.names(`${SOURCE}/npi/${npi}`, person)
  const name = writtenName(world, person, DAY_1, { casual: false, marks: false }, random)
  const employer = people.employer.get(person)
  const updated = DAY_1 - 20 - random.int(2500)
  const maiden = maidenName(world, person)
  const isDead = people.diedOn.get(person) !== NEVER
  return {
    NPI: npi,
    'Entity Type Code': '1',
    'Provider Last Name (Legal Name)': name.last,
    'Provider First Name': name.first,
    'Provider Middle Name': name.middle,
    'Provider Name Prefix Text': random.pick(['', '', 'DR.', 'MRS.', 'MR.']),
    'Provider Name Suffix Text': name.suffix === '' ? '' : name.suffix.replace(/^(JR|SR)$/, '$1.'),
    ...(maiden !== '' && random.chance(0.6)
      ? { 'Provider Other Last Name': maiden, 'Provider Other First Name': name.first }
      : {}),
    ...office(world, employer),
    'Provider Enumeration Date': usDate(updated - random.int(4000)),
    'Last Update Date': usDate(isDead ? updated - 800 : updated),
    'Provider Gender Code': people.sex.get(person) === 1 ? 'M' : 'F',
    'Healthcare Provider Taxonomy Code_1': HEALTH_JOBS.get(JOBS[people.job.get(person)]!)!,
    'Healthcare Provider Primary Taxonomy Switch_1': 'Y',
  }
}

function organisation(world: World, delivery: Delivery, business: number, random: Random): Values {
  const { businesses } = world
  const npi = npiOf(business * 2 + 1)
  const official = businesses.person.get(business)
  const updated = DAY_1 - 20 - random.int(2500)
  const isHospital = businesses.kind.get(business) === BUSINESS.hospital
  const name =
    official < 0 ? null : writtenName(world, official, DAY_1, { casual: false, marks: false }, random)
  if (official >= 0) delivery.names(`${SOURCE}/npi/${npi}:official`, official)
  return {
    NPI: npi,
    'Entity Type Code': '2',
    'Provider Organization Name (Legal Business Name)': businessName(world, business),
    ...office(world, business),
    'Provider Enumeration Date': usDate(updated - random.int(4000)),
    'Last Update Date': usDate(updated),
    ...(name === null
      ? {}
      : {
          'Authorized Official Last Name': name.last,
          'Authorized Official First Name': name.first,
          'Authorized Official Middle Name': name.middle,
          'Authorized Official Title or Position': random.pick(TITLES),
          'Authorized Official Telephone Number': phoneDigits(businesses.phone.get(business)),
          'Authorized Official Name Suffix Text': name.suffix,
        }),
    'Healthcare Provider Taxonomy Code_1': isHospital ? '282N00000X' : '261QP2300X',
    'Healthcare Provider Primary Taxonomy Switch_1': 'Y',
  }
}

/** Returns the office of a business as mailing address and as practice location. */
function office(world: World, business: number): Values {
  const address = world.businesses.address.get(business)
  const place = placeOf(world, address)
  const unit = unitText(world, address)
  // ZIP codes have nine digits without a hyphen.
  const zip = `${place.zip}${1000 + (mix(RECORDS, address, 3) % 9000)}`
  const kinds = ['Mailing', 'Practice Location'].map((kind) => ({
    [`Provider First Line Business ${kind} Address`]: addressLine(world, address, { ...SHORT, unit: '' }),
    [`Provider Second Line Business ${kind} Address`]: unit === '' ? '' : `STE ${unit}`,
    [`Provider Business ${kind} Address City Name`]: place.city.toUpperCase(),
    [`Provider Business ${kind} Address State Name`]: stateOf(world, address),
    [`Provider Business ${kind} Address Postal Code`]: zip,
    [`Provider Business ${kind} Address Country Code (If outside U.S.)`]: 'US',
    [`Provider Business ${kind} Address Telephone Number`]: phoneDigits(world.businesses.phone.get(business)),
  }))
  return { ...kinds[0], ...kinds[1] }
}

/** Returns a provider number with its check digit: Luhn over 80840 and the number. */
function npiOf(serial: number): string {
  const digits = `1${String(300_000_000 + serial)
    .slice(-8)
    .padStart(8, '0')}`
  // The prefix 80840 adds 24 to the sum.
  let sum = 24
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${digits}${(10 - (sum % 10)) % 10}`
}
