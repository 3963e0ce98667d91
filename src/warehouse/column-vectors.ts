import {
  type DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDataChunk,
  DOUBLE,
  INTEGER,
} from '@duckdb/node-api'
import { streamChunks } from './query.ts'

/** Number of rows of a chunk, which DuckDB fixes. */
const CHUNK = 2048

type Numbers = Int32Array | Float64Array

/**
 * A column of a chunk. The documentation of @duckdb/node-api does not mention `items` and `flush`. Only this file
 * uses them, and test/warehouse/column-vectors.test.ts checks that they work as described here.
 */
interface Vector {
  /** The values of the column. Only the first `rowCount` are valid. */
  readonly items: Numbers
  /** Writes changed items to DuckDB. */
  flush(): void
}

function vectorOf(chunk: DuckDBDataChunk, column: number): Vector {
  return chunk.getColumnVector(column) as unknown as Vector
}

/**
 * Runs a statement whose columns are all `integer` without nulls. Calls `take` for each chunk, with one array per
 * column. The arrays are valid only during the call.
 */
export async function readIntegers(
  db: DuckDBConnection,
  sql: string,
  take: (columns: Int32Array[], rows: number) => void,
): Promise<void> {
  await readNumbers(db, sql, (columns, rows) => take(columns as Int32Array[], rows))
}

/** Works as `readIntegers`, for columns that are `integer` or `double`. */
export async function readNumbers(
  db: DuckDBConnection,
  sql: string,
  take: (columns: Numbers[], rows: number) => void,
): Promise<void> {
  for await (const chunk of streamChunks(db, sql)) {
    const columns = Array.from({ length: chunk.columnCount }, (_, column) => vectorOf(chunk, column).items)
    take(columns, chunk.rowCount)
  }
}

/** Number of rows whose texts DuckDB joins into one value. */
const PIECE = 8192
const SEPARATOR = 31

/**
 * Reads texts of a table whose `id` column counts from 1 without gaps. Calls `take(id, bytes, from, to)` for each
 * row. The text of column c is UTF-8 in `bytes[c]`, from `from[c]` up to, but not including, `to[c]`. Null gives an
 * empty text. The arrays are valid only during the call.
 *
 * DuckDB joins thousands of texts into one value, because one value per text would be slower.
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
  const from = new Int32Array(columns.length)
  const to = new Int32Array(columns.length)
  for await (const chunk of streamChunks(db, sql)) {
    const [first, count] = [0, 1].map((column) => vectorOf(chunk, column).items)
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

/**
 * Appends `rows` rows to a table (`schema.table`, or `temp.table` for a temporary one), given as one array per column in
 * the order of the table's columns. An `Int32Array` fills an `integer` column, a `Float64Array` a `double` column.
 */
export async function appendColumns(
  db: DuckDBConnection,
  table: string,
  columns: readonly Numbers[],
  rows: number,
): Promise<void> {
  const [schema, name] = table.split('.')
  const appender =
    schema === 'temp'
      ? await db.createAppender(name!, 'main', 'temp')
      : await db.createAppender(name!, schema)
  const chunk = DuckDBDataChunk.create(
    columns.map((column) => (column instanceof Int32Array ? INTEGER : DOUBLE)),
    CHUNK,
  )
  for (let start = 0; start < rows; start += CHUNK) {
    const size = Math.min(CHUNK, rows - start)
    chunk.reset()
    chunk.rowCount = size
    for (const [c, column] of columns.entries()) {
      const vector = vectorOf(chunk, c)
      vector.items.set(column.subarray(start, start + size))
      vector.flush()
    }
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}
