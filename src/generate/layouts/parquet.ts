import { existsSync, rmSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'

/**
 * Writes the rows of a CSV file of texts to a Parquet file and removes the CSV file. Writes nothing when there is no CSV
 * file. One thread and no compression make the bytes depend on the rows alone.
 */
export async function csvToParquet(csv: string, parquet: string): Promise<void> {
  if (!existsSync(csv)) return
  const [from, to] = [csv, parquet].map((path) => `'${path.replaceAll("'", "''")}'`)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const db = await instance.connect()
  try {
    await db.run(
      `copy (from read_csv(${from}, all_varchar = true, header = true, quote = '"', escape = '"', delim = ',', parallel = false))
      to ${to} (format parquet, compression uncompressed)`,
    )
  } finally {
    db.closeSync()
    instance.closeSync()
    rmSync(csv)
  }
}
