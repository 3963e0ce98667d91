import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { warehouseFault } from './faults.ts'

/** Schemas of the warehouse from left to right: a model reads only layers to its left (and `reference`, `ledger`). */
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
  /** A second connection on the same file, for reading while `db` writes; closed with the warehouse. */
  connect(): Promise<DuckDBConnection>
  close(): Promise<void>
}

export interface WarehouseOptions {
  readonly memoryLimit: string
  readonly threads: number
  /** For looking only: several processes may, as long as none writes. */
  readonly readOnly?: boolean
}

/**
 * The warehouse file, made when it is not there. One owner at a time: a second process gets `warehouse_locked`.
 * @throws `warehouse_damaged`, `warehouse_unusable`
 */
export async function openWarehouse(path: string, options: WarehouseOptions): Promise<Warehouse> {
  const onDisk = path !== ':memory:' && options.readOnly !== true
  if (onDisk) await mkdir(dirname(path), { recursive: true })
  const instance = await openInstance(path, options)
  const db = await instance.connect()
  try {
    // A WAL left by a killed run is folded into the file before anything is built on it.
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
      // Newer compression: a wide table is written with 70 % of the processor time. Only this engine reads the file.
      storage_compatibility_version: 'latest',
      // At the default of 16 MB every source and model writes the last rows of every table it touches all over again.
      checkpoint_threshold: '256MB',
      // The allocator gives freed memory back beside the statements: without it a run takes far more than its memory limit.
      allocator_background_threads: 'true',
      ...(options.readOnly === true ? { access_mode: 'READ_ONLY' } : {}),
    })
  } catch (cause) {
    throw warehouseFault(path, cause) ?? cause
  }
}
