import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { FileSink } from '../output.ts'
import { csvLine } from '../csv.ts'

/** Writes rows of text as a Parquet file, unless there are none. One thread and no compression make the bytes depend on the rows alone. */
export class ContactParquet {
  private readonly path: string
  private readonly draft: string
  private readonly columns: readonly string[]
  private readonly sink: FileSink
  private rows = 0

  constructor(path: string, columns: readonly string[]) {
    mkdirSync(dirname(path), { recursive: true })
    this.path = path
    this.draft = `${path}.csv`
    this.columns = columns
    this.sink = new FileSink(this.draft, 'utf8', csvLine(columns))
  }

  add(row: readonly string[]): void {
    this.rows += 1
    this.sink.write(csvLine(row))
  }

  async close(): Promise<void> {
    this.sink.close()
    if (this.rows === 0) return
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const db = await instance.connect()
    try {
      const columns = this.columns.map((column) => `nullif(${column}, '') as ${column}`)
      await db.run(
        `copy (select ${columns.join(', ')} from read_csv(${literal(this.draft)}, all_varchar = true, header = true, quote = '"', escape = '"', delim = ',', parallel = false))
        to ${literal(this.path)} (format parquet, compression uncompressed)`,
      )
    } finally {
      db.closeSync()
      instance.closeSync()
      rmSync(this.draft)
    }
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
