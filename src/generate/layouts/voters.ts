import { addressLine, placeOf, SHORT, unitText } from '../addresses.ts'
import { homeOn } from '../changes.ts'
import { compactDate, DAY_1, DAY_2, NEVER, usDate } from '../calendar.ts'
import { emailOf, hasEmail } from '../emails.ts'
import { isBroken, keyedZip, RATES } from '../errors.ts'
import type { Delivery, Sink } from '../output.ts'
import { maybeSwapped, writtenName } from '../persons.ts'
import { phoneDigits } from '../phones.ts'
import { mix, Random, stream } from '../random.ts'
import type { World } from '../types.ts'
import { latin } from './latin.ts'
import { RecordFormat } from './record-format.ts'

const SOURCE = 'us/fl/statewide.voters'
// A blank field is a single space.
const FORMAT = new RecordFormat('voters', 'voters', { separator: '\t', end: '\r\n', blank: ' ' })
const REGISTERED = stream('voters')
const RECORDS = stream('voter records')

/** Writes the extract of every Florida county: a row for four people in five who live there. */
export function writeVoters(world: World, delivery: Delivery): void {
  const { households } = world
  const sinks = world.counties.map((county) =>
    county.florida === undefined
      ? null
      : delivery.file(SOURCE, `${county.florida.voters}_${compactDate(delivery.day)}.txt`, 'latin1'),
  )
  const rows = new Map<Sink, number>()
  const random = new Random(world.seed)
  for (let person = 0; person < world.people.sex.length; person += 1) {
    const sink = sinks[households.county.get(world.people.household.get(person))]
    if (sink === null || sink === undefined || !isRegistered(world, person)) continue
    const row = rows.get(sink) ?? 0
    rows.set(sink, row + 1)
    const text = line(world, delivery, person, random.at(RECORDS, person))
    sink.write(isBroken(row) ? text.replace('\t', '\t\t') : text)
    if (delivery.day !== DAY_2 && !isBroken(row))
      delivery.names(`${SOURCE}/voters/${voterId(person)}`, person)
  }
}

function voterId(person: number): string {
  return String(100_000_000 + person * 3)
}

/** Returns whether a person is on the roll: four in five are. One dead voter in five is still there. */
function isRegistered(world: World, person: number): boolean {
  const bits = mix(REGISTERED, person, 1)
  if (bits % 100 >= 80) return false
  return (
    world.people.diedOn.get(person) === NEVER ||
    world.people.diedOn.get(person) > DAY_1 - 15 ||
    (bits >>> 8) % 5 === 0
  )
}

function line(world: World, delivery: Delivery, person: number, random: Random): string {
  const { people, households } = world
  const county = world.counties[households.county.get(people.household.get(person))]!
  const name = maybeSwapped(
    writtenName(world, person, DAY_1, { casual: false, marks: random.chance(0.5) }, random),
    random,
  )
  const home = homeOn(world, person, delivery.day)
  const place = placeOf(world, home)
  const born = people.bornOn.get(person)
  const registered = born + 18 * 366 + random.int(Math.max(1, DAY_1 - born - 18 * 366))
  const isExempt = random.chance(0.012)
  const hasPhone = random.chance(0.4) && people.mobile.get(person) >= 0
  const hasMail = random.chance(0.22) && hasEmail(world, person, 0)
  const phone = hasPhone ? phoneDigits(people.mobile.get(person)) : ''
  const zip = random.chance(0.001) ? '99999' : keyedZip(place.zip, random)
  const bits = random.bits()
  const hide = (text: string): string => (isExempt ? '*' : text)
  return FORMAT.line({
    'County Code': county.florida!.voters,
    'Voter ID': voterId(person),
    'Name Last': latin(name.last, bits),
    'Name Suffix': name.suffix,
    'Name First': latin(
      random.chance(RATES.strayQuote) ? `${name.first} "${name.first.slice(0, 2)}"` : name.first,
      bits,
    ),
    'Name Middle': latin(name.middle, bits),
    'Residence Address Line 1': hide(addressLine(world, home, { ...SHORT, unit: '' })),
    'Residence Address Line 2': hide(unitText(world, home) === '' ? '' : `APT ${unitText(world, home)}`),
    'Residence City (USPS)': hide(place.city.toUpperCase()),
    'Residence Zipcode': hide(bits % 4 === 0 && zip.length === 5 ? `${zip}${1000 + (bits % 9000)}` : zip),
    Gender: people.sex.get(person) === 1 ? 'M' : 'F',
    'Birth Date': hide(usDate(born)),
    'Registration Date': usDate(Math.min(registered, DAY_1 - 40)),
    'Daytime Area Code': hide(phone.slice(0, 3)),
    'Daytime Phone Number': hide(phone.slice(3)),
    'Email address': hide(hasMail ? emailOf(world, person, DAY_1, 0).toUpperCase() : ''),
  })
}
