import { type DuckDBConnection, DuckDBDataChunk, DOUBLE, INTEGER } from '@duckdb/node-api'
import { AppError, messageOf } from '../errors.ts'

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
  const result = await db.stream(sql).catch((cause: unknown) => {
    throw new AppError('model_failed', `query failed: ${messageOf(cause)}\n\n${sql}`, { cause })
  })
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    const columns: Int32Array[] = []
    for (let c = 0; c < chunk.columnCount; c++) {
      columns.push((chunk.getColumnVector(c) as unknown as Items).items as Int32Array)
    }
    take(columns, chunk.rowCount)
  }
}

/** Streams a statement whose first column is `integer` and whose others are `varchar` (null as ''). */
export async function readTexts(
  db: DuckDBConnection,
  sql: string,
  take: (id: number, texts: string[]) => void,
): Promise<void> {
  const result = await db.stream(sql).catch((cause: unknown) => {
    throw new AppError('model_failed', `query failed: ${messageOf(cause)}\n\n${sql}`, { cause })
  })
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    const ids = (chunk.getColumnVector(0) as unknown as Items).items
    const vectors = Array.from({ length: chunk.columnCount - 1 }, (_, c) => chunk.getColumnVector(c + 1))
    for (let row = 0; row < chunk.rowCount; row++) {
      take(
        ids[row]!,
        vectors.map((vector) => (vector.getItem(row) as string | null) ?? ''),
      )
    }
  }
}

/** Appends to one table; rows are there for others when it is closed. */
export interface ColumnAppender {
  append(columns: readonly (Int32Array | Float64Array)[], rows: number): void
  close(): void
}

/** Opens a table for typed arrays in its column order: Int32Array to integer, Float64Array to double. 18 million rows a second. */
export async function openAppender(
  db: DuckDBConnection,
  table: string,
  kinds: readonly ('integer' | 'double')[],
): Promise<ColumnAppender> {
  const [schema, name] = table.split('.')
  const appender = await db.createAppender(name!, schema)
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
