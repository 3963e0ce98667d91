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

export const SOURCE = 'us/fl/statewide.voters'
export const COLUMN_COUNT = 38

const NO_MAILING_ADDRESS = ['', '', '', '', '', '', '']
const REGISTERED = stream('voters')
const RECORDS = stream('voter records')

/** Every Florida county's extract: a row for four in five of those who live there. */
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
  for (const sink of sinks) sink?.close()
}

function voterId(person: number): string {
  return String(100_000_000 + person * 3)
}

/** The dead stay on the roll for a while: one in five. */
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
  const fields = [
    county.florida!.voters,
    voterId(person),
    latin(name.last, bits),
    name.suffix,
    latin(random.chance(RATES.strayQuote) ? `${name.first} "${name.first.slice(0, 2)}"` : name.first, bits),
    latin(name.middle, bits),
    isExempt ? 'Y' : 'N',
    hide(addressLine(world, home, { ...SHORT, unit: '' })),
    hide(unitText(world, home) === '' ? '' : `APT ${unitText(world, home)}`),
    hide(place.city.toUpperCase()),
    '',
    hide(bits % 4 === 0 && zip.length === 5 ? `${zip}${1000 + (bits % 9000)}` : zip),
    ...NO_MAILING_ADDRESS,
    people.sex.get(person) === 1 ? 'M' : 'F',
    [1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6, 7, 9][bits % 15]!,
    hide(usDate(born)),
    usDate(Math.min(registered, DAY_1 - 40)),
    ['DEM', 'REP', 'NPA', 'DEM', 'REP', 'NPA', 'LPF', 'GRE'][bits % 8]!,
    1 + (bits % 900),
    0,
    '',
    '',
    bits % 11 === 0 ? 'INA' : 'ACT',
    20 + (bits % 8),
    95 + (bits % 20),
    30 + (bits % 8),
    1 + (bits % 9),
    1 + (bits % 7),
    hide(phone.slice(0, 3)),
    hide(phone.slice(3)),
    '',
    hide(hasMail ? emailOf(world, person, DAY_1, 0).toUpperCase() : ''),
  ]
  // A blank field is a single space.
  return `${fields.map((field) => (field === '' ? ' ' : field)).join('\t')}\r\n`
}
