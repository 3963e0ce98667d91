import type { DuckDBConnection } from '@duckdb/node-api'
import { codeRecords, codeSources, dropCoding, keepNumbers } from './coding.ts'
import { loadRecords } from './load-records.ts'
import type { Attribute, Records } from './records.ts'

export interface ReadOptions {
  /** Name of a table with the columns of `link.records`. */
  readonly from: string
  /** Number that `link.coded_records` gives to the first of these records. */
  readonly first: number
  /** Attributes of the model; when undefined, they are chosen among the kinds that the records have. */
  readonly attributes: readonly Attribute[] | undefined
}

/**
 * Reads records into arrays, and stores their numbers in `link.coded_records`: record k of the result has number `first + k`. Full runs and
 * incremental runs both use this function.
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
