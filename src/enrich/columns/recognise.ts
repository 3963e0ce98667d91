import { setImmediate as turn } from 'node:timers/promises'
import { cellValue, emailsOf, phonesOf, zipOf } from '../read/cell-values.ts'
import { type Candidate, chosenColumns } from './choice.ts'
import { CLEAR_SHARE, recogniseContent, type Share } from './content.ts'
import { type ClueField, type ColumnName, readColumnName } from './names.ts'
import { parseBirthDate } from '../../normalize/birth-date.ts'
import { normalizeEmail } from '../../normalize/email.ts'
import { parsePhone } from '../../normalize/phone.ts'
import { stateCode } from '../../normalize/places.ts'

export interface MappedColumn {
  readonly column: number
  readonly field: ClueField
  /** The evidence: the column's name, its values, or the option `--map`. */
  readonly by: 'name' | 'content' | 'map'
}

export interface Mapping {
  readonly columns: readonly MappedColumn[]
  /** Sentences about possible errors in the mapping. The user confirms them before the run starts. */
  readonly doubts: readonly string[]
  /** Values for `--map` that answer the doubts; null for a column not to use. Empty where `--map` cannot help. */
  readonly remedies: ReadonlyMap<number, ClueField | null>
  /** Columns that are not used although their values look like a field. */
  readonly hints: ReadonlyMap<number, ClueField>
  /** For columns recognised by values: the share of values that look like the field. */
  readonly shares: ReadonlyMap<number, Share>
}

/** A date with or without a time has as many digits as a phone: `2025-02-06 10:22`. */
const MOMENT = /^\d{4}-\d\d-\d\d|^\d{1,2}\/\d{1,2}\/\d{2,4}\b|\d:\d\d/
const DAY_OF_YEAR = /^\d{1,2}[-/]\d{1,2}$/
const ROUNDED = /^(?=.{1,10}E)\d(?:\.\d+)?E\+(?:09|1[0-2])$/i
const CITY_AND_ZIP = /\p{L}.*[ ,]\d{5}(?:-\d{4})?$/u

/** Tests whether a value looks like a field. Fields of free text have no test. */
export const FIELD_TESTS: Partial<Record<ClueField, (text: string, today: string) => boolean>> = {
  person_id: (text) => /^P[0-9A-Za-z]{10}$/.test(text),
  property_id: (text) => /^[RA][0-9A-Za-z]{10}$/.test(text),
  email: (text) => emailsOf(text).some((one) => normalizeEmail(one) !== null),
  phone: (text) => !MOMENT.test(text) && phonesOf(text).some((one) => parsePhone(one) !== null),
  zip: (text) => zipOf(text) !== undefined,
  state: (text) => stateCode(text.toUpperCase().replaceAll('.', '')) !== null,
  birth_date: (text, today) => parseBirthDate(text, today) !== null,
  age: (text) => /^\d{1,3}(?:\.0+)?$/.test(text),
  name: (text) => /\p{L}/u.test(text) && !text.includes('@'),
  first_name: (text) => /\p{L}/u.test(text) && !text.includes('@'),
  last_name: (text) => /\p{L}/u.test(text) && !text.includes('@'),
  city: (text) => /\p{L}/u.test(text) && !/\d{4}/.test(text),
  address: (text) => /\p{L}/u.test(text),
  house_number: (text) => /\d/.test(text),
}
/** Fields that are recognised by their values whatever the column's name. */
const FIELDS_BY_VALUES = ['person_id', 'property_id', 'email', 'phone'] as const

/** A column whose name means a field holds something else if a smaller share of its values looks like the field. */
export const LEAST_SHARE = 0.3

type Asked = Parameters<typeof recognition>

/**
 * Recognises columns by their names, then by their values. `mapped` (from `--map`) overrides both; null means that a
 * column is not used. For fields that `needsAll` names, every column is used or becomes a doubt.
 */
export function recogniseColumns(...asked: Asked): Mapping {
  const steps = recognition(...asked)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does the same as `recogniseColumns`, and lets other requests run after every `VALUES_A_TURN` values. */
export async function recogniseInTurns(...asked: Asked): Promise<Mapping> {
  const steps = recognition(...asked)
  let values = 0
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    values += step.value
    if (values < VALUES_A_TURN) continue
    values = 0
    await turn()
  }
}

/** The slowest values take a few milliseconds together. */
const VALUES_A_TURN = 300

/** Yields after each column how many of its values were tested. */
function* recognition(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  mapped: ReadonlyMap<number, ClueField | null>,
  today: string,
  needsAll: (field: ClueField) => boolean = () => false,
): Generator<number, Mapping> {
  const columns: Candidate[] = []
  const doubts: string[] = []
  const remedies = new Map<number, ClueField | null>()
  const shares = new Map<number, Share>()
  const allValues: string[][] = []
  for (const [column, name] of header.entries()) {
    const mappedField = mapped.get(column)
    const named = readColumnName(name)
    const values = valuesOf(sample, column, header.length)
    allValues.push(values)
    yield 1 + values.length
    const add = (field: ClueField, by: Candidate['by']): void =>
      void columns.push({ column, field, by, place: named?.place ?? 'plain', ordinal: named?.ordinal ?? 1, isFilled: values.length > 0 }) // prettier-ignore
    if (mappedField !== undefined) {
      if (mappedField !== null) add(mappedField, 'map')
      continue
    }
    const field = named === null ? null : fieldByContent(named, values)
    const looks = field === null ? undefined : FIELD_TESTS[field]
    const found = FIELDS_BY_VALUES.find((one) => one !== field && values.length > 2 && isMostly(values, (value) => FIELD_TESTS[one]!(value, today))) // prettier-ignore
    const fits = looks === undefined || values.length === 0 ? 1 : share(values, looks, today)
    if (field !== null && fits >= LEAST_SHARE) add(field, 'name')
    else if (found !== undefined) {
      add(found, 'content')
      shares.set(column, { share: share(values, FIELD_TESTS[found]!, today), values: values.length })
    }
    if (field !== null && fits < LEAST_SHARE) {
      const holds = found === undefined ? `${Math.round(fits * 100)} % of ${values.length} values look like it` : `its values look like ${found}` // prettier-ignore
      doubts.push(`the name of column '${name}' means ${field}, but ${holds}`)
      remedies.set(column, found ?? null)
    }
    if (field === 'phone' && values.filter((value) => ROUNDED.test(value)).length > values.length / 10)
      doubts.push(`column '${name}' has numbers that a spreadsheet rounded, such as ${values.find((value) => ROUNDED.test(value))}: export the file again with the column as text`) // prettier-ignore
  }
  const content = yield* recogniseContent({ header, values: allValues, mapped, columns, today })
  doubts.push(...content.doubts)
  const all = [...columns, ...content.columns]
  const chosen = chosenColumns(header, all, { doubts, remedies }, allValues, needsAll)
  return {
    columns: chosen,
    doubts,
    remedies: new Map([...remedies, ...content.remedies]),
    hints: content.hints,
    shares: new Map([...shares, ...content.shares]),
  }
}

/**
 * Returns the field of a column's name; null when its values are only a part of the field. A city column may hold city,
 * state and ZIP code.
 */
function fieldByContent({ field, ordinal }: ColumnName, values: readonly string[]): ClueField | null {
  if (values.length === 0) return field
  const mostly = (pattern: RegExp): boolean => isMostly(values, (value) => pattern.test(value))
  // A row cannot be searched by the last four digits of a ZIP+4, or by a birthday without a year.
  if (field === 'zip' && ordinal === 4 && mostly(/^\d{1,4}$/)) return null
  if (field === 'birth_date' && mostly(DAY_OF_YEAR)) return null
  if ((field === 'city' || field === 'address_2') && mostly(CITY_AND_ZIP)) return 'city_state_zip'
  return field
}

/**
 * The most values tested in one column and in all columns. In a file with many columns fewer values of each are tested.
 */
const MOST_LOOKED_AT = 300
const MOST_OF_ALL = 20_000
/** The most cells read to find these values, because most cells may be blank. */
const MOST_CELLS = 200_000

/** Returns up to 300 values of a column, without blank cells. */
export function valuesOf(sample: readonly (readonly string[])[], column: number, columns: number): string[] {
  const values: string[] = []
  const most = Math.min(MOST_LOOKED_AT, Math.floor(MOST_OF_ALL / columns))
  const rows = Math.min(sample.length, Math.floor(MOST_CELLS / columns))
  for (let row = 0; row < rows; row++) {
    const value = cellValue(sample[row]![column] ?? '')
    if (value !== '' && values.push(value) === most) break
  }
  return values
}

/** Returns whether at least `CLEAR_SHARE` of the values pass the test. Stops as soon as too many values fail. */
export function isMostly(values: readonly string[], looks: (text: string) => boolean): boolean {
  let others = values.length - Math.ceil(values.length * CLEAR_SHARE)
  return values.every((value) => looks(value) || --others >= 0)
}

function share(
  values: readonly string[],
  looks: (text: string, today: string) => boolean,
  today: string,
): number {
  return values.filter((value) => looks(value, today)).length / Math.max(1, values.length)
}
