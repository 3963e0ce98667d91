import { createReadStream } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { RecordBatchReader } from 'apache-arrow'
import { AppError, messageOf } from '../errors.ts'
import { cellOf } from './chunks.ts'
import type { TableSource } from './read-input.ts'

/** A Parquet file, read by DuckDB as text, a chunk of rows at a time. */
export async function openParquet(path: string, name: string): Promise<TableSource> {
  const file = `read_parquet('${path.replaceAll("'", "''")}')`
  const failed = (cause: unknown): never => {
    throw new AppError('bad_input', `${name} can't be read as Parquet: ${messageOf(cause)}`, { cause })
  }
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const described = await connection.runAndReadAll(`describe select * from ${file}`).catch(failed)
  const header = described.getRows().map(([column]) => String(column))
  return {
    header,
    async *rows() {
      const result = await connection.stream(`select columns(*)::varchar from ${file}`).catch(failed)
      for (;;) {
        const chunk = await result.fetchChunk()
        if (chunk === null || chunk.rowCount === 0) return
        yield chunk.getRows().map((row) => row.map((value) => (value === null ? '' : String(value))))
      }
    },
  }
}

/** An Arrow file or stream, a record batch at a time. */
export async function openArrow(path: string, name: string): Promise<TableSource> {
  const failed = (cause: unknown): never => {
    throw new AppError('bad_input', `${name} can't be read as Arrow: ${messageOf(cause)}`, { cause })
  }
  const open = async () => (await RecordBatchReader.from(createReadStream(path))).open()
  const first = await open().catch(failed)
  const header = first.schema.fields.map((field) => field.name)
  await first.cancel()
  return {
    header,
    async *rows() {
      const reader = await open().catch(failed)
      for await (const batch of reader) {
        const columns = header.map((_, column) => batch.getChildAt(column))
        yield Array.from({ length: batch.numRows }, (_, row) =>
          columns.map((column) => cellText(column?.get(row))),
        )
      }
    },
  }
}

function cellText(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  return typeof value === 'bigint' ? String(value) : cellOf(value)
}
