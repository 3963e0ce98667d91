import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { statementFault } from '../warehouse/faults.ts'
import { openWarehouse } from '../warehouse/open.ts'

/**
 * Opens the warehouse read-only, runs `body` and closes it.
 * @throws `no_warehouse` when it does not exist; `warehouse_locked` when a nightly run uses it
 */
export async function readWarehouse<T>(
  config: Config,
  body: (db: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { root, warehouse: path } = config.paths
  if (!existsSync(path))
    throw new AppError(
      'no_warehouse',
      `${root} contains no warehouse: \`platbook nightly\` builds it from the files in landing; --data names another folder`,
    )
  const warehouse = await openWarehouse(path, {
    memoryLimit: config.DUCKDB_MEMORY_LIMIT,
    threads: config.DUCKDB_THREADS,
    readOnly: true,
  })
  try {
    return await body(warehouse.db)
  } catch (cause) {
    throw statementFault(path, cause) ?? cause
  } finally {
    await warehouse.close()
  }
}
