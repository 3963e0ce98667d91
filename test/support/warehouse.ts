import type { DuckDBConnection } from '@duckdb/node-api'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { quotedIdentifier, quotedLiteral } from '../../src/warehouse/query.ts'

export type Cell = string | number | boolean | null | string[]

/** A fresh in-memory warehouse for one test, closed whatever happens. */
export async function withWarehouse<T>(body: (db: DuckDBConnection) => Promise<T>): Promise<T> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 1 })
  try {
    return await body(warehouse.db)
  } finally {
    await warehouse.close()
  }
}

/** Puts rows into `table`: into the one that is there (other columns null), else into one made of the rows' own columns. */
export async function given(
  db: DuckDBConnection,
  table: string,
  rows: Record<string, Cell>[],
): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const values = rows.map((row) => `(${columns.map((column) => literal(row[column] ?? null)).join(', ')})`)
  const select = `select * from (values ${values.join(', ')}) as given(${columns.map(quotedIdentifier).join(', ')})`
  const [schema, name] = table.split('.')
  const found = await db.runAndReadAll(
    'select 1 from duckdb_tables() where schema_name = $schema and table_name = $name',
    { schema: schema ?? '', name: name ?? '' },
  )
  if (found.currentRowCount > 0) await db.run(`insert into ${table} by name ${select}`)
  else await db.run(`create table ${table} as ${select}`)
}

/** All rows of `select`, as JSON values (BIGINT and DECIMAL as strings). */
export async function rowsOf(db: DuckDBConnection, select: string): Promise<Record<string, unknown>[]> {
  return (await db.runAndReadAll(select)).getRowObjectsJson()
}

function literal(value: Cell): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(quotedLiteral).join(', ')}]`
  return typeof value === 'string' ? quotedLiteral(value) : String(value)
}
