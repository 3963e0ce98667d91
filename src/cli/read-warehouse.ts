import type { DuckDBConnection } from '@duckdb/node-api'
import type { Config } from '../config.ts'
import { statementFault } from '../warehouse/faults.ts'
import { openWarehouse } from '../warehouse/open.ts'

/** Runs `body` on the warehouse opened for reading. @throws `warehouse_locked` while a night is running. */
export async function readWarehouse<T>(
  config: Config,
  body: (db: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const warehouse = await openWarehouse(config.paths.warehouse, {
    memoryLimit: config.DUCKDB_MEMORY_LIMIT,
    threads: config.DUCKDB_THREADS,
    readOnly: true,
  })
  try {
    return await body(warehouse.db)
  } catch (cause) {
    throw statementFault(config.paths.warehouse, cause) ?? cause
  } finally {
    await warehouse.close()
  }
}
