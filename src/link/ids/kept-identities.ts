import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError, messageOf } from '../../errors.ts'
import { hashOfFile } from '../../hash.ts'
import { termsFile } from '../model/model-file.ts'
import { storedLinkage } from '../model/stored-linkage.ts'
import { syncFile, syncFolder } from '../../sync-files.ts'
import { execute, inTransaction, query, quotedLiteral } from '../../warehouse/query.ts'
import { IDENTITY_TABLES } from './tables.ts'

const MANIFEST = 'manifest.json'
const PARTIAL = '.partial'
const MODEL = 'link-model.json'
const TERMS = 'link-model.terms.parquet'
/** Number of runs whose identities are kept: the last run and the run before it. */
const KEPT = 2

const Run = z.object({ run_number: z.int(), linked_at: z.string() })
type Run = z.output<typeof Run>

const Manifest = Run.extend({
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
})

/** The manifest of a folder that keeps the person ids of one run. */
export interface KeptRun extends z.output<typeof Manifest> {
  readonly folder: string
}

/**
 * Returns the newest kept run in `folder`; null when no run is kept. Checks the sizes of its files; `verifyKept` checks their hashes.
 * @throws `state_damaged` when the manifest cannot be read or a file has another size
 */
export async function keptRun(folder: string): Promise<KeptRun | null> {
  const newest = (await namesIn(folder)).at(-1)
  if (newest === undefined) return null
  const path = join(folder, newest)
  try {
    const manifest = Manifest.parse(JSON.parse(await readFile(join(path, MANIFEST), 'utf8')))
    for (const [file, { bytes }] of Object.entries(manifest.files)) {
      if ((await stat(join(path, file))).size !== bytes) throw new Error(`${file} has another size`)
    }
    return { ...manifest, folder: path }
  } catch (cause) {
    throw damaged(path, messageOf(cause))
  }
}

/** Compares the hash of every kept file with the manifest. @throws `state_damaged` when one differs */
export async function verifyKept({ folder, files }: KeptRun): Promise<void> {
  for (const [file, { sha256 }] of Object.entries(files)) {
    if ((await hashOfFile(join(folder, file))) !== sha256) throw damaged(folder, `${file} has other bytes`)
  }
}

/**
 * Writes the identities of the last link run into a new subfolder of `folder`: the tables of `IDENTITY_TABLES` and, if there is one, the link
 * model. The history of ids cannot be computed again from the county files. Removes older subfolders. Call this after each link run and before a publication, so that every published id is kept. Does
 * nothing when the last run is already kept.
 */
export async function keepIdentities(
  db: DuckDBConnection,
  folder: string,
  modelFile: string | undefined,
): Promise<void> {
  const [last] = await query(db, LAST_RUN, Run)
  if (last === undefined) return
  const kept = await keptRun(folder).catch(() => null)
  if (kept !== null && isSame(kept, last)) return
  const name = `${String(last.run_number).padStart(8, '0')}-${randomUUID().slice(0, 8)}`
  const partial = join(folder, name + PARTIAL)
  await mkdir(partial, { recursive: true, mode: 0o700 })
  for (const table of IDENTITY_TABLES) {
    const file = quotedLiteral(join(partial, fileOf(table)))
    await execute(db, `copy (from ${table} order by all) to ${file} (format parquet, compression zstd)`)
  }
  if (modelFile !== undefined && existsSync(modelFile)) {
    await copyFile(modelFile, join(partial, MODEL))
    await copyFile(termsFile(modelFile), join(partial, TERMS))
  }
  const files: KeptRun['files'] = {}
  for (const file of await readdir(partial)) {
    const path = join(partial, file)
    await chmod(path, 0o600)
    await syncFile(path)
    files[file] = { bytes: (await stat(path)).size, sha256: await hashOfFile(path) }
  }
  const manifest: z.output<typeof Manifest> = { ...last, files }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  await writeFile(join(partial, MANIFEST), text, { flush: true, mode: 0o600 })
  await syncFolder(partial)
  await rename(partial, join(folder, name))
  await syncFolder(folder)
  await removeOlder(folder, name)
}

/**
 * Restores the identity tables from `folder` when the warehouse lacks the kept run, because it is new or an older copy. Also restores the link
 * model when the model file is missing and the warehouse was never linked. Returns the number of the restored run; null when nothing was restored.
 */
export async function restoreIdentities(
  db: DuckDBConnection,
  folder: string,
  modelFile: string | undefined,
): Promise<number | null> {
  const runs = await query(db, `select ${RUN} from link.runs`, Run)
  const kept = await keptRun(folder).catch((error: unknown) => {
    // The warehouse has identities of its own. After the next link run, `keepIdentities` replaces the damaged copy.
    if (runs.length > 0) return null
    throw error
  })
  if (kept === null || runs.some((run) => isSame(run, kept))) return null
  await verifyKept(kept)
  if (modelFile !== undefined && MODEL in kept.files && !existsSync(modelFile)) {
    if ((await storedLinkage(db)) === undefined) await putModelBack(kept, modelFile)
  }
  await inTransaction(db, async () => {
    for (const table of IDENTITY_TABLES) {
      const file = quotedLiteral(join(kept.folder, fileOf(table)))
      await execute(db, `delete from ${table}`)
      // Files that an early version of Platbook kept have a column that this version does not use.
      const columns = `columns(lambda name: name <> 'mention_number')`
      await execute(db, `insert into ${table} by name select ${columns} from read_parquet(${file})`)
    }
    // The records of this warehouse are not linked with the restored ids. Without the fingerprint of its input, the last run
    // counts as outdated, so the next run links them.
    await execute(db, `update link.runs set fingerprint = ''`)
  })
  return kept.run_number
}

async function putModelBack({ folder }: KeptRun, modelFile: string): Promise<void> {
  for (const [from, to] of [
    [TERMS, termsFile(modelFile)],
    [MODEL, modelFile],
  ] as const) {
    await copyFile(join(folder, from), `${to}.partial`)
    await rename(`${to}.partial`, to)
  }
}

/** Returns how many mentions both runs have, and how many of these have another person id in `after`. */
export async function changedIds(
  before: KeptRun,
  after: KeptRun | null,
): Promise<{ records: number; changed: number }> {
  if (after === null) return { records: 0, changed: 0 }
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const db = await instance.connect()
  try {
    const [found] = await query(
      db,
      `select count(*)::double as records,
         (count(*) filter (where now.person_id <> before.person_id))::double as changed
       from read_parquet(${mentionsOf(before)}) as before
       inner join read_parquet(${mentionsOf(after)}) as now using (mention_key)`,
      z.object({ records: z.int(), changed: z.int() }),
    )
    return found ?? { records: 0, changed: 0 }
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}

function mentionsOf({ folder }: KeptRun): string {
  return quotedLiteral(join(folder, fileOf('link.person_mentions')))
}

const RUN = `run_number, linked_at::varchar as linked_at`
const LAST_RUN = `select ${RUN} from link.runs order by link.runs.run_number desc limit 1`

function isSame(one: Run, other: Run): boolean {
  return one.run_number === other.run_number && one.linked_at === other.linked_at
}

function fileOf(table: string): string {
  return `${table.replace('link.', '')}.parquet`
}

/** Returns the names of the subfolders with complete runs, oldest first. Names of incomplete runs end with PARTIAL. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => /^\d{8}-[0-9a-f]{8}$/.test(name)).sort()
}

async function removeOlder(folder: string, newest: string): Promise<void> {
  const kept = (await namesIn(folder)).filter((name) => name !== newest && name < newest).slice(1 - KEPT)
  for (const name of await readdir(folder)) {
    if (name !== newest && !kept.includes(name))
      await rm(join(folder, name), { recursive: true, force: true })
  }
}

function damaged(folder: string, reason: string): AppError {
  return new AppError(
    'state_damaged',
    `${folder}, which keeps person ids, is damaged (${reason}): restore it with \`platbook restore --from\` and a backup`,
  )
}
