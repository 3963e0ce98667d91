import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import type { SourceDefinition } from './definition.ts'

/** The prefix of the landing folders of the sample. Its invented files of January 2026 never count as late. */
export const SAMPLE_FOLDER = 'sample-day-'

export interface LateSource {
  readonly source_id: string
  readonly newest_on: string
  readonly every_days: number
  readonly late_days: number
}

const Newest = z.object({ source_id: z.string(), newest_on: z.string() })

/** Returns the sources whose newest file is older than their definition expects. `today` is `YYYY-MM-DD`. */
export async function lateSources(
  db: DuckDBConnection,
  definitions: readonly SourceDefinition[],
  today: string,
): Promise<LateSource[]> {
  const everyDays = new Map(definitions.map((source) => [source.id, source.everyDays]))
  const rows = await query(
    db,
    `select source_id, max(as_of_on)::varchar as newest_on from ledger.files where status in ('loaded', 'repeated')
     group by source_id having not bool_and(starts_with(file_name, $sample)) order by source_id`,
    Newest,
    { sample: SAMPLE_FOLDER },
  )
  return rows
    .map(({ source_id, newest_on }) => {
      const every_days = everyDays.get(source_id) ?? 0
      return { source_id, newest_on, every_days, late_days: lateDays(newest_on, every_days, today) }
    })
    .filter(({ late_days }) => late_days > 0)
}

/**
 * Returns the number of days since a file was due. Returns 0 when none is due and when the definition expects none.
 */
export function lateDays(newest: string | null, everyDays: number, today: string): number {
  if (newest === null || everyDays === 0) return 0
  const age = Math.floor((Date.parse(today) - Date.parse(newest)) / 86_400_000)
  return Math.max(0, age - everyDays)
}
