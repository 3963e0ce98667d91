import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { OnProgress } from '../progress.ts'
import { LAYERS, type Layer } from './open.ts'
import { type Partition, readPartition } from './partition.ts'
import { execute } from './query.ts'
import { createSnapshotRows } from './snapshot-rows.ts'

/** The folder of Platbook's SQL files. */
export const SQL_FOLDER = fileURLToPath(new URL('../../sql', import.meta.url))

/** The folders of `sql/` that contain models, and the schema in which the models of each folder build tables. */
const MODEL_FOLDERS = { normalize: 'normal', link: 'link', publish: 'published' } as const satisfies Record<
  string,
  Layer
>

/** One file `sql/<step>/<table>.sql`. Its SELECT builds the table `<layer>.<table>` (`MODEL_FOLDERS`). */
export interface Model {
  /** `<layer>.<table>` */
  readonly name: string
  /** The step of the nightly run that builds it: the name of its folder. */
  readonly step: string
  readonly layer: Layer
  readonly file: string
  readonly select: string
  /** The first comment line of the file. It describes one row of the table. */
  readonly sentence: string
  readonly grain: readonly string[]
  /** The tables that the comment line `-- in:` names. */
  readonly declared: readonly string[]
  /** The tables that the SELECT reads, as DuckDB's parser finds them. */
  readonly reads: readonly string[]
  /** The header lines from `-- by:` on: how the table can be built in parts. */
  readonly partition: Partition
}

/** One file `sql/dictionaries/<name>.sql`: a query for texts. A text may be in the result of several parts. */
export interface TextQuery {
  readonly name: string
  readonly select: string
  readonly reads: readonly string[]
  readonly partition: Partition
}

/** One file `sql/checks/<name>.sql`: a query that must return no rows. Its first column identifies the wrong row. */
export interface Check {
  readonly name: string
  readonly file: string
  readonly select: string
  readonly meaning: string
  readonly remedy: string
}

export interface BuildReport {
  readonly name: string
  readonly rows: number
  readonly seconds: number
}

/**
 * Builds the tables of a step (`normalize`, `link` or `publish`) in another way than `buildModels`, with the same rows.
 * Returns the number of rows of each table.
 */
export type BuildTables = (db: DuckDBConnection, step: string) => Promise<ReadonlyMap<string, number>>

export interface BuildOptions {
  readonly layers: readonly Layer[]
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
  /** Extra connections to the same warehouse. `buildModels` uses them to build independent models at the same time. */
  readonly extraConnections?: readonly DuckDBConnection[] | undefined
}

/**
 * Reads the models of `folder` and returns them in an order in which they can be built.
 * @throws `model_failed` for a file that is not one SELECT, and for models that read each other in a circle
 */
export async function loadModels(folder: string = SQL_FOLDER): Promise<Model[]> {
  const models = await withParser(async (db) => {
    const found: Model[] = []
    for (const [step, layer] of Object.entries(MODEL_FOLDERS)) {
      for (const file of await sqlFiles(join(folder, step)))
        found.push(await loadModel(db, file, step, layer))
    }
    return found
  })
  return inDependencyOrder(models)
}

/** Returns the queries of `folder/dictionaries`, sorted by name. */
export async function loadTextQueries(folder: string = SQL_FOLDER): Promise<TextQuery[]> {
  return withParser(async (db) => {
    const queries: TextQuery[] = []
    for (const file of await sqlFiles(join(folder, 'dictionaries'))) {
      const select = await readFile(file, 'utf8')
      const reads = await tablesRead(db, select, file)
      queries.push({
        name: basename(file, '.sql'),
        select,
        reads,
        partition: readPartition(select, reads, file),
      })
    }
    return queries
  })
}

/**
 * Returns a hash of the text of all models, macros and dictionary queries. When the hash changes, tables that
 * earlier texts built must be built again.
 */
export async function modelsVersion(folder: string = SQL_FOLDER): Promise<string> {
  const hash = createHash('sha256')
  for (const part of ['macros', 'dictionaries', ...Object.keys(MODEL_FOLDERS)]) {
    for (const file of await sqlFiles(join(folder, part))) {
      hash.update(`${part}/${basename(file)}\0${await readFile(file, 'utf8')}\0`)
    }
  }
  return hash.digest('hex')
}

/** Returns the checks of `folder/checks`, sorted by name. */
export async function loadChecks(folder: string = SQL_FOLDER): Promise<Check[]> {
  const checks: Check[] = []
  for (const file of await sqlFiles(join(folder, 'checks'))) {
    const select = await readFile(file, 'utf8')
    checks.push({
      name: basename(file, '.sql'),
      file,
      select,
      meaning: headerLine(select, 'what it means', file),
      remedy: headerLine(select, 'what to do', file),
    })
  }
  return checks
}

/** Reads one model file, which builds a table of `layer`. Uses `db` only to parse the SELECT. */
async function loadModel(db: DuckDBConnection, file: string, step: string, layer: Layer): Promise<Model> {
  const select = await readFile(file, 'utf8')
  const sentence = /^-- (.+)/.exec(select)?.[1]
  if (sentence === undefined)
    throw new AppError(
      'model_failed',
      `${file}: the first line must be a comment that describes one row ("-- A parcel.")`,
    )
  const reads = await tablesRead(db, select, file)
  return {
    name: `${layer}.${basename(file, '.sql')}`,
    step,
    layer,
    file,
    select,
    sentence,
    grain: listed(headerLine(select, 'grain', file)),
    declared: listed(headerLine(select, 'in', file)),
    reads,
    partition: readPartition(select, reads, file),
  }
}

/** Creates the macros of `sql/macros`, which models call by name. */
export async function createMacros(db: DuckDBConnection, folder: string = SQL_FOLDER): Promise<void> {
  for (const file of await sqlFiles(join(folder, 'macros'))) await execute(db, await readFile(file, 'utf8'))
}

/**
 * Rebuilds the tables of `options.layers`, each after the tables that it reads. A failed build leaves the former
 * table in place.
 */
export async function buildModels(
  db: DuckDBConnection,
  models: readonly Model[],
  options: BuildOptions,
): Promise<BuildReport[]> {
  await createMacros(db)
  await createSnapshotRows(db)
  const waiting = models.filter((model) => options.layers.includes(model.layer))
  const unbuilt = new Set(waiting.map((model) => model.name))
  const reports: BuildReport[] = []
  const idle = [db, ...(options.extraConnections ?? [])]
  const underWay = new Set<Promise<void>>()
  const build = async (model: Model, connection: DuckDBConnection): Promise<void> => {
    const report = await buildModel(connection, model)
    options.log.debug({ model: report.name, rows: report.rows, seconds: report.seconds }, 'model built')
    const detail = model.name.slice(model.layer.length + 1)
    options.progress?.({ step: model.step, detail, rows: report.rows, seconds: report.seconds })
    reports.push(report)
    unbuilt.delete(model.name)
    idle.push(connection)
  }
  try {
    while (waiting.length + underWay.size > 0) {
      options.signal.throwIfAborted()
      const next = waiting.findIndex((model) => model.reads.every((read) => !unbuilt.has(read)))
      const connection = next === -1 ? undefined : idle.shift()
      const [model] = connection === undefined ? [] : waiting.splice(next, 1)
      if (connection === undefined || model === undefined) {
        await Promise.race(underWay)
        continue
      }
      const building = build(model, connection)
      underWay.add(building)
      void building.then(
        () => underWay.delete(building),
        () => undefined,
      )
    }
  } finally {
    // Waits for running builds even after an error, because the caller may close their connections next.
    await Promise.allSettled(underWay)
  }
  return reports
}

async function buildModel(db: DuckDBConnection, model: Model): Promise<BuildReport> {
  const started = performance.now()
  await execute(db, `create or replace table ${model.name} as\n${model.select}`)
  const counted = await db.runAndReadAll(`select count(*) from ${model.name}`)
  const seconds = Math.round(performance.now() - started) / 1000
  return { name: model.name, rows: Number(counted.getRows()[0]?.[0]), seconds }
}

/**
 * Returns the models in such an order that each follows the models that it reads. Independent models are sorted by
 * layer and name.
 */
function inDependencyOrder(models: readonly Model[]): Model[] {
  const byName = new Map(models.map((model) => [model.name, model]))
  const ordered = new Set<Model>()
  const visit = (model: Model, path: readonly string[]): void => {
    if (ordered.has(model)) return
    if (path.includes(model.name)) {
      throw new AppError(
        'model_failed',
        `models read each other in a circle: ${[...path, model.name].join(' → ')}`,
      )
    }
    for (const read of model.reads) {
      const before = byName.get(read)
      if (before !== undefined) visit(before, [...path, model.name])
    }
    ordered.add(model)
  }
  const byLayer = (model: Model): string => `${LAYERS.indexOf(model.layer)} ${model.name}`
  for (const model of models.toSorted((a, b) => (byLayer(a) < byLayer(b) ? -1 : 1))) visit(model, [])
  return [...ordered]
}

async function withParser<T>(body: (db: DuckDBConnection) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const db = await instance.connect()
  try {
    return await body(db)
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}

async function sqlFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => join(folder, name))
}

interface Serialized {
  error: boolean
  error_message?: string
  statements?: unknown[]
}

async function tablesRead(db: DuckDBConnection, select: string, file: string): Promise<string[]> {
  // DuckDB cannot infer the type of the parameter without the cast.
  const reader = await db.runAndReadAll('select json_serialize_sql($select::varchar)', { select })
  const tree = JSON.parse(String(reader.getRows()[0]?.[0])) as Serialized
  if (tree.error || tree.statements?.length !== 1) {
    throw new AppError(
      'model_failed',
      `${file} is not one SELECT: ${tree.error_message ?? 'it has several statements'}`,
    )
  }
  const reads = new Set<string>()
  collectTables(tree, reads)
  return [...reads].sort()
}

// Collects names with a schema only: the name of a common table expression never has one.
function collectTables(node: unknown, into: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  const { type, schema_name: schema, table_name: table } = node as Record<string, unknown>
  if (type === 'BASE_TABLE' && typeof schema === 'string' && schema !== '' && typeof table === 'string') {
    into.add(`${schema}.${table}`)
  }
  for (const child of Object.values(node)) collectTables(child, into)
}

function headerLine(select: string, key: string, file: string): string {
  const value = new RegExp(`^-- ${key}: *(.+)$`, 'm').exec(select)?.[1]
  if (value === undefined) throw new AppError('model_failed', `${file} has no line "-- ${key}:"`)
  return value
}

function listed(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}
