import { access, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { SourceDefinition } from '../../src/ingest/definition.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { prepareTables } from '../../src/ingest/ledger.ts'
import { fillReference } from '../../src/ingest/reference.ts'
import { loadSources } from '../../src/ingest/sources.ts'
import { silentLog } from '../../src/log.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { query, quotedLiteral } from '../../src/warehouse/query.ts'

/** A Florida sale data file as the Department of Revenue publishes it: Broward, 95,332 rows. */
const REAL_FILE = join(import.meta.dirname, '../../../shared/data/SDF16P202501.csv.gz')
const ROUNDS = 5

/** One real file: our load (ledger, raw, account, with and without staging) against DuckDB's bare reader, in turns. */
export async function run(): Promise<void> {
  try {
    await access(REAL_FILE)
  } catch {
    console.log(`skipped: ${REAL_FILE} is not here`)
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  try {
    const landing = join(folder, 'landing', 'us-fl-statewide-sdf')
    await mkdir(landing, { recursive: true })
    await copyFile(REAL_FILE, join(landing, 'SDF16P202501.csv.gz'))
    await compare(join(folder, 'landing'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(landing: string): Promise<void> {
  const folder = fileURLToPath(new URL('../../pipelines/sources', import.meta.url))
  const source = (await loadSources([folder])).find(({ id }) => id === 'us/fl/statewide.sdf')
  if (source === undefined) throw new Error('there is no us/fl/statewide.sdf')
  const unstaged = { ...source, files: source.files.map((kind) => ({ ...kind, rows: [] })) }
  const times = { bare: [] as Spent[], loaded: [] as Spent[], staged: [] as Spent[] }
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await inWarehouse(unstaged, bareRead))
    times.loaded.push(await inWarehouse(unstaged, (db) => load(db, unstaged, landing), requireLoaded))
    const isLast = round === ROUNDS - 1
    times.staged.push(
      await inWarehouse(source, (db) => load(db, source, landing), isLast ? account : requireStaged),
    )
  }
  const bare = medians(times.bare)
  console.log(`DuckDB's own read_csv(all_varchar) into a table: ${written(bare)} (medians of ${ROUNDS})`)
  for (const [name, each] of [
    ['loaded, every record accounted for', times.loaded],
    ['loaded and staged', times.staged],
  ] as const) {
    const spent = medians(each)
    const ratio = (spent.ms / bare.ms).toFixed(2)
    console.log(
      `${name}: ${written(spent)}, ${ratio} times DuckDB's own (CPU ${(spent.cpuMs / bare.cpuMs).toFixed(2)})`,
    )
  }
}

/** CPU time stands beside the time on the clock, which on a busy machine measures its neighbours. */
interface Spent {
  readonly ms: number
  readonly cpuMs: number
}

function medians(spent: readonly Spent[]): Spent {
  return { ms: median(spent.map(({ ms }) => ms)), cpuMs: median(spent.map(({ cpuMs }) => cpuMs)) }
}

function written({ ms, cpuMs }: Spent): string {
  return `${Math.round(ms)} ms, ${Math.round(cpuMs)} ms of CPU`
}

async function inWarehouse(
  source: SourceDefinition,
  body: (db: DuckDBConnection) => Promise<void>,
  after: (db: DuckDBConnection) => Promise<unknown> = () => Promise.resolve(),
): Promise<Spent> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '4GB', threads: 2 })
  try {
    // What any night has long done: tables, reference data.
    await prepareTables(warehouse.db)
    await fillReference(warehouse.db, [source])
    const started = performance.now()
    const before = process.cpuUsage()
    await body(warehouse.db)
    const ms = performance.now() - started
    const { user, system } = process.cpuUsage(before)
    await after(warehouse.db)
    return { ms, cpuMs: (user + system) / 1000 }
  } finally {
    await warehouse.close()
  }
}

async function bareRead(db: DuckDBConnection): Promise<void> {
  await db.run(`create table bare as from read_csv(${quotedLiteral(REAL_FILE)}, all_varchar = true)`)
}

async function load(db: DuckDBConnection, source: SourceDefinition, landing: string): Promise<void> {
  await ingest({
    db,
    sources: [source],
    landing,
    now: () => new Date('2025-07-01'),
    log: silentLog,
    signal: new AbortController().signal,
  })
}

const LoadedFile = z.object({
  status: z.string(),
  physical_rows: z.number(),
  loaded_rows: z.number(),
  refused_rows: z.number(),
})

/** The one file's line of the ledger; throws unless every record of it was loaded or refused. */
async function requireLoaded(db: DuckDBConnection): Promise<z.output<typeof LoadedFile>> {
  const [file] = await query(
    db,
    'select status, physical_rows, loaded_rows, refused_rows from ledger.files',
    LoadedFile,
  )
  if (
    file?.status !== 'loaded' ||
    file.loaded_rows === 0 ||
    file.loaded_rows + file.refused_rows !== file.physical_rows
  )
    throw new Error(`the file was not loaded: ${JSON.stringify(file ?? null)}`)
  return file
}

async function requireStaged(db: DuckDBConnection): Promise<z.output<typeof LoadedFile>> {
  const file = await requireLoaded(db)
  const [staged] = await query(
    db,
    'select count(*)::integer as sales from staging.sales',
    z.object({ sales: z.number() }),
  )
  if (staged === undefined || staged.sales === 0) throw new Error('no sale was staged')
  return file
}

async function account(db: DuckDBConnection): Promise<void> {
  const file = await requireStaged(db)
  const [text] = await query(
    db,
    `select count(*) filter (typeof("CLERK_NO") = 'VARCHAR' and typeof("MP_ID") = 'VARCHAR')::integer as text_rows,
       count(*) filter ("MP_ID" ~ '^[0-9]+E[0-9]+$')::integer as powers,
       count(*) filter (regexp_matches("PARCEL_ID", '[A-Z]'))::integer as lettered
     from raw.us_fl_statewide_sdf__sdf`,
    z.object({ text_rows: z.number(), powers: z.number(), lettered: z.number() }),
  )
  console.log(
    `${file.physical_rows} records = ${file.loaded_rows} loaded + ${file.refused_rows} refused; ` +
      `${text?.text_rows} with CLERK_NO and MP_ID as text, ` +
      `${text?.powers} MP_ID that look like powers of ten, ${text?.lettered} parcel ids with letters`,
  )
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
