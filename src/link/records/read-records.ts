import type { DuckDBConnection } from '@duckdb/node-api'
import { codeRecords, codeSources, dropCoding, keepNumbers } from './coding.ts'
import { loadRecords } from './load-records.ts'
import type { Attribute, Records } from './records.ts'

export interface ReadOptions {
  /** A table of the shape of `link.records`. */
  readonly from: string
  /** Number of the first of these records in `link.coded_records`. */
  readonly first: number
  /** What the records are compared by; without it, the kinds that they have. */
  readonly attributes: readonly Attribute[] | undefined
}

/**
 * Reads records into arrays, and stores their numbers in `link.coded_records`: record k of the result has number `first + k`. Full and
 * incremental runs read with this function.
 */
export async function readRecords(
  db: DuckDBConnection,
  { from, first, attributes }: ReadOptions,
): Promise<Records> {
  await codeSources(db, from)
  await codeRecords(db, from)
  await keepNumbers(db, from, first)
  const records = await loadRecords(db, attributes)
  await dropCoding(db)
  return records
}
