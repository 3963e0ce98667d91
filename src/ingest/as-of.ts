import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayOf } from '../clock.ts'
import { query } from '../warehouse/query.ts'
import type { FileKind } from './definition.ts'

/** A kind, and the groups of its pattern in the name of a file. */
export interface NamedFile {
  readonly kind: FileKind
  readonly groups: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000

/**
 * Returns the day of each file's content from its name, as `YYYY-MM-DD`. Returns null when the kind or the name has
 * no date.
 */
export async function asOfDates(
  db: DuckDBConnection,
  files: readonly NamedFile[],
): Promise<(string | null)[]> {
  const days: (string | null)[] = files.map(() => null)
  const formats = new Set(files.flatMap(({ kind }) => kind.asOf?.format ?? []))
  for (const format of formats) {
    const texts = files.map(({ kind, groups }) =>
      kind.asOf?.format === format ? (groups[kind.asOf.group] ?? null) : null,
    )
    const [row] = await query(
      db,
      `select list_transform(from_json($texts::varchar, '["varchar"]'),
         lambda text: try_strptime(text, $format)::date::varchar) as days`,
      z.object({ days: z.array(z.string().nullable()) }),
      { texts: JSON.stringify(texts), format },
    )
    for (const [index, day] of (row?.days ?? []).entries()) {
      const file = files[index]
      if (day !== null && file !== undefined) days[index] = later(day, plusDays(file))
    }
  }
  return days
}

/** Returns the number of days that the definition adds for this name, for example for a final roll. */
function plusDays({ kind, groups }: NamedFile): number {
  const plus = kind.asOf?.plusDays
  if (plus === undefined) return 0
  return plus.days[(groups[plus.group] ?? '').toUpperCase()] ?? 0
}

function later(day: string, days: number): string {
  return days === 0 ? day : dayOf(new Date(Date.parse(day) + days * DAY_MS))
}
