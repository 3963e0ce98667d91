import { addressLine, placeOf, SHORT, stateOf } from './addresses.ts'
import { BANK_COUNT, BODIES_PER_COUNTY, businessName, governmentName } from './businesses.ts'
import { DAY_1, usDate } from './calendar.ts'
import { homeOn } from './changes.ts'
import { RATES } from './errors.ts'
import { givenFirst, joined, type NameParts, surnameFirst, withComma, writtenName } from './persons.ts'
import { mix, Random, stream } from './random.ts'
import { OWNER, ownerKind, ownerRow, type World } from './types.ts'

const OWNERS = stream('owner names')

/** The text of an owner field or a party, and the people whom it names, in the order of the text. */
export interface OwnerText {
  readonly text: string
  readonly people: readonly number[]
}

/** `roll`: `SMITH JOHN A & MARY B`. `index`: `SMITH, JOHN A`, a row for each name. `clerk`: `SMITH,JOHN A`, a row for each name. */
export type OwnerStyle = 'roll' | 'index' | 'clerk'

/**
 * Returns an owner as a source writes it: one text, or a text for each person where a row has one name.
 * The same owner of the same `thing` has the same text every time, so two issues of a roll differ only in changed owners.
 */
export function ownerTexts(
  world: World,
  code: number,
  day: number,
  style: OwnerStyle,
  thing: number,
  longest = 70,
): OwnerText[] {
  const random = new Random(world.seed).at(mix(OWNERS, code, style.length), thing)
  const kind = ownerKind(code)
  const row = ownerRow(code)
  if (kind === OWNER.business)
    return [{ text: cut(shortened(businessName(world, row), random), longest), people: [] }]
  if (kind === OWNER.government) return [{ text: cut(governmentName(world, row), longest), people: [] }]
  const people = peopleOf(world, kind, row)
  const names = people.map((person) =>
    writtenName(world, person, day, { casual: false, marks: style === 'roll' && random.chance(0.6) }, random),
  )
  if (kind === OWNER.familyTrust) {
    return [
      {
        text: cut(
          `${names[0]!.last} ${random.pick(['FAMILY TRUST', 'FAMILY LIVING TRUST', 'FAM TR'])}`,
          longest,
        ),
        people: [],
      },
    ]
  }
  if (style !== 'roll')
    return names.map((name, i) => ({
      text: cut(party(name, kind, style, random), longest),
      people: [people[i]!],
    }))
  return [rollText(people, names, kind, random, longest)]
}

function peopleOf(world: World, kind: number, row: number): number[] {
  const household = world.people.household.get(row)
  if (kind === OWNER.couple) return [row, row + 1]
  if (kind === OWNER.parentAndChild) return [row, row + world.households.size.get(household) - 1]
  if (kind === OWNER.trustee && world.households.couple.get(household) === 1 && row % 3 === 0)
    return [row, row + 1]
  return [row]
}

function party(name: NameParts, kind: number, style: OwnerStyle, random: Random): string {
  const base = style === 'clerk' ? withComma(name).replace(', ', ',') : indexed(name, random)
  switch (kind) {
    case OWNER.trustee:
      return `${base}${random.pick([' TRUSTEE', ' TR', ', AS TRUSTEE'])}`
    case OWNER.namedTrust:
      return `${givenFirst(name)} ${random.pick(['REVOCABLE TRUST', 'LIVING TRUST', 'REVOCABLE LIVING TRUST'])}`
    case OWNER.estate:
      return random.pick([`ESTATE OF ${givenFirst(name)}`, `${base} EST`, `${base} ESTATE`])
    case OWNER.lifeEstate:
      return style === 'clerk' ? `${base} LE` : base
    default:
      return base
  }
}

function indexed(name: NameParts, random: Random): string {
  const way = random.next()
  if (way < 0.87) return withComma(name)
  return way < 0.98 ? surnameFirst(name) : givenFirst(name)
}

function rollText(
  people: readonly number[],
  names: readonly NameParts[],
  kind: number,
  random: Random,
  longest: number,
): OwnerText {
  const [first, second] = names
  const single = random.chance(0.1) ? withComma(first!) : surnameFirst(first!)
  if (second !== undefined) return together(people, names, kind, random, longest)
  let text = single
  if (kind === OWNER.trustee) text = `${single} ${random.pick(['TRUSTEE', 'TR', 'TRS', 'TRUSTEE OF TRUST'])}`
  else if (kind === OWNER.namedTrust) {
    text = random.pick([
      `${givenFirst(first!)} REVOCABLE TRUST`,
      `${single} REV LIV TR`,
      `${givenFirst(first!)} LIVING TRUST DTD ${usDate(DAY_1 - 1000 - random.int(6000))}`,
    ])
  } else if (kind === OWNER.estate)
    text = random.pick([`${single} EST`, `ESTATE OF ${givenFirst(first!)}`, `${single} EST OF`])
  else if (kind === OWNER.lifeEstate) text = `${single} ${random.pick(['LIFE ESTATE', 'LE', 'L/E'])}`
  else {
    const way = random.next()
    if (way < 0.02) text = `${single} ET AL`
    else if (way < 0.04) text = givenFirst(first!)
  }
  return text.length > longest
    ? { text: cut(joined([first!.last, first!.first]), longest), people }
    : { text, people }
}

/** Returns the text for two owners in one field. */
function together(
  people: readonly number[],
  names: readonly NameParts[],
  kind: number,
  random: Random,
  longest: number,
): OwnerText {
  const [first, second] = names as [NameParts, NameParts]
  if (kind === OWNER.couple && random.chance(0.05)) {
    return {
      text: cut(`${surnameFirst(first)} ${random.pick(['ET UX', 'ET AL', 'ETUX'])}`, longest),
      people: people.slice(0, 1),
    }
  }
  const shares = first.last === second.last
  const and = random.chance(0.12) ? ' AND ' : ' & '
  const tail = kind === OWNER.trustee ? ' TRS' : ''
  const short = shares && random.chance(0.75)
  const full =
    surnameFirst(first) +
    and +
    (short ? joined([second.first, second.middle, second.suffix]) : surnameFirst(second)) +
    tail
  if (full.length <= longest) return { text: full, people }
  const brief = `${first.last} ${first.first} & ${shares ? '' : `${second.last} `}${second.first}${tail}`
  if (brief.length <= longest) return { text: brief, people }
  return { text: cut(`${first.last} ${first.first} ET AL`, longest), people: people.slice(0, 1) }
}

function shortened(name: string, random: Random): string {
  if (random.chance(0.04)) return name.replace(/ LLC$/, ' L L C').replace(/ INC$/, ' INC.')
  return name
}

function cut(text: string, longest: number): string {
  return text.slice(0, longest).trimEnd()
}

/** The mailing address of an owner. */
export interface Mailing {
  readonly line1: string
  readonly line2: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

/** Returns the mailing address of an owner on a day: home, office or town hall, or for one in twenty a post-office box. */
export function mailingOf(world: World, code: number, day: number): Mailing {
  const kind = ownerKind(code)
  const row = ownerRow(code)
  if (kind === OWNER.government) return officeOf(world, row)
  const isFirm = kind === OWNER.business
  const address = isFirm ? world.businesses.address.get(row) : homeOn(world, row, day)
  const place = placeOf(world, address)
  const rest = { city: place.city.toUpperCase(), state: stateOf(world, address), zip: place.zip }
  const way = mix(OWNERS, row, 7) % 100
  if (way < 5) return { line1: `PO BOX ${100 + (mix(OWNERS, row, 8) % 9000)}`, line2: '', ...rest }
  const unit = isFirm ? 'STE' : (['APT', 'UNIT', '#'] as const)[way % 3]!
  const line = addressLine(world, address, { ...SHORT, unit, ordinals: way % 5 > 0 })
  if (mix(OWNERS, row, 9) % 1000 >= RATES.careOf * 1000) return { line1: line, line2: '', ...rest }
  return { line1: `C/O ${businessName(world, row % BANK_COUNT)}`, line2: line, ...rest }
}

/** Returns the invented office of a public body, in the first city of its county. */
function officeOf(world: World, government: number): Mailing {
  const county = world.counties[Math.floor(government / BODIES_PER_COUNTY)]!
  const place = county.places[0]!
  return {
    line1: `${100 + (government % BODIES_PER_COUNTY) * 10} COURT HOUSE SQ`,
    line2: '',
    city: place.city.toUpperCase(),
    state: county.state,
    zip: place.zip,
  }
}
