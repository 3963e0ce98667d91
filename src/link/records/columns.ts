import {
  type DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDataChunk,
  DOUBLE,
  INTEGER,
} from '@duckdb/node-api'
import { AppError, messageOf } from '../../errors.ts'
import { execute } from '../../warehouse/query.ts'

const CHUNK = 2048

interface Items {
  readonly items: Int32Array | Float64Array
  flush(): void
}

/**
 * Streams a statement whose columns are all `integer` (no nulls) chunk by chunk into typed arrays; an array is only
 * valid during its call. 40 million integers a second, where rows of objects are under one.
 */
export async function readIntegers(
  db: DuckDBConnection,
  sql: string,
  take: (columns: Int32Array[], rows: number) => void,
): Promise<void> {
  await readNumbers(db, sql, (columns, rows) => take(columns as Int32Array[], rows))
}

/** The same of columns that are `integer` or `double`. */
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
 * Streams texts of a table whose `id` column counts from 1 without gaps: `take(id, bytes, from, to)` per row and column,
 * where entry c of `from` and `to` bounds column c in entry c of `bytes` (null as an empty text); all valid only during the call. Thousands of texts cross
 * as one value: a tenth of the time of one by one.
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

/** Appends to one table; rows are there for others when it is closed. */
export interface ColumnAppender {
  append(columns: readonly (Int32Array | Float64Array)[], rows: number): void
  close(): void
}

/** Opens a table for typed arrays in its column order: Int32Array to integer, Float64Array to double. 18 million rows a second. */
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

/** Makes a temporary table of whole columns. */
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
