import { mkdir } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openWarehouse, type Warehouse } from '../warehouse/open.ts'
import { execute, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import type { Engine, Exchange, FolderQuery, StageCall, UnitResult } from './engine.ts'
import { parquetRows, type RunFolder } from './run-folder.ts'

export interface LocalEngineOptions {
  readonly folder: RunFolder
  /** Runs a stage: in processes (`stage-processes.ts`), or in this process in tests. */
  readonly run: (stage: StageCall) => Promise<readonly UnitResult[]>
  readonly memoryLimit: string
  readonly threads: number
}

/** Opens the engine of `--engine units`: all units on this machine. DuckDB moves the rows and spills to the run folder. */
export async function openLocalEngine(options: LocalEngineOptions): Promise<Engine> {
  const { folder, memoryLimit, threads } = options
  const warehouse = await openWarehouse(':memory:', { memoryLimit, threads })
  const spill = folder.pathOf('_spill')
  await mkdir(spill, { recursive: true })
  await execute(warehouse.db, `set temp_directory = ${quotedLiteral(spill)}`)
  return new LocalEngine(warehouse, options)
}

class LocalEngine implements Engine {
  readonly #warehouse: Warehouse
  readonly #options: LocalEngineOptions

  constructor(warehouse: Warehouse, options: LocalEngineOptions) {
    this.#warehouse = warehouse
    this.#options = options
  }

  get #db(): DuckDBConnection {
    return this.#warehouse.db
  }

  async run(stage: StageCall): Promise<readonly UnitResult[]> {
    return this.#options.run(stage)
  }

  async exchange({ from, by, to, distinct = false }: Exchange): Promise<void> {
    const { folder } = this.#options
    const files = await folder.files(from)
    if (files.length === 0) return folder.clear(to)
    const rows =
      by === 'unit'
        ? `from ${parquetRows(files)}`
        : `select * exclude (units), unnest(units) as unit from ${parquetRows(files)}`
    await folder.writeUnits(this.#db, distinct ? `select distinct * from (${rows})` : rows, to)
  }

  async select(query: FolderQuery & { readonly to: string }): Promise<void>
  async select(query: FolderQuery & { readonly to?: undefined }): Promise<readonly Record<string, unknown>[]>
  async select({
    sql,
    folders,
    to,
  }: FolderQuery & { readonly to?: string | undefined }): Promise<void | readonly Record<string, unknown>[]> {
    for (const [name, table] of Object.entries(folders)) {
      const files = await this.#options.folder.files(table)
      await execute(
        this.#db,
        `create or replace temp view ${quotedIdentifier(name)} as from ${parquetRows(files)}`,
      )
    }
    if (to !== undefined) return this.#options.folder.writeTable(this.#db, sql, to)
    return (await this.#db.runAndReadAll(sql)).getRowObjects()
  }

  async close(): Promise<void> {
    await this.#warehouse.close()
  }
}
