import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { SLICE_TEXT, type TableRows } from './table-rows.ts'

/** Reads the columns and rows of a Parquet file as text, with DuckDB. */
export async function readParquet(path: string): Promise<TableRows> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const connection = await instance.connect()
  const file = `read_parquet('${path.replaceAll("'", "''")}')`
  const described = await connection.runAndReadAll(`describe select * from ${file}`)
  const header = described.getRows().map(([column]) => String(column))
  return { header, slices: () => slices(connection, file) }
}

async function* slices(connection: DuckDBConnection, file: string): AsyncGenerator<string[][]> {
  const result = await connection.stream(`select columns(*)::varchar from ${file}`)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    let slice: string[][] = []
    let length = 0
    for (const row of chunk.getRows()) {
      const cells = row.map((value) => (value === null ? '' : String(value)))
      slice.push(cells)
      for (const cell of cells) length += cell.length
      if (length < SLICE_TEXT) continue
      yield slice
      slice = []
      length = 0
    }
    if (slice.length > 0) yield slice
  }
}
