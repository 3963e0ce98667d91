import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { unreadable } from './archives.ts'
import { checkColumns } from './header.ts'

/**
 * Reads a Parquet file whole, without keeping anything.
 * @throws `header_drift`, `source_unreadable`
 */
export async function checkParquet(
  db: DuckDBConnection,
  file: { path: string; shown: string; columns: readonly string[] },
): Promise<void> {
  await checkSchema(db, file)
  const path = quotedLiteral(file.path)
  await readable(file.shown, () =>
    execute(db, `select max(length(columns(*)::varchar)) from read_parquet(${path})`),
  )
}

/**
 * Loads a Parquet file's rows as text, line numbers being row numbers; resolves to their count.
 * @throws `header_drift`, `source_unreadable`
 */
export async function loadParquet(
  db: DuckDBConnection,
  file: { path: string; shown: string; fileId: number; table: string; columns: readonly string[] },
): Promise<number> {
  const path = quotedLiteral(file.path)
  await checkSchema(db, file)
  const list = file.columns.map(quotedIdentifier)
  await readable(file.shown, () =>
    execute(
      db,
      `insert into ${file.table} (file_id, line_number, ${list.join(', ')})
       select ${file.fileId}, file_row_number + 1, ${list.map((name) => `${name}::varchar`).join(', ')}
       from read_parquet(${path}, file_row_number = true)`,
    ),
  )
  const [counted] = await query(
    db,
    `select num_rows::integer as row_count from parquet_file_metadata(${path})`,
    z.object({ row_count: z.number() }),
  )
  return counted?.row_count ?? 0
}

async function checkSchema(
  db: DuckDBConnection,
  file: { path: string; shown: string; columns: readonly string[] },
): Promise<void> {
  const path = quotedLiteral(file.path)
  const names = await readable(file.shown, () =>
    query(db, `describe select * from read_parquet(${path})`, z.object({ column_name: z.string() })),
  )
  checkColumns(
    names.map((row) => row.column_name),
    file.columns,
    [],
    { file: file.shown, line: 1 },
  )
}

async function readable<T>(shown: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (cause) {
    throw unreadable(shown, cause)
  }
}
