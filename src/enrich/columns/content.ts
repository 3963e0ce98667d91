import { normalizeAddress } from '../../normalize/address.ts'
import { parseBirthDate } from '../../normalize/birth-date.ts'
import { nameFrequency, UNCOUNTED } from '../../normalize/name-frequencies.ts'
import { stateCode, zipPlace } from '../../normalize/places.ts'
import { type Candidate, SEARCHABLE } from './choice.ts'
import { type ClueField, readColumnName } from './names.ts'

/** From this share on, the values decide the field of a column. */
export const CLEAR_SHARE = 0.9
/** From this share on, a column is suggested where no field was found otherwise. */
const POSSIBLE_SHARE = 0.5

/** The share of the tested values that look like a field, and the number of tested values. */
export interface Share {
  readonly share: number
  readonly values: number
}

/** A field that can be recognised by values alone. */
interface Content {
  readonly field: ClueField
  /** The least number of values for which a column is recognised. */
  readonly enough: number
  readonly share: (values: readonly string[], today: string) => number
}

/** The least number of values for fields whose single values prove little. */
export const LEAST_VALUES = 10

/** Tests of single values for columns with an unknown name. `platbook link-file` uses them too. */
export const CONTENT_TESTS: readonly (readonly [ClueField, (text: string) => boolean])[] = [
  ['state', isState],
  ['zip', isZip],
  ['address', isAddress],
  ['name', isNameOfPerson],
]

const CONTENTS: readonly Content[] = [
  { field: 'state', enough: LEAST_VALUES, share: shareOf(isState) },
  { field: 'zip', enough: LEAST_VALUES, share: shareOf(isZip) },
  { field: 'birth_date', enough: LEAST_VALUES, share: shareOfBirthDates },
  { field: 'address', enough: 3, share: shareOf(isAddress) },
  { field: 'name', enough: 3, share: shareOf(isNameOfPerson) },
]

/** Returns 0 as soon as the share cannot reach `POSSIBLE_SHARE`, because testing addresses is slow. */
function shareOf(looks: (text: string) => boolean): Content['share'] {
  return (values) => {
    const least = values.length * POSSIBLE_SHARE
    let others = 0
    for (const value of values) if (!looks(value) && values.length - ++others < least) return 0
    return values.length === 0 ? 0 : 1 - others / values.length
  }
}

function isState(text: string): boolean {
  return /^[A-Za-z]{2}$/.test(text) && stateCode(text.toUpperCase()) !== null
}

function isZip(text: string): boolean {
  return /^\d{5}(?:-\d{4})?$/.test(text) && zipPlace(text.slice(0, 5)) !== undefined
}

/** `100 Main St, Austin, TX 78701`, `PO Box 12 Austin TX 78701`. A street line needs a street suffix. */
function isAddress(text: string): boolean {
  if (!/\d/.test(text) || !/\p{L}/u.test(text)) return false
  const { address_key, house_number, street_suffix } = normalizeAddress({ line_1: text })
  return address_key !== null || (house_number !== null && street_suffix !== null)
}

const MOST_WORDS = 5
const JOINT_OWNER = / *(?:&| and ).*$/i

/** `Jane Smith`, `SMITH, JANE A & JOHN`: the words are names in the Census list. */
function isNameOfPerson(text: string): boolean {
  const [surname = '', given] = text
    .replace(JOINT_OWNER, '')
    .normalize('NFD')
    .toUpperCase()
    .replace(/[\u0300-\u036f'’.]/g, '')
    .split(',', 2)
  if (!/^[A-Z -]+$/.test(`${surname} ${given ?? ''}`)) return false
  const [first, ...others] = (given === undefined ? [surname] : [surname, given]).map(words)
  const [behind] = others
  if (first === undefined || first.length === 0 || first.length + (behind?.length ?? 0) > MOST_WORDS)
    return false
  if (behind !== undefined) return behind.some(isGivenName)
  return first.filter((word) => nameFrequency(word) !== undefined).length >= 2 && first.some(isGivenName)
}

function isGivenName(word: string): boolean {
  return (nameFrequency(word)?.given ?? 0) > UNCOUNTED.given
}

function words(text: string): string[] {
  return text.split(/[ -]+/).filter((word) => word !== '')
}

const YOUNGEST = 16
const LEAST_SPAN = 25
const MOST_YOUNGER = 0.02

/**
 * Dates of birth span decades and end years ago. Dates of sales and other events lie closer together or reach up to
 * `today`.
 */
function shareOfBirthDates(values: readonly string[], today: string): number {
  const years = values.flatMap((text) => {
    const day = /\d{1,4}\D\d{1,2}\D\d{2,4}|^\d{8}$|[A-Za-z]{3}/.test(text)
      ? parseBirthDate(text, today)
      : null
    return day === null || day.endsWith('-00') ? [] : [Number(day.slice(0, 4))]
  })
  if (years.length < values.length * POSSIBLE_SHARE) return 0
  years.sort((left, right) => left - right)
  const grown = Number(today.slice(0, 4)) - YOUNGEST
  const younger = years.filter((year) => year > grown).length
  const tenth = Math.floor(years.length / 10)
  const span = years[years.length - 1 - tenth]! - years[tenth]!
  return younger > years.length * MOST_YOUNGER || span < LEAST_SPAN ? 0 : years.length / values.length
}

/** The fields of columns with unknown names, and the open questions. */
export interface FoundByContent {
  readonly columns: Candidate[]
  readonly shares: Map<number, Share>
  /** Columns that are shown to the user but not used. */
  readonly hints: Map<number, ClueField>
  readonly doubts: string[]
  /** Values for `--map` that answer the doubts; null for a column not to use. */
  readonly remedies: Map<number, ClueField | null>
}

interface Known {
  readonly header: readonly string[]
  /** The values of each column. */
  readonly values: readonly (readonly string[])[]
  /** Columns that `--map` decides. */
  readonly mapped: ReadonlyMap<number, ClueField | null>
  /** Columns that are recognised already. */
  readonly columns: readonly Candidate[]
  readonly today: string
}

/**
 * Recognises columns with unknown names by their values. Yields how many values were tested. A field is taken only if a
 * single column mostly looks like it. If named columns already identify people, names, addresses and birth dates in
 * other columns become hints. They may be about other people.
 */
export function* recogniseContent({
  header,
  values,
  mapped,
  columns,
  today,
}: Known): Generator<number, FoundByContent> {
  const found: FoundByContent = { columns: [], shares: new Map(), hints: new Map(), doubts: [], remedies: new Map() } // prettier-ignore
  const taken = new Set([...mapped.keys(), ...columns.map(({ column }) => column)])
  const unknown = [...header.keys()].filter((column) => readColumnName(header[column]!) === null)
  const isNamed = columns.some(({ field, column }) => SEARCHABLE.includes(field) && !unknown.includes(column))
  const possible: [ClueField, Shared][] = []
  for (const { field, enough, share } of CONTENTS) {
    const parts: readonly ClueField[] = field === 'name' ? ['name', 'first_name', 'last_name'] : [field]
    if (columns.some((one) => parts.includes(one.field))) continue
    const likely: Shared[] = []
    for (const column of unknown) {
      const held = values[column]!
      if (taken.has(column) || held.length === 0) continue
      yield 1 + held.length
      const its = share(held, today)
      if (its > 0) likely.push({ column, share: its, values: held.length })
    }
    const clear = likely.filter((one) => one.share >= CLEAR_SHARE && one.values >= enough)
    const [first, second] = clear
    if (first === undefined) {
      if (SEARCHABLE.includes(field)) for (const one of likely) possible.push([field, one])
      continue
    }
    for (const { column } of clear) taken.add(column)
    const isSafe = !isNamed || ((field === 'state' || field === 'zip') && second === undefined)
    if (!isSafe) {
      for (const { column } of clear) found.hints.set(column, field)
      continue
    }
    found.columns.push({ column: first.column, field, by: 'content', place: 'plain', ordinal: 1, isFilled: true }) // prettier-ignore
    found.shares.set(first.column, first)
    if (second === undefined) continue
    found.doubts.push(`${clear.map((one) => described(header, one)).join(' and ')} all look like ${field}`)
    for (const { column } of clear) found.remedies.set(column, column === first.column ? field : null)
  }
  const isSearchable = [...columns, ...found.columns].some(({ field }) => SEARCHABLE.includes(field))
  if (!isSearchable) nameCandidates(header, possible, found)
  return found
}

interface Shared extends Share {
  readonly column: number
}

/** Suggests the best column for each field, for inputs that nothing else can be searched by. */
function nameCandidates(
  header: readonly string[],
  possible: readonly [ClueField, Shared][],
  { doubts, remedies }: FoundByContent,
): void {
  const best = new Map<ClueField, Shared>()
  for (const [field, one] of possible) {
    const before = best.get(field)
    if (!remedies.has(one.column) && (before === undefined || one.share > before.share)) best.set(field, one)
  }
  for (const [field, one] of best) {
    doubts.push(`${described(header, one)} may hold ${field}`)
    remedies.set(one.column, field)
  }
}

function described(header: readonly string[], { column, ...its }: Shared): string {
  return `'${header[column]}' (${shareText(its)})`
}

/** Returns `97 % of 300 values`. The share is rounded down, so 99.9 % is not shown as 100 %. */
export function shareText({ share, values }: Share): string {
  return `${Math.floor(share * 100)} % of ${values} ${values === 1 ? 'value' : 'values'}`
}
