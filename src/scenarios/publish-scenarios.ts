import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLog } from '../log.ts'
import { currentSnapshot } from '../lookup/format/current.ts'
import { readManifest, SCHEMA_VERSION } from '../lookup/format/manifest.ts'
import { movePointer, pruneSnapshots } from '../publish/pointer.ts'
import { publish } from '../publish/publish.ts'
import { PUBLISHED_TABLES, type PublishedName } from '../publish/tables.ts'
import { openWarehouse } from '../warehouse/open.ts'
import { execute, quotedIdentifier } from '../warehouse/query.ts'
import { type Row, type Rows, scenarioRows } from './world.ts'

/**
 * Publishes the invented people of test keys into `folder`, unless this version has published them before. Needs no
 * warehouse file. Several processes may call it at once. Returns whether it published something.
 */
export async function publishScenarios(folder: string, signal: AbortSignal): Promise<boolean> {
  const rows = scenarioRows()
  const madeAt = instantOf(rows)
  if (await isPublished(folder, madeAt)) return false
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const building = join(folder, `${randomUUID()}.building`)
  try {
    const version = await build(building, rows, madeAt, signal)
    await takeOver(join(building, version), join(folder, version))
    await movePointer(folder, version)
    await pruneSnapshots(folder, 1, version)
  } finally {
    await rm(building, { recursive: true, force: true })
  }
  return true
}

// The instant is a hash of the rows, and the version is made from the instant. So two processes publish the same
// version.
function instantOf(rows: Rows): Date {
  const hash = createHash('sha256')
    .update(JSON.stringify([SCHEMA_VERSION, rows]))
    .digest()
  return new Date(Date.UTC(2026, 0, 1) + hash.readUInt32BE(0))
}

async function isPublished(folder: string, madeAt: Date): Promise<boolean> {
  const current = await currentSnapshot(folder).catch(() => null)
  return current !== null && readManifest(current.folder).made_at === madeAt.toISOString()
}

async function build(snapshots: string, rows: Rows, madeAt: Date, signal: AbortSignal): Promise<string> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '512MB', threads: 1 })
  try {
    for (const name of Object.keys(PUBLISHED_TABLES) as PublishedName[]) {
      const columns = Object.entries<string>(PUBLISHED_TABLES[name].columns)
        .map(([column, type]) => `${quotedIdentifier(column)} ${type}`)
        .join(', ')
      const table = `published.${quotedIdentifier(name)}`
      await execute(warehouse.db, `create table ${table} (${columns})`)
      await execute(
        warehouse.db,
        `insert into ${table} select unnest(cast(cast($rows as json) as struct(${columns})[]), max_depth := 2)`,
        { rows: JSON.stringify((rows[name] ?? []).map((row) => wholeRow(name, row))) },
      )
    }
    const { version } = await publish({
      db: warehouse.db,
      snapshots,
      now: () => madeAt,
      log: silentLog,
      signal,
      keep: 1,
      checks: null,
      sources: [],
    })
    return version
  } finally {
    await warehouse.close()
  }
}

// DuckDB converts a struct only when all its keys are present.
function wholeRow(table: PublishedName, row: Row): Row {
  return Object.fromEntries(
    Object.keys(PUBLISHED_TABLES[table].columns).map((name) => [name, row[name] ?? null]),
  )
}

// Another process may have published the same version first.
async function takeOver(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}
