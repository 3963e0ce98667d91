import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { isEventState } from './event-regions.ts'

/** Events of one state that no search, subscription or notification reaches. */
export interface UnreachableEvents {
  /** State code; null for counties of an unknown state. */
  readonly state: string | null
  readonly event_count: number
}

const Row = z.object({ state: z.string().nullable(), event_count: z.int() })

/** Counts the deed events of a snapshot outside the states of `EVENT_STATES` (`wanted`), by state, most events first. */
export async function unreachableEvents(
  snapshotFolder: string,
  wanted: Config['EVENT_STATES'],
): Promise<UnreachableEvents[]> {
  const file = join(snapshotFolder, 'tables', 'deed_events.parquet').replaceAll("'", "''")
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '512MB', threads: '1' })
  const db = await instance.connect()
  try {
    const counts = await db.runAndReadAll(
      `select state, count(*)::integer as event_count from read_parquet('${file}')
       group by state order by event_count desc, state`,
    )
    return counts
      .getRowObjectsJson()
      .map((row) => Row.parse(row))
      .filter(({ state }) => state === null || !isEventState(wanted, state))
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}
