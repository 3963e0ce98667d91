import {
  type DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDataChunk,
  DOUBLE,
  INTEGER,
} from '@duckdb/node-api'
import { AppError, messageOf } from '../errors.ts'
import { execute } from './query.ts'

const CHUNK = 2048

/**
 * A column of a chunk as @duckdb/node-api holds it. `items` and `flush` are not in its documentation: this file is the only one that uses
 * them, and test/warehouse/column-vectors.test.ts checks that they mean what is said here.
 */
interface Items {
  /** The values of the column, of which the first `rowCount` are valid. */
  readonly items: Int32Array | Float64Array
  /** Writes changed items back to DuckDB. */
  flush(): void
}

/**
 * Runs a statement whose columns are all `integer` without nulls, and calls `take` for each chunk with an array per column. The arrays are
 * valid during the call only. Faster by far than an object per row.
 */
export async function readIntegers(
  db: DuckDBConnection,
  sql: string,
  take: (columns: Int32Array[], rows: number) => void,
): Promise<void> {
  await readNumbers(db, sql, (columns, rows) => take(columns as Int32Array[], rows))
}

/** Does what `readIntegers` does, for columns that are `integer` or `double`. */
export async function readNumbers(
  db: DuckDBConnection,
  sql: string,
  take: (columns: (Int32Array | Float64Array)[], rows: number) => void,
): Promise<void> {
  const result = await db.stream(sql).catch((cause: unknown) => {
    throw new AppError('model_failed', `query failed: ${messageOf(cause)}\n\n${sql}`, { cause })
  })
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    const columns: (Int32Array | Float64Array)[] = []
    for (let c = 0; c < chunk.columnCount; c++) {
      columns.push((chunk.getColumnVector(c) as unknown as Items).items)
    }
    take(columns, chunk.rowCount)
  }
}

const PIECE = 8192
const SEPARATOR = 31

/**
 * Reads texts of a table whose `id` column counts from 1 without gaps. Calls `take(id, bytes, from, to)` for each row: column c is
 * the UTF-8 text in `bytes[c]` from `from[c]` to `to[c]`, empty for null. The arrays are valid during the call only. DuckDB joins
 * thousands of texts to one value, which is faster than one value per text.
 */
export async function readTexts(
  db: DuckDBConnection,
  { table, id, columns }: { table: string; id: string; columns: readonly string[] },
  take: (id: number, bytes: readonly Uint8Array[], from: Int32Array, to: Int32Array) => void,
): Promise<void> {
  const pieces = columns.map(
    (column) =>
      `encode(string_agg(coalesce(replace(${column}, chr(${SEPARATOR}), ''), ''), chr(${SEPARATOR}) order by ${id}))`,
  )
  const sql = `select min(${id})::integer, count(*)::integer, ${pieces.join(', ')} from ${table} group by ${id} // ${PIECE}`
  const result = await db.stream(sql).catch((cause: unknown) => {
    throw new AppError('model_failed', `query failed: ${messageOf(cause)}\n\n${sql}`, { cause })
  })
  const from = new Int32Array(columns.length)
  const to = new Int32Array(columns.length)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    const [first, count] = [0, 1].map((c) => (chunk.getColumnVector(c) as unknown as Items).items)
    for (let row = 0; row < chunk.rowCount; row++) {
      const bytes = columns.map(
        (_, c) => (chunk.getColumnVector(c + 2).getItem(row) as DuckDBBlobValue).bytes,
      )
      to.fill(-1)
      for (let k = 0; k < count![row]!; k++) {
        for (let c = 0; c < bytes.length; c++) {
          let at = to[c]! + 1
          from[c] = at
          while (at < bytes[c]!.length && bytes[c]![at] !== SEPARATOR) at++
          to[c] = at
        }
        take(first![row]! + k, bytes, from, to)
      }
    }
  }
}

/** Appends rows to one table. Statements see them after `close`. */
export interface ColumnAppender {
  append(columns: readonly (Int32Array | Float64Array)[], rows: number): void
  close(): void
}

/** Opens a table for typed arrays in the order of its columns: an `Int32Array` fills an integer column, a `Float64Array` a double column. */
async function openAppender(
  db: DuckDBConnection,
  table: string,
  kinds: readonly ('integer' | 'double')[],
): Promise<ColumnAppender> {
  const [schema, name] = table.split('.')
  const appender = await (schema === 'temp'
    ? db.createAppender(name!, 'main', 'temp')
    : db.createAppender(name!, schema))
  const chunk = DuckDBDataChunk.create(
    kinds.map((kind) => (kind === 'integer' ? INTEGER : DOUBLE)),
    CHUNK,
  )
  return {
    append(columns, rows) {
      for (let start = 0; start < rows; start += CHUNK) {
        const size = Math.min(CHUNK, rows - start)
        chunk.reset()
        chunk.rowCount = size
        for (let c = 0; c < columns.length; c++) {
          const vector = chunk.getColumnVector(c) as unknown as Items
          vector.items.set(columns[c]!.subarray(start, start + size))
          vector.flush()
        }
        appender.appendDataChunk(chunk)
      }
    },
    close: () => appender.closeSync(),
  }
}

/** Makes a temporary table of integer columns. */
export async function fillTemporary(
  db: DuckDBConnection,
  table: `temp.${string}`,
  columns: Readonly<Record<string, Int32Array>>,
): Promise<void> {
  const names = Object.keys(columns)
  await execute(
    db,
    `create or replace temp table ${table.slice(5)} (${names.map((name) => `${name} integer`).join(', ')})`,
  )
  const arrays = Object.values(columns)
  await appendColumns(db, table, arrays, arrays[0]!.length)
}

/** Appends whole columns to a table. */
export async function appendColumns(
  db: DuckDBConnection,
  table: string,
  columns: readonly (Int32Array | Float64Array)[],
  rows: number,
): Promise<void> {
  const kinds = columns.map((column) => (column instanceof Int32Array ? 'integer' : 'double'))
  const appender = await openAppender(db, table, kinds)
  appender.append(columns, rows)
  appender.close()
}
