import { addressLine, placeOf, stateOf, unitText } from '../addresses.ts'
import { businessName } from '../businesses.ts'
import { homeOn } from '../changes.ts'
import { rowOf } from '../columns.ts'
import { civil, compactDate, DAY_1, DAY_2, isoDate, NEVER, two } from '../calendar.ts'
import { deskEmail, emailOf, hasEmail } from '../emails.ts'
import { keyedZip, mistyped, RATES } from '../errors.ts'
import { plain, titled } from '../names.ts'
import type { Delivery } from '../output.ts'
import { JOBS } from '../people.ts'
import { isWellKnown, maidenName, maybeSwapped, writtenName } from '../persons.ts'
import { writtenPhone } from '../phones.ts'
import { mix, Random, stream } from '../random.ts'
import type { World } from '../types.ts'
import { csvToParquet } from './parquet.ts'
import { CSV, RecordFormat, type Values } from './record-format.ts'

const SOURCE = 'us/lists.contacts'
const FORMAT = new RecordFormat('contacts', 'contacts', CSV)
const LISTED = stream('contacts')
const RECORDS = stream('contact records')

/** When a contact was written down: now, years ago, at work, or now a second time. */
const MOMENTS = ['now', 'then', 'work', 'again'] as const
type Moment = (typeof MOMENTS)[number]

/**
 * Writes contacts of two people in three: most as CSV, one in twelve as Parquet, one in twenty as JSON lines. Day 2 has
 * the people who moved or have a new number.
 */
export async function writeContacts(world: World, delivery: Delivery): Promise<void> {
  const name = `contacts_${compactDate(delivery.day)}`
  const csv = delivery.table(SOURCE, `${name}.csv`, 'utf8', FORMAT)
  const lines = delivery.file(SOURCE, `${name}.jsonl`, 'utf8')
  const draft = delivery.table(SOURCE, `${name}.parquet.csv`, 'utf8', FORMAT)
  const random = new Random(world.seed)
  for (let person = 0; person < world.people.sex.length; person += 1) {
    if (delivery.day === DAY_2 && !hasNews(world, person)) continue
    for (const moment of momentsOf(world, person)) {
      if (delivery.day === DAY_2 && moment === 'then') continue
      const number = person * 4 + MOMENTS.indexOf(moment)
      const id = `C${10_000_000 + number}`
      const row: Values = {
        contact_id: id,
        ...contact(world, delivery.day, person, moment, random.at(RECORDS, number)),
      }
      const share = mix(LISTED, person, 3) % 60
      const kind = share < 5 ? 'contacts_parquet' : share < 8 ? 'contacts_jsonl' : 'contacts'
      if (kind === 'contacts_parquet') draft.row(row)
      else if (kind === 'contacts_jsonl')
        lines.write(`${JSON.stringify(row, (_, value: unknown) => (value === '' ? null : value))}\n`)
      else csv.row(row)
      if (delivery.day === DAY_2) continue
      const record = `${SOURCE}/${kind}/${id}`
      delivery.names(record, person)
      if (row['phone_2'] !== '') delivery.names(`${record}:phone_2`, person)
    }
  }
  delivery.close()
  const parquet = delivery.path(SOURCE, `${name}.parquet`)
  await csvToParquet(`${parquet}.csv`, parquet)
}

function hasNews(world: World, person: number): boolean {
  const { people, households } = world
  if (people.diedOn.get(person) !== NEVER) return false
  return households.newHome.get(people.household.get(person)) >= 0 || people.newMobile.get(person) >= 0
}

function momentsOf(world: World, person: number): Moment[] {
  const bits = mix(LISTED, person, 1)
  const isKnown = isWellKnown(person)
  const moments: Moment[] = []
  if (isKnown || bits % 100 < 62) moments.push('now')
  if (isKnown || bits % 100 < 6) moments.push('again')
  const hasPast = world.people.home1.get(person) >= 0 || world.people.oldMobile.get(person) >= 0
  if (hasPast && (isKnown || (bits >>> 8) % 100 < 20)) moments.push('then')
  const hasJob = world.people.employer.get(person) >= 0
  if (hasJob && (isKnown || (bits >>> 16) % 100 < 12)) moments.push('work')
  return moments
}

function contact(world: World, day: number, person: number, moment: Moment, random: Random): Values {
  const { people } = world
  const notedOn = notedDay(world, day, person, moment, random)
  const asOf = moment === 'then' ? notedOn : day
  const name = maybeSwapped(
    writtenName(world, person, Math.min(asOf, DAY_1), { casual: true, marks: random.chance(0.8) }, random),
    random,
  )
  const isUpper = random.chance(0.12)
  const shown = (text: string): string => (isUpper ? text : titled(text))
  const former = random.chance(0.2) ? maidenName(world, person) : ''
  const home = homeOn(world, person, asOf)
  const phones = phonesOf(world, day, person, moment, notedOn, random)
  const employer = people.employer.get(person)
  const hasJob = employer >= 0 && moment !== 'then' && random.chance(moment === 'work' ? 1 : 0.55)
  return {
    first_name: shown(name.first),
    middle_name: shown(name.middle),
    last_name: shown(name.last),
    suffix: shown(name.suffix),
    former_last_name: former === name.last ? '' : shown(former),
    birth_date: birthDate(world, person, random),
    ...address(world, home, random, shown),
    ...phones,
    email: email(world, person, moment, random),
    employer: hasJob ? shown(businessName(world, employer)) : '',
    job_title: hasJob ? shown(JOBS[people.job.get(person)]!) : '',
    linkedin_url:
      hasJob && random.chance(0.3)
        ? `https://linkedin.example.com/in/${plain(name.first).toLowerCase()}-${person}`
        : '',
    updated_on: isoDate(notedOn),
  }
}

/** Returns the day on which a contact was written down: before day 1, or day 2 for the contacts of day 2. */
function notedDay(world: World, day: number, person: number, moment: Moment, random: Random): number {
  const { people } = world
  const past =
    people.home1.get(person) >= 0 ? people.home1Until.get(person) : people.oldMobileUntil.get(person)
  // Both numbers are always drawn, so that the draws after them are the same on both days.
  const before = 30 + random.int(500)
  const share = random.next()
  if (moment === 'then') return past - before
  if (day === DAY_2) return DAY_2
  const died = people.diedOn.get(person)
  return (died === NEVER || died > DAY_1 - 20 ? DAY_1 : died) - 3 - Math.floor(before * share)
}

function birthDate(world: World, person: number, random: Random): string {
  if (random.chance(RATES.missingBirthDate)) return ''
  const { year, month, day } = civil(world.people.bornOn.get(person))
  if (random.chance(RATES.januaryFirst)) return `${year}-01-01`
  if (random.chance(RATES.swappedDayMonth) && day <= 12) return `${year}-${two(day)}-${two(month)}`
  const way = random.next()
  if (way < 0.05) return String(year)
  return way < 0.2 ? `${two(month)}/${two(day)}/${year}` : `${year}-${two(month)}-${two(day)}`
}

function address(world: World, home: number, random: Random, shown: (text: string) => string): Values {
  const place = placeOf(world, home)
  const state = stateOf(world, home)
  if (random.chance(RATES.postBox)) {
    const box = shown(`PO BOX ${random.between(10, 9999)}`)
    return { address: box, address_2: '', city: place.city, state, zip: keyedZip(place.zip, random) }
  }
  const unit = unitText(world, home)
  const inLine = random.chance(0.5)
  const words = random.chance(0.25) ? 'full' : 'short'
  const label = random.pick(['APT', 'Apt', '#', 'UNIT'])
  const line = addressLine(world, home, { words, ordinals: true, unit: inLine ? label.toUpperCase() : '' })
  const keyedLine = random.chance(RATES.typo / 2)
    ? line.replace(/[A-Z]{4,}/, (word) => mistyped(word, random))
    : line
  const city = random.chance(RATES.wrongCity) ? mistyped(place.city.toUpperCase(), random) : place.city
  return {
    address: shown(keyedLine)
      .replace(/(\d)(St|Nd|Rd|Th)\b/g, (_, digit: string, end: string) => digit + end.toLowerCase())
      .replace(/(\d)([a-z])\b/g, (_, digit: string, letter: string) => digit + letter.toUpperCase()),
    address_2: inLine || unit === '' ? '' : `${label} ${unit}`.replace('# ', '#'),
    city,
    state,
    zip: keyedZip(place.zip, random),
  }
}

function phonesOf(
  world: World,
  day: number,
  person: number,
  moment: Moment,
  notedOn: number,
  random: Random,
): { phone: string; phone_2: string } {
  const { mobile, newMobile, oldMobile, oldMobileUntil, secondMobile, employer, household } = rowOf(world.people, person) // prettier-ignore
  const way = random.int(6)
  const written = (phone = -1): string => (phone < 0 ? '' : writtenPhone(phone, way))
  if (moment === 'then') {
    const hadOld = oldMobile >= 0 && notedOn < oldMobileUntil
    return { phone: written(hadOld ? oldMobile : mobile), phone_2: '' }
  }
  if (moment === 'work')
    return { phone: written(world.businesses.phone.get(employer)), phone_2: written(mobile) }
  const current = day === DAY_2 && newMobile >= 0 ? newMobile : mobile
  const isPlaceholder = random.chance(0.004)
  const second = random.chance(0.6) ? secondMobile : -1
  const landline = world.households.landline.get(household)
  // A second contact of a person begins with another number.
  const listed = moment === 'again' ? [current, second, landline] : [current, landline, second]
  const [first, next] = listed.filter((phone) => phone >= 0)
  if (random.chance(0.12)) return { phone: '', phone_2: written(first) }
  const phone = isPlaceholder ? '000-000-0000' : written(first)
  return { phone, phone_2: random.chance(0.7) ? written(next) : '' }
}

function email(world: World, person: number, moment: Moment, random: Random): string {
  const employer = world.people.employer.get(person)
  if (moment === 'work' && random.chance(0.25)) return deskEmail(employer)
  const wanted = { now: 0, again: 1, work: 1, then: 2 }[moment]
  const which = hasEmail(world, person, wanted) ? wanted : 0
  if (!hasEmail(world, person, which) || random.chance(0.15)) return ''
  const text = emailOf(world, person, DAY_1, which)
  return random.chance(0.08) ? text.toUpperCase() : text
}
