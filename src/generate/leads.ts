import { join } from 'node:path'
import { addressLine, placeOf, stateOf } from './addresses.ts'
import { civil, DAY_1, DAY_2, isoDate, NEVER, two, usDate } from './calendar.ts'
import { homeOn } from './changes.ts'
import { emailOf, hasEmail } from './emails.ts'
import { mistyped } from './errors.ts'
import { csvLine } from './csv.ts'
import { nicknameOf, plain, titled } from './names.ts'
import { FileSink } from './output.ts'
import { joined, maidenName, type NameParts, trueName } from './persons.ts'
import { writtenPhone } from './phones.ts'
import { Random, stream } from './random.ts'
import type { World } from './types.ts'

/** Faults of leads, each with its relative frequency. A lead with faults has one to three of them. */
const LEAD_FAULTS = {
  nickname: 0.16,
  typoInFirst: 0.12,
  typoInLast: 0.12,
  typoInStreet: 0.08,
  initialOnly: 0.05,
  maidenName: 0.04,
  swappedNames: 0.02,
  formerHome: 0.12,
  unknownHome: 0.05,
  noStreet: 0.08,
  noPlace: 0.05,
  noPhone: 0.12,
  noEmail: 0.12,
  noBirthDate: 0.1,
  formerPhone: 0.06,
  someoneElsesPhone: 0.03,
} as const
type Fault = keyof typeof LEAD_FAULTS

/** The share of leads about strangers: people with new names, half of them at addresses of the world. */
const STRANGERS = 0.04
const CLEAN = 0.5

const LEADS = stream('leads')
const COLUMNS = ['lead_id', 'name', 'address', 'city', 'state', 'zip', 'phone', 'email', 'birth_date', 'true_person'] // prettier-ignore

export interface LeadOptions {
  readonly count: number
  readonly folder: string
  /** The last day that is written. Leads have the homes and phone numbers of that day. */
  readonly days: 1 | 2
  /** The clusters in the truth: the people whom a record names. */
  readonly named: ReadonlySet<number>
}

/**
 * Writes `leads.csv`, a list about people of the world to be enriched. `true_person` is the cluster of the truth. It is
 * empty for strangers and for people whom no record names.
 */
export function writeLeads(world: World, { count, folder, days, named }: LeadOptions): void {
  const file = new FileSink(join(folder, 'leads.csv'), 'utf8', csvLine(COLUMNS))
  const random = new Random(world.seed)
  const living = world.people.diedOn
  for (let row = 0; row < count; row += 1) {
    random.at(LEADS, row)
    const isStranger = random.chance(STRANGERS)
    let person = random.int(world.people.sex.length)
    // A lead is about a living person. When twenty draws find only dead people, the last one is taken.
    for (let draws = 0; living.get(person) !== NEVER && draws < 20; draws += 1)
      person = random.int(world.people.sex.length)
    const lead = isStranger ? stranger(world, person, random) : about(world, person, days, random)
    file.write(
      csvLine([`L${row + 1}`, ...lead, isStranger || !named.has(person + 1) ? '' : String(person + 1)]),
    )
  }
  file.close()
}

type Lead = [name: string, address: string, city: string, state: string, zip: string, phone: string, email: string, birthDate: string] // prettier-ignore

function about(world: World, person: number, days: 1 | 2, random: Random): Lead {
  const { people } = world
  const day = days === 2 ? DAY_2 : DAY_1
  const faults = random.chance(CLEAN) ? new Set<Fault>() : drawFaults(random)
  const phone = phoneOf(world, person, days, faults, random)
  const hasMail = hasEmail(world, person, 0) && random.chance(0.75) && !faults.has('noEmail')
  const email = hasMail ? emailOf(world, person, DAY_1, 0) : ''
  const birthDate = random.chance(0.55) && !faults.has('noBirthDate') ? writtenDate(people.bornOn.get(person), random) : '' // prettier-ignore
  // A lead without phone and e-mail keeps its street, so that its person can be found.
  if (phone === '' && email === '') for (const fault of ['noStreet', 'noPlace'] as const) faults.delete(fault)
  return [
    writtenName(trueName(world, person, day), maidenName(world, person), faults, random),
    ...writtenHome(world, homeOf(world, person, day, faults, random), faults, random),
    phone,
    email,
    birthDate,
  ]
}

function drawFaults(random: Random): Set<Fault> {
  const faults = new Set<Fault>()
  const wanted = 1 + random.int(3)
  for (let drawn = 0; drawn < wanted; drawn += 1) {
    let target = random.next() * TOTAL
    for (const [fault, share] of Object.entries(LEAD_FAULTS) as [Fault, number][]) {
      target -= share
      if (target >= 0) continue
      faults.add(fault)
      break
    }
  }
  return faults
}

const TOTAL = Object.values(LEAD_FAULTS).reduce((sum, share) => sum + share, 0)

function writtenName(parts: NameParts, maiden: string, faults: ReadonlySet<Fault>, random: Random): string {
  let { first, middle, last } = parts
  if (faults.has('maidenName') && maiden !== '') last = maiden
  if (faults.has('nickname')) first = nicknameOf(first, random)
  if (faults.has('typoInFirst')) first = mistyped(first, random)
  if (faults.has('typoInLast')) last = mistyped(last, random)
  if (faults.has('initialOnly')) first = first.slice(0, 1)
  middle = random.chance(0.6) ? '' : random.chance(0.7) ? middle.slice(0, 1) : middle
  const suffix = random.chance(0.5) ? parts.suffix : ''
  const words = faults.has('swappedNames') ? [last, first] : [first, middle, last, suffix]
  const text = random.chance(0.7) ? plain(joined(words)) : joined(words)
  return random.chance(0.1) ? text : titled(text)
}

function homeOf(
  world: World,
  person: number,
  day: number,
  faults: ReadonlySet<Fault>,
  random: Random,
): number {
  const now = homeOn(world, person, day)
  if (faults.has('formerHome')) {
    const former = world.people.home1.get(person)
    return former >= 0 ? former : now
  }
  // No file has the new address of this person: it is the home of another household.
  return faults.has('unknownHome') ? anyHome(world, random) : now
}

function anyHome(world: World, random: Random): number {
  return world.households.home.get(random.int(world.households.home.length))
}

function writtenHome(
  world: World,
  home: number,
  faults: ReadonlySet<Fault>,
  random: Random,
): [string, string, string, string] {
  const place = placeOf(world, home)
  const words = random.chance(0.3) ? 'full' : 'short'
  const label = random.pick(['APT', '#', 'UNIT'])
  let line = addressLine(world, home, { words, ordinals: true, unit: label })
  if (faults.has('typoInStreet')) line = line.replace(/[A-Z]{4,}/, (word) => mistyped(word, random))
  const zip = random.chance(0.06) ? '' : place.zip
  const street = faults.has('noStreet') || faults.has('noPlace') ? '' : titled(line)
  if (faults.has('noPlace')) return [street, '', stateOf(world, home), '']
  return [street, place.city, stateOf(world, home), zip]
}

function phoneOf(
  world: World,
  person: number,
  days: 1 | 2,
  faults: ReadonlySet<Fault>,
  random: Random,
): string {
  const { people, households } = world
  const way = random.int(6)
  const share = random.next()
  const other = people.mobile.get(random.int(people.mobile.length))
  if (faults.has('noPhone') || share < 0.12) return ''
  if (faults.has('someoneElsesPhone') && other >= 0) return writtenPhone(other, way)
  const old = people.oldMobile.get(person)
  if (faults.has('formerPhone') && old >= 0) return writtenPhone(old, way)
  const changed = days === 2 ? people.newMobile.get(person) : -1
  const mobile = changed >= 0 ? changed : people.mobile.get(person)
  const landline = households.landline.get(people.household.get(person))
  const phone = share < 0.25 && landline >= 0 ? landline : mobile
  return phone < 0 ? '' : writtenPhone(phone, way)
}

function writtenDate(bornOn: number, random: Random): string {
  const way = random.next()
  if (way < 0.7) return isoDate(bornOn)
  if (way < 0.93) return usDate(bornOn)
  const { year, month } = civil(bornOn)
  return way < 0.96 ? String(year) : `${year}-${two(month)}`
}

function stranger(world: World, homeOfPerson: number, random: Random): Lead {
  const { names } = world
  const first = names.first[random.int(2)]!.draw(random)
  const home = random.chance(0.5) ? homeOn(world, homeOfPerson, DAY_1) : anyHome(world, random)
  return [
    titled(`${first} ${names.surnames.draw(random)}`),
    ...writtenHome(world, home, new Set(), random),
    '',
    random.chance(0.5) ? `${first.toLowerCase()}${random.int(100_000)}@stranger.example.net` : '',
    random.chance(0.5) ? isoDate(-random.int(20_000) + 5_000) : '',
  ]
}
