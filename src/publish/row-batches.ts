import { DuckDBBlobVector, type DuckDBConnection, type DuckDBDataChunk } from '@duckdb/node-api'
import { z } from 'zod'
import { query, readChunks } from '../warehouse/query.ts'

/** A chunk of rows. Values are read by column and row. */
export interface Rows {
  readonly count: number
  /** Returns the value of an integer column; 0 for null. */
  readonly integers: (column: number, row: number) => number
  /** Returns the value of a double column; NaN for null. */
  readonly doubles: (column: number, row: number) => number
  /** Returns the value of a text column. */
  readonly text: (column: number, row: number) => string | null
  /** Returns the bytes of a blob column, which must not be changed. */
  readonly bytes: (column: number, row: number) => Uint8Array
}

/**
 * Runs `sql` for each range of `size` of the `count` numbers from `first` on, with the parameters $low and
 * $high, and yields the rows in order. DuckDB computes the next range while the caller processes this one.
 */
export async function* rowBatches(
  db: DuckDBConnection,
  sql: string,
  count: number,
  size: number,
  signal: AbortSignal,
  first = 0,
): AsyncGenerator<Rows> {
  const end = first + count
  const run = (low: number): Promise<DuckDBDataChunk[]> =>
    readChunks(db, sql, { low, high: Math.min(low + size, end) })
  if (count === 0) return
  let next = run(first)
  try {
    for (let low = first; low < end; low += size) {
      const chunks = await next
      signal.throwIfAborted()
      if (low + size < end) {
        next = run(low + size)
        // The error is thrown where the promise is awaited. This handler keeps Node from reporting it as
        // unhandled before.
        next.catch(() => undefined)
      }
      for (const chunk of chunks) yield rowsOf(chunk)
    }
  } finally {
    // Waits for DuckDB, because a caller who stops early may drop the tables that it still reads.
    await next.catch(() => undefined)
  }
}

/** Returns the number of rows of a table. */
export async function countOf(db: DuckDBConnection, table: string): Promise<number> {
  const Counted = z.object({ count: z.int() })
  const [counted] = await query(db, `select count(*)::double as count from ${table}`, Counted)
  return counted!.count
}

/** Yields the rows of one statement. */
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

/** Lists of numbers, numbered from 0: the items of list n are at start[n] up to start[n + 1] (exclusive). */
export interface Lists {
  readonly start: Uint32Array<ArrayBuffer>
  readonly items: Uint32Array<ArrayBuffer>
}

/**
 * Builds `count` lists. `select` yields rows (number of the list, item), sorted by the number. DuckDB sorts
 * rows much faster than it builds sorted lists.
 */
export async function readLists(
  db: DuckDBConnection,
  select: string,
  count: number,
  signal: AbortSignal,
): Promise<Lists> {
  const start = new Uint32Array(count + 1)
  const chunks = await readChunks(db, select)
  const items = new Uint32Array(chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0))
  let next = 0
  for (const chunk of chunks) {
    signal.throwIfAborted()
    const rows = rowsOf(chunk)
    for (let row = 0; row < rows.count; row++) {
      start[rows.integers(0, row) + 1]!++
      items[next++] = rows.integers(1, row)
    }
  }
  for (let number = 0; number < count; number++) start[number + 1]! += start[number]!
  return { start, items }
}

function rowsOf(chunk: DuckDBDataChunk): Rows {
  const vectors = Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnVector(column))
  const item = (column: number, row: number): unknown => vectors[column]!.getItem(row)
  return {
    count: chunk.rowCount,
    integers: (column, row) => Number(item(column, row) ?? 0),
    doubles: (column, row) => Number(item(column, row) ?? Number.NaN),
    text: (column, row) => item(column, row) as string | null,
    bytes: (column, row) => {
      const vector = vectors[column]
      return (vector instanceof DuckDBBlobVector ? vector.getItemBytes(row) : null) ?? NOTHING
    },
  }
}

const NOTHING = new Uint8Array(0)
