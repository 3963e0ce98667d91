import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { Check } from '../warehouse/models.ts'
import { query } from '../warehouse/query.ts'

const SHOWN = 3
const Row = z.record(z.string(), z.unknown())

/**
 * Runs the checks one after another. @throws `check_failed` at the first check that returns a row, with its
 * name, its meaning, what to do, and up to three keys.
 */
export async function checkTables(
  db: DuckDBConnection,
  checks: readonly Check[],
  signal: AbortSignal,
): Promise<void> {
  for (const check of checks) {
    signal.throwIfAborted()
    const rows = await query(db, `select * from (\n${check.select}\n) limit ${SHOWN}`, Row)
    if (rows.length === 0) continue
    const keys = rows.map((row) => String(Object.values(row)[0]))
    throw new AppError(
      'check_failed',
      `check ${check.name} failed: ${check.meaning} (${keys.join(', ')}${rows.length === SHOWN ? ', …' : ''}). ` +
        `${sentence(check.remedy)} The snapshot published before keeps serving.`,
      { details: { check: check.name, keys: keys.join(', ') } },
    )
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
}
