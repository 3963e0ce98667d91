import { AppError } from '../errors.ts'
import { cellValue } from '../enrich/read/cell-values.ts'
import { isAddressField, type Place, readColumnName } from '../enrich/columns/names.ts'
import { LEAST_VALUES, CONTENT_TESTS } from '../enrich/columns/content.ts'
import { LEAST_SHARE, isMostly, FIELD_TESTS, valuesOf } from '../enrich/columns/recognise.ts'
import { stateCode, zipPlace } from '../normalize/places.ts'
import { firstScore } from '../normalize/name-words.ts'
import { isBirthDate, isMostlyDayFirst } from './birth-dates.ts'
import {
  fieldNamed,
  isTruthName,
  PERSON_FIELDS,
  type PersonField,
  personField,
  plainName,
  MULTI_VALUED_FIELDS,
  IDENTIFYING_FIELDS,
} from './fields.ts'

/** A column and the field that it is read as. */
export interface UsedColumn {
  readonly column: number
  readonly field: PersonField
  /** Kind of an identifier or trait; empty for other fields. */
  readonly kind: string
  /**
   * For `Mailing Address 2`, `place` is the mailing address and `ordinal` is 2. Address columns with an equal place and
   * ordinal form one address.
   */
  readonly place: Place
  readonly ordinal: number
  /** Reason for the choice, shown to the user. */
  readonly why: string
}

/** How to read the columns of one file. */
export interface Proposal {
  readonly header: readonly string[]
  readonly used: readonly UsedColumn[]
  readonly unused: readonly { readonly column: number; readonly why: string }[]
  /** Order of the words in full names without a comma. */
  readonly nameOrder: 'given_first' | 'surname_first' | 'unknown'
  /** True when 3/4/1970 is the 3rd of April. */
  readonly isDayFirst: boolean
  /** True when states and ZIP codes are those of the US. Then addresses are parsed by US rules. */
  readonly isAmerican: boolean
}

/** The fields of `--map COLUMN=FIELD`, by column; null for a column that is not used. */
export type ColumnMap = ReadonlyMap<string, { readonly field: PersonField; readonly kind: string } | null>

/**
 * Parses the values of `--map`.
 * @throws `bad_usage` for a text without `=`, or for an unknown field.
 */
export function parsePersonMap(texts: readonly string[]): ColumnMap {
  const map = new Map<string, { field: PersonField; kind: string } | null>()
  for (const text of texts) {
    const at = text.lastIndexOf('=')
    if (at < 1) throw new AppError('bad_usage', `--map ${text}: expected COLUMN=FIELD`)
    const column = text.slice(0, at)
    const [field = '', kind = plainName(column)] = text.slice(at + 1).split(':')
    const isOfKind = field === 'identifier' || field === 'trait'
    if (field === '-') map.set(column, null)
    else if (!PERSON_FIELDS.includes(field as PersonField) || (kind !== plainName(column) && !isOfKind))
      throw new AppError(
        'bad_usage',
        `--map ${text}: there is no field '${text.slice(at + 1)}'; the fields are ${PERSON_FIELDS.join(', ')} (identifier:KIND and trait:KIND also name a kind), or - to ignore the column`,
      )
    else map.set(column, { field: field as PersonField, kind: isOfKind ? kindOf(kind) : '' })
  }
  return map
}

// Values are stored as `kind:value`, so a kind has only letters, digits and `_`.
function kindOf(text: string): string {
  const kind = text.toLowerCase().replace(/[^a-z0-9_]/g, '')
  return kind === '' ? 'other' : kind
}

/**
 * Checks that each column of `--map` is in a file.
 * @throws `bad_usage` otherwise.
 */
export function checkMap(map: ColumnMap, headers: readonly (readonly string[])[]): void {
  for (const column of map.keys())
    if (!headers.some((header) => header.includes(column)))
      throw new AppError(
        'bad_usage',
        `--map ${column}=…: there is no column '${column}'; the columns are ${[...new Set(headers.flat())].slice(0, 40).join(', ')}`,
      )
}

export interface ColumnSample {
  readonly name: string
  readonly header: readonly string[]
  readonly sample: readonly (readonly string[])[]
}

/**
 * Proposes what each column of a file holds. `--map` decides first, then the column name unless the values contradict
 * it, then the values. The column `truth` is never used.
 * @throws `bad_input` when no column can identify people.
 */
export function proposeColumns(
  { name: file, header, sample }: ColumnSample,
  map: ColumnMap,
  truth: string | undefined,
  today: string,
): Proposal {
  const values = header.map((_, column) => valuesOf(sample, column, header.length))
  const used: UsedColumn[] = []
  const unused: { column: number; why: string }[] = []
  const open: number[] = []
  for (const [column, name] of header.entries()) {
    const texts = values[column]!
    const mapped = map.get(name)
    if (name === truth) unused.push({ column, why: 'the truth, which is never compared' })
    else if (mapped === null) unused.push({ column, why: '--map' })
    else if (mapped !== undefined)
      used.push({ column, ...mapped, place: readColumnName(name)?.place ?? 'plain', ordinal: 1, why: '--map' }) // prettier-ignore
    else if (isTruthName(name))
      unused.push({ column, why: `may be the truth, so it is not compared: --truth '${name}' evaluates the clusters with it` }) // prettier-ignore
    else if (texts.length === 0) unused.push({ column, why: 'empty in the first rows' })
    else {
      const named = nameMeans(name, texts)
      const fault = named === undefined ? undefined : contradiction(named, texts, today)
      if (named === undefined) open.push(column)
      else if (fault === undefined) used.push({ column, ...named, why: 'its name' })
      else {
        unused.push({ column, why: fault })
        open.push(column)
      }
    }
  }
  for (const found of byContent(open, values, used)) {
    const at = unused.findIndex(({ column }) => column === found.column)
    if (at >= 0) unused.splice(at, 1)
    used.push(found)
  }
  for (const column of open)
    if (![...used, ...unused].some((one) => one.column === column))
      unused.push({ column, why: hintOf(values[column]!, today) })
  const chosen = chosenColumns(withParts(used, values), header, unused)
  if (!chosen.some(({ field }) => IDENTIFYING_FIELDS.includes(field)))
    throw new AppError(
      'bad_input',
      `${file}: no column was recognised that can identify people (${IDENTIFYING_FIELDS.join(', ')}); the columns are ${header.slice(0, 40).join(', ')}: name their fields with --map COLUMN=FIELD`,
    )
  return {
    header,
    used: chosen.sort((a, b) => a.column - b.column),
    unused: unused.sort((a, b) => a.column - b.column),
    nameOrder: nameOrderOf(chosen.filter(({ field }) => field === 'name').flatMap(({ column }) => values[column]!)), // prettier-ignore
    isDayFirst: isMostlyDayFirst(chosen.filter(({ field }) => field === 'birth_date').flatMap(({ column }) => values[column]!)), // prettier-ignore
    isAmerican: isAmerican(chosen, values),
  }
}

type Meaning = Pick<UsedColumn, 'field' | 'kind' | 'place' | 'ordinal'>

function nameMeans(name: string, texts: readonly string[]): Meaning | undefined {
  const own = fieldNamed(name)
  if (own !== undefined) {
    // The names `birth_day` and `Birthday` are equal here. The values show whether the column has days of the month
    // or dates.
    const isDate = own.field === 'birth_day' && !isMostly(texts, (text) => /^\d{1,2}(\.0+)?$/.test(text))
    return { field: isDate ? 'birth_date' : own.field, kind: own.kind ?? '', place: 'plain', ordinal: 1 }
  }
  const read = readColumnName(name)
  const field = read === null ? undefined : personField(read.field)
  return field === undefined ? undefined : { field, kind: '', place: read!.place, ordinal: read!.ordinal }
}

/** Returns the reason why the values contradict the column name; undefined when they fit. */
function contradiction(
  { field, ordinal }: Meaning,
  texts: readonly string[],
  today: string,
): string | undefined {
  if (ordinal > 1 && !isAddressField(field as never) && !MULTI_VALUED_FIELDS.has(field))
    return `describes person ${ordinal} of the row: only the first person is read`
  const looks = testOf(field, today)
  if (looks === undefined) return undefined
  const share = texts.filter(looks).length / texts.length
  if (share >= LEAST_SHARE) return undefined
  return `has the name of ${field}, but only ${Math.round(share * 100)} % of ${texts.length} values look like it`
}

function testOf(field: PersonField, today: string): ((text: string) => boolean) | undefined {
  if (field === 'birth_date') return (text) => isBirthDate(text, today)
  if (field === 'birth_year') return (text) => /^\d{4}(\.0+)?$/.test(text)
  if (field === 'birth_month' || field === 'birth_day') return (text) => /^\d{1,2}(\.0+)?$/.test(text)
  // States and ZIP codes have no test: those of other countries are as useful.
  if (field === 'phone') return (text) => text.replace(/\D/g, '').length >= 6
  if (field === 'email') return (text) => text.includes('@')
  if (field !== 'name' && field !== 'first_name' && field !== 'last_name' && field !== 'city' && field !== 'address') return undefined // prettier-ignore
  const looks = FIELD_TESTS[field]
  return looks === undefined ? undefined : (text) => looks(text, today)
}

/**
 * Recognises columns by their values. E-mails and phones are always recognised. Names, addresses, states and ZIP
 * codes are recognised only when no column has such a name.
 */
function byContent(
  open: readonly number[],
  values: readonly (readonly string[])[],
  named: readonly UsedColumn[],
): UsedColumn[] {
  const found: UsedColumn[] = []
  const why = 'its values'
  const rest = open.filter((column) => {
    const field = (['email', 'phone'] as const).find((one) => values[column]!.length > 2 && isMostly(values[column]!, (text) => FIELD_TESTS[one]!(text, ''))) // prettier-ignore
    if (field === undefined) return true
    found.push({ column, field, kind: '', place: 'plain', ordinal: 1, why })
    return false
  })
  for (const [clue, looks] of CONTENT_TESTS) {
    const field = personField(clue)!
    const parts: readonly PersonField[] = field === 'name' ? ['name', 'first_name', 'last_name'] : field === 'address' ? ['address', 'street_name'] : [field] // prettier-ignore
    if ([...named, ...found].some((one) => parts.includes(one.field))) continue
    const column = rest.find((one) => !found.some((taken) => taken.column === one) && values[one]!.length >= LEAST_VALUES && isMostly(values[one]!, looks)) // prettier-ignore
    if (column !== undefined) found.push({ column, field, kind: '', place: 'plain', ordinal: 1, why })
  }
  return found
}

function hintOf(texts: readonly string[], today: string): string {
  if (
    texts.length >= LEAST_VALUES &&
    isMostly(texts, (text) => isBirthDate(text, today) && /\D.*\D|^\d{8}$/.test(text))
  )
    return 'contains dates: --map COLUMN=birth_date if they are birth dates'
  return 'neither its name nor its values are recognised'
}

/**
 * Corrects fields by the other columns. Single words in a name column beside a last-name column are first names. An
 * address column beside a house-number column holds street names.
 */
function withParts(used: readonly UsedColumn[], values: readonly (readonly string[])[]): UsedColumn[] {
  const has = (field: PersonField): boolean => used.some((one) => one.field === field)
  return used.map((one) => {
    const texts = values[one.column]!
    if (one.why === '--map' || texts.length === 0) return one
    const mostly = (pattern: RegExp): boolean => texts.filter((text) => pattern.test(text)).length * 2 > texts.length // prettier-ignore
    if (one.field === 'name' && has('last_name') && !has('first_name') && mostly(/^\S+$/)) return { ...one, field: 'first_name' } // prettier-ignore
    if (one.field === 'address' && has('house_number') && !mostly(/^\d+\S* /)) return { ...one, field: 'street_name' } // prettier-ignore
    return one
  })
}

/** Keeps the first column of each single-valued field. Names in parts are preferred to full names. */
function chosenColumns(
  used: readonly UsedColumn[],
  header: readonly string[],
  unused: { column: number; why: string }[],
): UsedColumn[] {
  const isDivided = used.some(({ field }) => field === 'last_name')
  const isInParts = (place: Place, ordinal: number): boolean => used.some((one) => one.field === 'street_name' && one.place === place && one.ordinal === ordinal) // prettier-ignore
  const chosen: UsedColumn[] = []
  for (const one of used.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { column, field, place, ordinal } = one
    const before = MULTI_VALUED_FIELDS.has(field)
      ? undefined
      : chosen.find((other) => other.field === field && (!isAddressField(field as never) || (other.place === place && other.ordinal === ordinal))) // prettier-ignore
    if (field === 'name' && isDivided && one.why !== '--map')
      unused.push({ column, why: 'other columns contain the name in parts' })
    else if (field === 'address' && one.why !== '--map' && isInParts(place, ordinal))
      unused.push({ column, why: 'other columns contain the address in parts' })
    else if (before !== undefined)
      unused.push({ column, why: `'${header[before.column]}' is already read as ${field}` })
    else chosen.push(one)
  }
  return chosen
}

function rankOf({ why, column }: UsedColumn): number {
  return (why === '--map' ? 0 : why === 'its name' ? 1 : 2) * 1e6 + column
}

/**
 * Returns the usual order of words in full names, by how often their first and last words are given names or
 * surnames.
 */
function nameOrderOf(names: readonly string[]): Proposal['nameOrder'] {
  let [given, surname] = [0, 0]
  for (const name of names) {
    const words = name.toUpperCase().split(/\s+/).filter((word) => /^[\p{L}'-]{2,}$/u.test(word)) // prettier-ignore
    if (words.length < 2 || name.includes(',')) continue
    const score = firstScore(words[0]!) - firstScore(words.at(-1)!)
    if (score > 0) given++
    else if (score < 0) surname++
  }
  if (given + surname < LEAST_VALUES) return 'unknown'
  return given > 2 * surname ? 'given_first' : surname > 2 * given ? 'surname_first' : 'unknown'
}

function isAmerican(used: readonly UsedColumn[], values: readonly (readonly string[])[]): boolean {
  const heldBy = (wanted: PersonField): readonly string[] => used.filter(({ field }) => field === wanted).flatMap(({ column }) => values[column]!) // prettier-ignore
  const states = heldBy('state')
  const zips = heldBy('zip')
  const known =
    states.filter((text) => stateCode(cellValue(text).toUpperCase().replaceAll('.', '')) !== null).length +
    zips.filter((text) => /^\d{5}/.test(text) && zipPlace(text.slice(0, 5)) !== undefined).length
  return known * 2 >= states.length + zips.length
}
