import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { execute, quotedLiteral } from '../warehouse/query.ts'

/** Options of `copy` for all files of a run. */
export const PARQUET = '(format parquet, compression zstd)'

/**
 * The folder of a run in units. A table is a subfolder with Parquet files: `<table>/unit=<number>/` has the rows of one
 * unit. Names that begin with `_` or `.` belong to files that are not complete, and to files without rows.
 */
export class RunFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  pathOf(...names: readonly string[]): string {
    return join(this.path, ...names)
  }

  /** Returns the Parquet files of a table, or of one unit of a table, in the order of their names. */
  async files(table: string, unit?: number): Promise<string[]> {
    const folder = unit === undefined ? this.pathOf(table) : this.pathOf(table, unitName(unit))
    if (!existsSync(folder)) return []
    const names = await readdir(folder, { recursive: true })
    return names
      .filter((name) => name.endsWith('.parquet') && !name.split('/').some(isHidden))
      .sort()
      .map((name) => join(folder, name))
  }

  /**
   * Writes the rows of a SELECT as the rows that one unit gives to a table, and returns their number. A repeated unit
   * replaces its file. Other units may write to the same table at the same time.
   */
  async write(db: DuckDBConnection, select: string, table: string, unit: number): Promise<number> {
    const folder = this.pathOf(table)
    await mkdir(folder, { recursive: true })
    const name = `from-${String(unit).padStart(6, '0')}.parquet`
    const partial = join(folder, `_${name}.${randomUUID()}`)
    try {
      const written = await db.runAndReadAll(`copy (${select}) to ${quotedLiteral(partial)} ${PARQUET}`)
      await rename(partial, join(folder, name))
      return Number(written.getRows()[0]?.[0])
    } finally {
      await rm(partial, { force: true })
    }
  }

  /** Writes rows to `<table>/unit=<number>/`. The column `unit` of the SELECT names the unit. Replaces the table. */
  async writeUnits(db: DuckDBConnection, select: string, table: string): Promise<void> {
    const partial = this.pathOf(`_${table}.${randomUUID()}`)
    await execute(
      db,
      `copy (${select}) to ${quotedLiteral(partial)} (format parquet, compression zstd, partition_by (unit))`,
    )
    await this.#replace(partial, table)
  }

  /** Writes the rows of a SELECT as a whole table, and replaces what the table had. */
  async writeTable(db: DuckDBConnection, select: string, table: string): Promise<void> {
    const partial = this.pathOf(`_${table}.${randomUUID()}`)
    await mkdir(partial, { recursive: true })
    await execute(db, `copy (${select}) to ${quotedLiteral(join(partial, 'rows.parquet'))} ${PARQUET}`)
    await this.#replace(partial, table)
  }

  /** Removes a table. */
  async clear(table: string): Promise<void> {
    await rm(this.pathOf(table), { recursive: true, force: true })
  }

  async #replace(partial: string, table: string): Promise<void> {
    await this.clear(table)
    await rename(partial, this.pathOf(table))
  }
}

function unitName(unit: number): string {
  return `unit=${unit}`
}

function isHidden(name: string): boolean {
  return name.startsWith('_') || name.startsWith('.')
}

/** Returns an SQL table expression that reads Parquet files. Their folder names add no columns. */
export function parquetRows(files: readonly string[]): string {
  return `read_parquet([${files.map(quotedLiteral).join(', ')}], hive_partitioning = false)`
}
