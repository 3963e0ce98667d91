import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openWarehouse } from '../warehouse/open.ts'
import { execute, quotedLiteral } from '../warehouse/query.ts'
import type { RunFolder } from './run-folder.ts'

/** Runs `body` with a new DuckDB in memory, which spills to the run folder what is larger than `memoryLimit`. */
export async function withUnitWarehouse<T>(
  folder: RunFolder,
  memoryLimit: string,
  body: (db: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const spill = folder.pathOf('_spill', randomUUID())
  await mkdir(spill, { recursive: true })
  const warehouse = await openWarehouse(':memory:', { memoryLimit, threads: 1 })
  try {
    await execute(warehouse.db, `set temp_directory = ${quotedLiteral(spill)}`)
    return await body(warehouse.db)
  } finally {
    await warehouse.close()
    await rm(spill, { recursive: true, force: true })
  }
}
