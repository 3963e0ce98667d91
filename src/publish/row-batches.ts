import { DuckDBBlobVector, type DuckDBConnection, type DuckDBDataChunk } from '@duckdb/node-api'
import { readChunks } from '../warehouse/query.ts'

/** A chunk of rows, read by column and row. */
export interface Rows {
  readonly count: number
  /** An integer column's value; 0 for null. */
  integers(column: number, row: number): number
  /** A double column's value; NaN for null. */
  doubles(column: number, row: number): number
  /** A text column's value. */
  text(column: number, row: number): string | null
  /** A blob column's bytes; not to be changed. */
  bytes(column: number, row: number): Uint8Array
}

/**
 * Runs `sql` for each range of `size` numbers below `count` (as $low and $high) and yields its rows in order.
 * The engine works on the next range while the caller works on this one.
 */
export async function* rowBatches(
  db: DuckDBConnection,
  sql: string,
  count: number,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<Rows> {
  const run = (low: number): Promise<DuckDBDataChunk[]> => readChunks(db, sql, { low, high: low + size })
  let next = run(0)
  for (let low = 0; low < count; low += size) {
    const chunks = await next
    signal.throwIfAborted()
    if (low + size < count) {
      next = run(low + size)
      // Its error is seen when it is awaited; until then it must not count as unhandled.
      next.catch(() => undefined)
    }
    for (const chunk of chunks) yield rowsOf(chunk)
  }
}

/** The rows of one statement. */
export async function* rowChunks(
  db: DuckDBConnection,
  sql: string,
  signal: AbortSignal,
): AsyncGenerator<Rows> {
  for (const chunk of await readChunks(db, sql)) {
    signal.throwIfAborted()
    yield rowsOf(chunk)
  }
}

function rowsOf(chunk: DuckDBDataChunk): Rows {
  const vectors = Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnVector(column))
  const item = (column: number, row: number): unknown => vectors[column]!.getItem(row)
  return {
    count: chunk.rowCount,
    integers: (column, row) => Number(item(column, row) ?? 0),
    doubles: (column, row) => Number(item(column, row) ?? Number.NaN),
    text: (column, row) => item(column, row) as string | null,
    bytes(column, row) {
      const vector = vectors[column]
      return (vector instanceof DuckDBBlobVector ? vector.getItemBytes(row) : null) ?? NOTHING
    },
  }
}

const NOTHING = new Uint8Array(0)
