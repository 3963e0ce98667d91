import { quotedLiteral } from '../warehouse/query.ts'
import type { ColumnType } from './canonical.ts'
import type { FileKind } from './definition.ts'

/** Days behind the file's own day that a date of these columns may be: nothing has been recorded, sold or born later. */
const DEFAULT_DAYS: Readonly<Record<string, number>> = { recorded_on: 7, sold_on: 7, birth_date: 7 }

/**
 * The condition under which a value of a date column is within its bounds, over the file `f`; null for a column without
 * bounds. Birth dates are text whose unknown parts are 00, which sort like dates.
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

/** Days that a name's date leaves open: a file of a month or a year may have any of its days. */
function daysOfName({ asOf }: FileKind): number {
  if (asOf === undefined || asOf.plusDays !== undefined || /%[djxc]/.test(asOf.format)) return 0
  return /%[-mbB]/.test(asOf.format) ? 31 : 366
}
