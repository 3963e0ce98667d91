import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import type { FileKind } from './definition.ts'

/** What a file's name says: its kind and the groups of the kind's pattern. */
export interface NamedFile {
  readonly kind: FileKind
  readonly groups: Readonly<Record<string, string>>
}

/** The days that files' names give their content, `YYYY-MM-DD`; null where the kind or the name has none. */
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
    for (const [index, day] of (row?.days ?? []).entries()) days[index] ??= day
  }
  return days
}
