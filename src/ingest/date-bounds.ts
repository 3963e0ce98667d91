import { quotedLiteral } from '../warehouse/query.ts'
import type { ColumnType } from './canonical.ts'
import type { FileKind } from './definition.ts'

/**
 * Dates of these columns may be at most this many days after the file's own day. They are not in the future, but the
 * day in a file's name may be a few days before its last records.
 */
const DEFAULT_DAYS: Readonly<Record<string, number>> = { recorded_on: 7, sold_on: 7, birth_date: 7 }

/**
 * Returns an SQL condition that is true when a date is within its bounds. `f` in it is the file of the row. Returns
 * null for a column without bounds. Birth dates are texts (`YYYY-MM-DD`, unknown parts 00), which compare like dates.
 */
export function dateBounds(
  kind: FileKind,
  rows: FileKind['rows'][number],
  column: string,
  value: string,
  type: ColumnType,
): string | null {
  if (type !== 'date' && column !== 'birth_date') return null
  const given = rows.bounds?.[column]
  const days = given?.notAfterDays === undefined ? (DEFAULT_DAYS[column] ?? null) : given.notAfterDays
  const asText = (day: string): string =>
    type === 'date' ? `(${day})::date` : `strftime(${day}, '%Y-%m-%d')`
  const conditions = [
    ...(days === null
      ? []
      : [`coalesce(${value} <= ${asText(`f.as_of_on::date + ${days + daysOfName(kind)}`)}, true)`]),
    ...(given?.notBefore === undefined
      ? []
      : [`${value} >= ${asText(`date ${quotedLiteral(given.notBefore)}`)}`]),
  ]
  return conditions.length === 0 ? null : conditions.join(' and ')
}

/**
 * Returns the number of days that the date in a file's name leaves open. A name with only a month or a year may
 * mean any of its days.
 */
function daysOfName({ asOf }: FileKind): number {
  if (asOf === undefined || asOf.plusDays !== undefined || /%[djxc]/.test(asOf.format)) return 0
  return /%[-mbB]/.test(asOf.format) ? 31 : 366
}
