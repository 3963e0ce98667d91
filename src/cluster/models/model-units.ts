import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { createMacros } from '../../warehouse/models.ts'
import { execute, query, quotedIdentifier } from '../../warehouse/query.ts'
import type { ModelTask, TaskInput } from './plan-models.ts'
import { parquetRows, type RunFolder } from '../run-folder.ts'
import { withUnitWarehouse } from '../unit-warehouse.ts'

/** Most memory of DuckDB in a unit. It spills what is larger. */
const MEMORY_LIMIT = '700MB'

export interface UnitOfModels {
  readonly unit: number
  readonly units: number
}

/**
 * Does tasks for one unit, one after the other, and returns the number of rows that each wrote by folder. Repeated tasks
 * write the same rows.
 */
export async function runModelTasks(
  folder: RunFolder,
  tasks: readonly ModelTask[],
  of: UnitOfModels,
): Promise<Record<string, number>> {
  return withUnitWarehouse(folder, MEMORY_LIMIT, async (db) => {
    await createMacros(db)
    const tables = new UnitTables(db, folder, of.unit)
    const rows: Record<string, number> = {}
    for (const task of tasks) {
      if (task.kind === 'dictionary') {
        await fillTexts(db, folder, task, of)
        for (const table of task.tables) rows[table] = await folder.write(db, `from ${table}`, table, of.unit)
        await execute(db, 'drop schema normal cascade')
        await execute(db, 'create schema normal')
      } else {
        const select = await selectOf(task, tables, of)
        rows[task.to] = await folder.write(db, `\n${select}\n`, task.to, of.unit)
        await tables.drop()
      }
    }
    return rows
  })
}

async function fillTexts(
  db: DuckDBConnection,
  folder: RunFolder,
  { texts, dictionary }: TaskOf<'dictionary'>,
  { unit }: UnitOfModels,
): Promise<void> {
  // The normalisers read large tables, and most stages need none.
  const { createDictionaries, fillDictionary } = await import('../../normalize/run/dictionaries.ts')
  const files = await folder.files(texts, unit)
  await createDictionaries(db)
  if (files.length > 0) await fillDictionary(db, dictionary, `select text from ${parquetRows(files)}`)
}

type TaskOf<Kind extends ModelTask['kind']> = Extract<ModelTask, { kind: Kind }>

/** Creates the tables that a task reads, and returns the SELECT of the rows that it writes. */
async function selectOf(
  task: Exclude<ModelTask, { kind: 'dictionary' }>,
  tables: UnitTables,
  { unit, units }: UnitOfModels,
): Promise<string> {
  switch (task.kind) {
    case 'route': {
      await tables.createShare(task.table, units)
      const known = task.leavesOutNull ? ` where ${task.by} is not null` : ''
      return `select *, ${unitOf(hashOf(task.by), units)} as unit from ${task.table}${known}`
    }
    case 'ask':
      await tables.create(task.asker)
      return `select distinct ${hashOf('value')} as asked, ${unit}::integer as asker, ${unitOf(hashOf('value'), units)} as unit
        from (select ${task.asked} as value from ${task.asker.table}) where value is not null`
    case 'answer': {
      await tables.create({ table: task.table, folders: [task.rows] })
      const asks = await tables.rowsOf(task.asks)
      if (asks === null) return `select *, []::integer[] as units from ${task.table} where false`
      return `select own.*, asks.units from ${task.table} as own
        inner join (
          select asked, list(distinct asker) as units
          from (select asked::bigint as asked, asker::integer as asker from ${asks})
          group by asked
        ) as asks on ${hashOf(task.value)} = asks.asked`
    }
    case 'build': {
      for (const input of task.inputs) await tables.create(input)
      if (task.result === null) return task.select
      // The last line of a SELECT may be a comment, so the bracket is on a line of its own.
      return `select * from (\n${task.select}\n) where ${unitOf(hashOf(task.result), units)} = ${unit}`
    }
    default: {
      for (const input of task.inputs) await tables.create(input)
      return `select text, ${unitOf(hashOf('text'), units)} as unit from (\n${task.select}\n)`
    }
  }
}

/**
 * Gives each row a number from 0 on by a value. It has 63 bits, because Spark has no unsigned integers. DuckDB's hash of a
 * value depends on its type, so rows must have the types that the table has in the run folder.
 */
function hashOf(value: string): string {
  return `(hash(${value}) >> 1)::bigint`
}

function unitOf(hash: string, units: number): string {
  return `(${hash} % ${units})::integer`
}

const Column = z.object({ name: z.string(), type: z.string() })

/** Creates the tables of a unit, under the names that they have in a warehouse. */
class UnitTables {
  readonly #db: DuckDBConnection
  readonly #folder: RunFolder
  readonly #unit: number
  readonly #columns = new Map<string, string>()
  #created: string[] = []

  constructor(db: DuckDBConnection, folder: RunFolder, unit: number) {
    this.#db = db
    this.#folder = folder
    this.#unit = unit
  }

  async create({ table, folders }: TaskInput): Promise<void> {
    if (folders === null) return this.#createView(table, await this.#folder.files(table))
    if (folders.length === 1)
      return this.#createView(table, await this.#folder.files(folders[0]!, this.#unit))
    const rows: string[] = []
    for (const one of folders)
      rows.push(await this.#typedRows(table, await this.#folder.files(one, this.#unit)))
    await execute(this.#db, `create table ${table} as ${rows.join(' union ')}`)
    this.#created.push(`table ${table}`)
  }

  /** Creates a table with the rows of the files that this unit takes when the files are divided among the units. */
  async createShare(table: string, units: number): Promise<void> {
    const files = await this.#folder.files(table)
    await this.#createView(
      table,
      files.filter((_, index) => index % units === this.#unit),
    )
  }

  /** Returns a table expression for the unit's rows of a folder; null when there are none. */
  async rowsOf(folder: string): Promise<string | null> {
    const files = await this.#folder.files(folder, this.#unit)
    return files.length === 0 ? null : parquetRows(files)
  }

  async drop(): Promise<void> {
    for (const created of this.#created.splice(0)) await execute(this.#db, `drop ${created}`)
  }

  // A view and not a table: DuckDB then reads only the columns that a query needs.
  async #createView(table: string, files: readonly string[]): Promise<void> {
    await execute(this.#db, `create view ${table} as ${await this.#typedRows(table, files)}`)
    this.#created.push(`view ${table}`)
  }

  /**
   * Returns a SELECT of the rows of `files`, with the columns and types that the first file of `table` has. An engine may have
   * written other types to `files`.
   */
  async #typedRows(table: string, files: readonly string[]): Promise<string> {
    const [known] = await this.#folder.files(table)
    if (known === undefined)
      throw new AppError(
        'stage_failed',
        `${this.#folder.pathOf(table)} has no file; the step that writes ${table} must run first`,
      )
    const columns = this.#columns.get(table) ?? (await this.#columnsOf(known))
    this.#columns.set(table, columns)
    return files.length === 0
      ? `select ${columns} from ${parquetRows([known])} where false`
      : `select ${columns} from ${parquetRows(files)}`
  }

  async #columnsOf(file: string): Promise<string> {
    const described = `select column_name as name, column_type as type from (describe from ${parquetRows([file])})`
    const columns = await query(this.#db, described, Column)
    return columns
      .map(({ name, type }) => `${quotedIdentifier(name)}::${type} as ${quotedIdentifier(name)}`)
      .join(', ')
  }
}
