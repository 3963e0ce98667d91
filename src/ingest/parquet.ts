import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { unreadable } from './archives.ts'
import { type ExpectedColumns, layoutOf } from './header.ts'

/**
 * Reads all values of a Parquet file once, to find damage.
 * @throws `header_drift` when columns are missing, `source_unreadable` when the file is damaged
 */
export async function checkParquet(
  db: DuckDBConnection,
  file: { path: string; shown: string; expected: ExpectedColumns },
): Promise<void> {
  await checkSchema(db, file)
  const path = quotedLiteral(file.path)
  await readable(file.shown, () =>
    execute(db, `select max(length(columns(*)::varchar)) from read_parquet(${path})`),
  )
}

/**
 * Loads the rows of a Parquet file as text. Line numbers are row numbers, from 1. Resolves to the number of rows, and
 * to a remark on new or missing columns.
 * @throws `header_drift`, `source_unreadable`
 */
export async function loadParquet(
  db: DuckDBConnection,
  file: { path: string; shown: string; fileId: number; table: string; expected: ExpectedColumns },
): Promise<{ rows: number; note: string | null }> {
  const path = quotedLiteral(file.path)
  const { read, note } = await checkSchema(db, file)
  await readable(file.shown, () =>
    execute(
      db,
      `insert into ${file.table} (file_id, line_number, ${read.map(({ to }) => to).join(', ')})
       select ${file.fileId}, file_row_number + 1, ${read.map(({ from }) => `${from}::varchar`).join(', ')}
       from read_parquet(${path}, file_row_number = true)`,
    ),
  )
  const [counted] = await query(
    db,
    `select num_rows::integer as row_count from parquet_file_metadata(${path})`,
    z.object({ row_count: z.number() }),
  )
  return { rows: counted?.row_count ?? 0, note }
}

async function checkSchema(
  db: DuckDBConnection,
  file: { path: string; shown: string; expected: ExpectedColumns },
): Promise<{ read: { from: string; to: string }[]; note: string | null }> {
  const path = quotedLiteral(file.path)
  const names = await readable(file.shown, () =>
    query(db, `describe select * from read_parquet(${path})`, z.object({ column_name: z.string() })),
  )
  const own = names.map((row) => row.column_name)
  const { columns, note } = layoutOf(own, file.expected, { file: file.shown, line: 1 })
  const read = own.flatMap((name, index) => {
    const column = columns[index] ?? null
    return column === null ? [] : [{ from: quotedIdentifier(name), to: quotedIdentifier(column) }]
  })
  return { read, note }
}

async function readable<T>(shown: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (cause) {
    throw unreadable(shown, cause)
  }
}
