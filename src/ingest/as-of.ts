import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import type { FileKind } from './definition.ts'

const AsOf = z.object({ as_of_on: z.string().nullable() })

/** The day that a file's name gives its content, `YYYY-MM-DD`; null where the kind or the name has none. */
export async function asOfDate(
  db: DuckDBConnection,
  kind: FileKind,
  groups: Record<string, string>,
): Promise<string | null> {
  const text = kind.asOf === undefined ? undefined : groups[kind.asOf.group]
  if (kind.asOf === undefined || text === undefined) return null
  const { format, plusDays } = kind.asOf
  const days = plusDays?.days[groups[plusDays.group]?.toUpperCase() ?? ''] ?? 0
  const sql = 'select (try_strptime($text, $format)::date + $days::integer)::varchar as as_of_on'
  const [row] = await query(db, sql, AsOf, { text, format, days })
  return row?.as_of_on ?? null
}
