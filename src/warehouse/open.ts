import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { warehouseFault } from './faults.ts'

/** Schemas of the warehouse. A model reads only schemas that are to the left of its own in this list. */
export const LAYERS = [
  'ledger',
  'reference',
  'raw',
  'staging',
  'normal',
  'link',
  'published',
  'checks',
] as const
export type Layer = (typeof LAYERS)[number]

export interface Warehouse {
  readonly db: DuckDBConnection
  /** Opens another connection to the same file, for example to read while `db` writes. `close()` closes it. */
  connect(): Promise<DuckDBConnection>
  close(): Promise<void>
}

export interface WarehouseOptions {
  readonly memoryLimit: string
  readonly threads: number
  /** Opens the file for reading. Several processes may do so at once, as long as no process writes. */
  readonly readOnly?: boolean
}

/**
 * Opens the warehouse file, and creates it when it does not exist. Only one process at a time can open it for
 * writing.
 * @throws `warehouse_locked` when another process has the file open
 * @throws `warehouse_damaged`, `warehouse_unusable`
 */
export async function openWarehouse(path: string, options: WarehouseOptions): Promise<Warehouse> {
  const onDisk = path !== ':memory:' && options.readOnly !== true
  if (onDisk) await mkdir(dirname(path), { recursive: true })
  const instance = await openInstance(path, options)
  const db = await instance.connect()
  try {
    // Merges the write-ahead log that a killed run left into the file before anything else is written.
    if (onDisk) await db.run('checkpoint')
    if (options.readOnly !== true)
      for (const layer of LAYERS) await db.run(`create schema if not exists ${layer}`)
  } catch (cause) {
    db.closeSync()
    instance.closeSync()
    throw warehouseFault(path, cause) ?? cause
  }
  const others: DuckDBConnection[] = []
  return {
    db,
    async connect() {
      const other = await instance.connect()
      others.push(other)
      return other
    },
    async close() {
      for (const other of others) other.closeSync()
      try {
        if (onDisk) await db.run('checkpoint')
      } catch (cause) {
        throw warehouseFault(path, cause) ?? cause
      } finally {
        db.closeSync()
        instance.closeSync()
      }
    },
  }
}

async function openInstance(path: string, options: WarehouseOptions): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, {
      memory_limit: options.memoryLimit,
      threads: String(options.threads),
      preserve_insertion_order: 'false',
      // Selects the newest compression, which takes less processor time to write wide tables. Older DuckDB versions
      // cannot read it, but only this version reads the file.
      storage_compatibility_version: 'latest',
      // With DuckDB's default of 16 MB, each source and model causes checkpoints that write the last rows of each
      // of its tables again.
      checkpoint_threshold: '256MB',
      // Returns freed memory to the system in the background. Otherwise the process takes far more memory than
      // `memory_limit`.
      allocator_background_threads: 'true',
      ...(options.readOnly === true ? { access_mode: 'READ_ONLY' } : {}),
    })
  } catch (cause) {
    throw warehouseFault(path, cause) ?? cause
  }
}
