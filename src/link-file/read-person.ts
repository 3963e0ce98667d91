import { cellValue, emailsOf, phonesOf } from '../enrich/read/cell-values.ts'
import { normalizeAddress, parseStreetLine } from '../normalize/address.ts'
import { normalizeEmail } from '../normalize/email.ts'
import { fold } from '../normalize/fold.ts'
import { nameFrequency } from '../normalize/name-frequencies.ts'
import { GENERATIONS } from '../normalize/name-words.ts'
import { parseName } from '../normalize/name.ts'
import { GIVEN_STARTS } from '../normalize/person-name.ts'
import { parsePhone } from '../normalize/phone.ts'
import { readBirthDate } from './birth-dates.ts'
import type { PersonField } from './fields.ts'
import type { Proposal, UsedColumn } from './propose-columns.ts'

/** An address in the shape of `link.records`. */
export interface PersonAddress {
  address_key: string | null
  building_key: string | null
  house_number: string | null
  street_name: string | null
  unit_number: string | null
  city: string | null
  state: string | null
  zip: string | null
}

/** The person of one row, in the columns of `link.records`. */
export interface Person {
  first_name: string | null
  middle_name: string | null
  last_name: string | null
  name_suffix: string | null
  other_last_names: string[]
  birth_year: number | null
  birth_month: number | null
  birth_day: number | null
  gender: string | null
  addresses: PersonAddress[]
  phones: string[]
  emails: string[]
  employer: string | null
  identifiers: string[]
  traits: string[]
}

/** Converts the rows of one file into people. */
export class PersonReader {
  readonly #proposal: Proposal
  readonly #today: string
  readonly #own: readonly UsedColumn[]
  /** The address columns, one list per address. */
  readonly #places: readonly (readonly UsedColumn[])[]

  constructor(proposal: Proposal, today: string) {
    this.#proposal = proposal
    this.#today = today
    this.#own = proposal.used.filter(({ field }) => !PLACE_FIELDS.has(field))
    this.#places = placesOf(proposal.used.filter(({ field }) => PLACE_FIELDS.has(field)))
  }

  read(cells: readonly string[]): Person {
    const person: Person = { first_name: null, middle_name: null, last_name: null, name_suffix: null, other_last_names: [], birth_year: null, birth_month: null, birth_day: null, gender: null, addresses: [], phones: [], emails: [], employer: null, identifiers: [], traits: [] } // prettier-ignore
    let name = ''
    for (const { column, field, kind } of this.#own) {
      const text = cellValue(cells[column] ?? '')
      if (text === '') continue
      switch (field) {
        case 'name':
          name = text
          break
        case 'first_name':
        case 'middle_name':
        case 'last_name':
        case 'employer':
          person[field] = fold(text)
          break
        case 'name_suffix':
          person.name_suffix = generationOf(text) ?? fold(text)
          break
        case 'other_last_name':
          person.other_last_names.push(fold(text))
          break
        case 'birth_date':
          this.#addBirthDate(person, text)
          break
        case 'birth_year':
        case 'birth_month':
        case 'birth_day':
          person[field] ??= /^\d{1,4}(\.0+)?$/.test(text) ? Math.trunc(Number(text)) : null
          break
        case 'gender':
          person.gender = GENDERS.get(fold(text)) ?? fold(text)
          break
        case 'phone':
          for (const one of phonesOf(text)) addTo(person.phones, phoneOf(one))
          break
        case 'email':
          for (const one of emailsOf(text)) addTo(person.emails, emailOf(one))
          break
        case 'identifier':
          addTo(person.identifiers, labelled(kind, fold(text).replace(/[^A-Z0-9]/g, '')))
          break
        case 'trait':
          addTo(person.traits, labelled(kind, fold(text)))
          break
      }
    }
    if (name !== '') this.#addFullName(person, name)
    divideGivenNames(person)
    takeGeneration(person)
    for (const columns of this.#places) {
      const address = this.#addressOf(cells, columns)
      if (address !== null) person.addresses.push(address)
    }
    return person
  }

  #addBirthDate(person: Person, text: string): void {
    const birth = readBirthDate(text, this.#today, this.#proposal.isDayFirst)
    if (birth === null) return
    person.birth_year = birth.year
    person.birth_month = birth.month === 0 ? null : birth.month
    person.birth_day = birth.day === 0 ? null : birth.day
  }

  /** Reads the name of the first person that a cell names. An organisation becomes a last name. */
  #addFullName(person: Person, text: string): void {
    const { people, organisation } = parseName(text, this.#proposal.nameOrder)
    const [one] = people
    if (one === undefined) {
      person.last_name ??= fold(organisation ?? text)
      return
    }
    person.first_name ??= one.first
    person.middle_name ??= one.middle
    person.last_name ??= one.last
    person.name_suffix ??= one.suffix
  }

  #addressOf(cells: readonly string[], columns: readonly UsedColumn[]): PersonAddress | null {
    const parts: Partial<Record<PersonField, string>> = {}
    for (const { column, field } of columns) {
      const text = cellValue(cells[column] ?? '')
      if (text !== '') parts[field] ??= text
    }
    if (Object.keys(parts).length === 0) return null
    return parts.address === undefined && parts.city_state_zip === undefined
      ? addressInParts(parts, this.#proposal.isAmerican)
      : addressInLine(parts, this.#proposal.isAmerican)
  }
}

const PLACE_FIELDS: ReadonlySet<PersonField> = new Set(['address', 'house_number', 'street_direction', 'street_name', 'street_type', 'street_post_direction', 'address_2', 'city', 'state', 'zip', 'city_state_zip']) // prettier-ignore
const STREET: ReadonlySet<PersonField> = new Set(['address', 'street_name', 'city_state_zip'])

/** Groups the columns of each address. Columns of a group without a street (`City` beside `Home Address`) are added to the other groups. */
function placesOf(columns: readonly UsedColumn[]): UsedColumn[][] {
  const groups = [...Map.groupBy(columns, ({ place, ordinal }) => `${place} ${ordinal}`).values()]
  const streets = groups.filter((group) => group.some(({ field }) => STREET.has(field)))
  if (streets.length === 0) return groups
  const rest = groups.filter((group) => !streets.includes(group)).flat()
  return streets.map((group) => [
    ...group,
    ...rest.filter((one) => !group.some(({ field }) => field === one.field)),
  ])
}

const GENDERS = new Map([['MALE', 'M'], ['FEMALE', 'F'], ['MAN', 'M'], ['WOMAN', 'F'], ['H', 'M']]) // prettier-ignore

function generationOf(text: string): string | null {
  const word = fold(text).replace(/[^A-Z0-9]/g, '')
  return GENERATIONS.get(word) ?? (word === 'V' || word === 'I' ? word : null)
}

/**
 * Splits given names: `MARIA DEL CARMEN` is MARIA with the middle name DEL CARMEN; `LA SHAWN` is one name. Full names
 * are split in the same way.
 */
function divideGivenNames(person: Person): void {
  const words = (person.first_name ?? '').split(/[\s.]+/).filter((word) => word !== '')
  if (words.length < 2) return
  const isOne = GIVEN_STARTS.has(words[0]!) && (nameFrequency(words[0]! + words[1]!)?.given ?? 0) >= 0.2
  const first = words.slice(0, isOne ? 2 : 1).join(' ')
  const rest = words.slice(isOne ? 2 : 1).join(' ')
  person.first_name = first
  if (rest !== '' && person.middle_name === null) person.middle_name = rest
}

/** Moves a suffix out of the last name: `SMITH JR` is SMITH with the suffix JR. */
function takeGeneration(person: Person): void {
  const words = (person.last_name ?? '').split(/[\s,]+/).filter((word) => word !== '')
  const last = words.at(-1)?.replaceAll('.', '') ?? ''
  const generation = GENERATIONS.get(last)
  if (words.length < 2 || generation === undefined) return
  person.last_name = words.slice(0, -1).join(' ')
  person.name_suffix ??= generation
}

function phoneOf(text: string): string | null {
  const phone = parsePhone(text)?.phone
  if (phone !== undefined) return phone
  // Phone numbers of other countries are kept. Ten digits that are no US number are a placeholder.
  const digits = text.replace(/\D/g, '')
  return digits.length >= 6 && digits.length <= 15 && !/^1?\d{10}$/.test(digits) ? digits : null
}

/**
 * Returns an e-mail address in lower case; null for a placeholder. Keeps a mistyped address, which may be similar to
 * the right one.
 */
function emailOf(text: string): string | null {
  const email = normalizeEmail(text)
  if (email !== null || PLACEHOLDER.test(text)) return email
  return /^[^@\s]+@.*[^@\s]$/.test(text) ? text.toLowerCase() : null
}

const PLACEHOLDER =
  /^(?:none|no[-. ]?e?mail|na|n\/a|unknown|no-?reply)@|@(?:none|no|na|unknown|noemail)\.com$/i

function labelled(kind: string, value: string): string | null {
  return value === '' ? null : `${kind}:${value}`
}

function addTo(list: string[], value: string | null): void {
  if (value !== null && !list.includes(value)) list.push(value)
}

function addressInLine(parts: Partial<Record<PersonField, string>>, isAmerican: boolean): PersonAddress {
  const { address = '', city_state_zip = '', house_number, address_2, city, state, zip } = parts
  const line_1 = [house_number, address, city_state_zip === '' ? '' : `, ${city_state_zip}`].filter((part) => part !== undefined && part !== '').join(' ') // prettier-ignore
  const line_2 = address_2 !== undefined && /^[\dA-Za-z]{1,5}$/.test(address_2) ? `# ${address_2}` : address_2
  const place = isAmerican ? { city: city ?? null, state: state ?? null, zip: zip ?? null } : {}
  const read = normalizeAddress({ line_1, line_2: line_2 ?? null, ...place })
  const street = [read.pre_directional, read.street_name, read.street_suffix, read.post_directional].filter((part) => part !== null).join(' ') // prettier-ignore
  const box = read.po_box === null ? null : `PO BOX ${read.po_box}`
  return {
    address_key: isAmerican ? read.address_key : null,
    building_key: isAmerican ? read.building_key : null,
    house_number: read.house_number,
    street_name: street === '' ? (box ?? (address === '' ? null : fold(address))) : street,
    unit_number: read.unit_number,
    ...placeOf(parts, isAmerican, read),
  }
}

function addressInParts(parts: Partial<Record<PersonField, string>>, isAmerican: boolean): PersonAddress {
  const { house_number, address_2, street_direction, street_name, street_type, street_post_direction } = parts
  const line = [street_direction, street_name, street_type, street_post_direction].filter((part) => part !== undefined).join(' ') // prettier-ignore
  const read = line === '' ? null : parseStreetLine(line)
  const street = read === null ? '' : [read.pre_directional, read.street_name, read.street_suffix, read.post_directional].filter((part) => part !== null).join(' ') // prettier-ignore
  return {
    address_key: null,
    building_key: null,
    house_number: house_number === undefined ? (read?.house_number ?? null) : fold(house_number),
    street_name: street === '' ? (line === '' ? null : fold(line)) : street,
    unit_number: address_2 === undefined ? (read?.unit_number ?? null) : fold(address_2),
    ...placeOf(parts, isAmerican, null),
  }
}

function placeOf(
  { city, state, zip }: Partial<Record<PersonField, string>>,
  isAmerican: boolean,
  read: { city: string | null; state: string | null; zip: string | null } | null,
): Pick<PersonAddress, 'city' | 'state' | 'zip'> {
  // Spreadsheets drop leading zeros of US ZIP codes. ZIP+4 codes have four more digits.
  const digits = isAmerican
    ? /^(\d{3,5})(?:\.0)?(?:-?\d{4})?$/.exec(zip ?? '')?.[1]?.padStart(5, '0')
    : undefined
  return {
    city: read?.city ?? folded(city),
    state: read?.state ?? folded(state),
    zip: read?.zip ?? digits ?? folded(zip),
  }
}

function folded(text: string | undefined): string | null {
  return text === undefined ? null : fold(text)
}
