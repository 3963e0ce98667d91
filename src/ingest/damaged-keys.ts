import { columnsIn } from './closed-lists.ts'
import type { FileKind } from './definition.ts'

/** A kind of damage that a spreadsheet does to the text of an identifier. */
type Damage = 'scientific' | 'error' | 'date'

/** A check of one column. `sql` gets the column's trimmed text and is true when the text is damaged. */
export interface DamagedKey {
  readonly column: string
  readonly sql: (text: string) => string
  readonly reason: string
}

/** Staging columns that identify something. Damaged values would join or split what they identify. */
const KEY_COLUMNS = new Set([
  'parcel_number',
  'instrument_number',
  'document_id',
  'refers_to_document_id',
  'refers_to_instrument_number',
  'deed_number',
  'identifier',
])

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
// Excel shows numbers of 12 digits or more as 5.02E+11. It reads 10-5, 3/5 and MAR5 as days and writes 5-Oct,
// 3/5/2025, 5-Mar.
const DATES = [
  `[0-9]{1,2}-(${MONTHS})(-[0-9]{2}([0-9]{2})?)?`,
  `(${MONTHS})-[0-9]{2}([0-9]{2})?`,
  '[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}( 0{1,2}:00(:00)?)?',
  '[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00',
].join('|')

// Each check begins with a cheap test that almost every row fails, so that the pattern is rarely tried.
const CHECKS: Readonly<Record<Damage, { sql: (text: string) => string; cause: string }>> = {
  scientific: {
    sql: (text) =>
      `coalesce(contains(lower(${text}), 'e+') and regexp_full_match(${text}, '[0-9]([.,][0-9]+)?[eE][+][0-9]+'), false)`,
    cause: 'is a number in scientific notation: a spreadsheet has shortened the identifier',
  },
  error: {
    sql: (text) =>
      `coalesce(starts_with(${text}, '#') and regexp_full_match(${text}, '#(N/A|REF!|VALUE!|NAME[?]|DIV/0!|NUM!|NULL!|SPILL!|CALC!|#+)'), false)`,
    cause: 'is an error value of a spreadsheet: the cell had a formula or was too narrow',
  },
  date: {
    sql: (text) =>
      `coalesce((contains(${text}, '-') or contains(${text}, '/')) and regexp_full_match(${text}, '(?i:${DATES})'), false)`,
    cause: 'is a date: a spreadsheet has read the identifier as one',
  },
}

/** Returns the checks of the columns that identify a kind's records, parcels, instruments and documents. */
export function damagedKeys(kind: FileKind): DamagedKey[] {
  const made = kind.rows.flatMap(({ set }) =>
    Object.entries(set).flatMap(([column, expression]) =>
      KEY_COLUMNS.has(column) ? columnsIn(expression) : [],
    ),
  )
  const dates = new Set(datesIn(kind.rows))
  const identity = columnsIn(kind.identity)
  const columns = [...new Set([...identity, ...made, ...Object.keys(kind.keys)])]
  return columns.flatMap((column) => {
    const { length, allow = [] } = kind.keys[column] ?? {}
    // A date may be part of the identity. A date is damage only in a column that fills an identifier.
    const isNumber = made.includes(column) && !dates.has(column)
    const damages = (['scientific', 'error', 'date'] as const).filter(
      (damage) => !allow.includes(damage) && (damage !== 'date' || isNumber),
    )
    const checks = damages.map((damage): DamagedKey => ({
      column,
      sql: CHECKS[damage].sql,
      reason: `${column} ${CHECKS[damage].cause}; get the original file from the publisher`,
    }))
    if (length === undefined) return checks
    const short: DamagedKey = {
      column,
      sql: (text) => `coalesce(length(${text}) < ${length}, false)`,
      reason: `${column} has fewer than ${length} characters: a spreadsheet has dropped its leading zeros; get the original file from the publisher`,
    }
    return [...checks, short]
  })
}

/** Returns the columns that a definition reads as dates. */
function datesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(datesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'date' || key === 'birthDate' ? columnsIn(each) : datesIn(each),
  )
}
