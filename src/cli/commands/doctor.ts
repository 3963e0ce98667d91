import { existsSync } from 'node:fs'
import { readFile, stat, statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayOf } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { AppError, messageOf } from '../../errors.ts'
import { loadSources } from '../../ingest/sources.ts'
import { currentSnapshot } from '../../lookup/current.ts'
import { verifySnapshot } from '../../publish/manifest.ts'
import { openDatabase } from '../../state/database.ts'
import { ScheduleLedger, type ScheduleRun } from '../../state/schedule-ledger.ts'
import { query } from '../../warehouse/query.ts'
import { SAMPLE_FOLDER } from '../demo.ts'
import type { CommandIo } from '../io.ts'
import { count } from '../progress.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { sourceFolders } from '../source-folders.ts'

export const summary = 'says what is installed, loaded, late, in quarantine, and serving'
export const usage = 'platbook doctor [--data DIR] [--sources DIR] [--json]'

const PACKAGES = ['@duckdb/node-api', 'lmdb', 'fastify', 'zod', 'libphonenumber-js']

const Loaded = z.object({
  source_id: z.string(),
  files: z.int(),
  rows: z.int(),
  refused: z.int(),
  newest_on: z.string().nullable(),
  /** Nothing but the sample's invented files, which are of January 2026 and never late. */
  is_sample: z.boolean(),
  loaded_at: z.string().nullable(),
  status: z.string().nullable(),
  reason: z.string().nullable(),
})
const Quarantined = z.object({
  source_id: z.string(),
  reason: z.string(),
  rows: z.int(),
  file_name: z.string(),
  line_number: z.int().nullable(),
})
const Manifest = z.object({ version: z.string() })
const Run = z.object({ step: z.string(), started_at: z.string(), status: z.string() })

interface Health {
  installed: Record<string, string>
  disk_free_gib: number
  sources: (z.output<typeof Loaded> & { late_days: number; every_days: number })[]
  missing_sources: string[]
  quarantine: z.output<typeof Quarantined>[]
  runs: z.output<typeof Run>[]
  /** The last runs of each job of the schedule; none where no schedule has run. */
  schedule: ScheduleRun[]
  snapshot: { version: string; age_hours: number; damaged: string[] } | null
  warehouse: string | null
}

/** Exit code 0 when all is well, 1 when something needs a hand. */
export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      data: { type: 'string' },
      sources: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    },
  })
  const health = await examine(io, values.sources)
  const complaints = complaintsOf(health)
  if (values.json === true) io.out(JSON.stringify({ ...health, complaints }))
  else print(health, complaints, io)
  return complaints.length === 0 ? 0 : 1
}

async function examine(io: CommandIo, named: string[] | undefined): Promise<Health> {
  const { config } = io
  const definitions = await loadSources(sourceFolders(config, named))
  const health: Health = {
    installed: await installedVersions(),
    disk_free_gib: await freeDisk(config.paths.root),
    sources: [],
    missing_sources: [],
    quarantine: [],
    runs: [],
    schedule: lastScheduled(config),
    snapshot: await snapshotHealth(config.paths.snapshots, io.now()),
    warehouse: null,
  }
  if ((await stat(config.paths.warehouse).catch(() => null)) === null) {
    health.warehouse = 'there is none yet: `platbook nightly` makes it from what lies in landing'
    return health
  }
  try {
    await readWarehouse(config, async (db) => {
      const everyDays = new Map(definitions.map((source) => [source.id, source.everyDays]))
      health.sources = (await loadedSources(db)).map((source) => {
        const every_days = everyDays.get(source.source_id) ?? 0
        const late_days = source.is_sample ? 0 : lateDays(source.newest_on, every_days, dayOf(io.now()))
        return { ...source, every_days, late_days }
      })
      health.quarantine = await quarantined(db)
      health.runs = await query(
        db,
        'select step, started_at, status from ledger.runs order by run_id desc limit 3',
        Run,
      )
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    health.warehouse =
      error.code === 'warehouse_locked' ? 'a night is running: ask again when it has ended' : error.message
  }
  const loaded = new Set(health.sources.map((source) => source.source_id))
  health.missing_sources = definitions.map((source) => source.id).filter((id) => !loaded.has(id))
  return health
}

function lastScheduled({ paths }: Config): ScheduleRun[] {
  if (!existsSync(paths.state)) return []
  const db = openDatabase(paths.state)
  try {
    return new ScheduleLedger(db).last(3)
  } catch {
    // A state file from before there was a schedule: whoever serves or schedules next brings it up to date.
    return []
  } finally {
    db.close()
  }
}

async function loadedSources(db: DuckDBConnection): Promise<z.output<typeof Loaded>[]> {
  return query(
    db,
    `select files.source_id, count(*) filter (where files.status = 'loaded')::integer as files,
       coalesce(sum(files.loaded_rows) filter (where files.status = 'loaded'), 0)::integer as rows,
       coalesce(sum(files.refused_rows) filter (where files.status = 'loaded'), 0)::integer as refused,
       max(files.as_of_on) filter (where files.status <> 'empty') as newest_on,
       bool_and(starts_with(files.file_name, $sample)) as is_sample, max(files.loaded_at) as loaded_at,
       any_value(sources.status) as status, any_value(sources.reason) as reason
     from ledger.files
     left join ledger.sources using (source_id)
     group by files.source_id
     order by files.source_id`,
    Loaded,
    { sample: SAMPLE_FOLDER },
  )
}

async function quarantined(db: DuckDBConnection): Promise<z.output<typeof Quarantined>[]> {
  return query(
    db,
    `select source_id, reason, count(*)::integer as rows, min(file_name) as file_name,
       arg_min(line_number, (file_name, line_number)) as line_number
     from ledger.quarantine
     group by source_id, reason
     order by rows desc, source_id, reason
     limit 20`,
    Quarantined,
  )
}

async function installedVersions(): Promise<Record<string, string>> {
  const { resolve } = createRequire(import.meta.url)
  const versions: Record<string, string> = { node: process.versions.node }
  for (const name of PACKAGES) {
    const manifests = (resolve.paths(name) ?? []).map((root) =>
      readFile(`${root}/${name}/package.json`, 'utf8').catch(() => null),
    )
    const found = (await Promise.all(manifests)).find((text) => text !== null)
    versions[name] = found === undefined ? 'missing' : Manifest.parse(JSON.parse(found)).version
  }
  return versions
}

async function freeDisk(root: string): Promise<number> {
  const disk = await statfs(root).catch(() => statfs('.'))
  return Math.round((disk.bavail * disk.bsize) / 2 ** 30)
}

async function snapshotHealth(folder: string, now: Date): Promise<Health['snapshot']> {
  const snapshot = await currentSnapshot(folder).catch((error: unknown) => ({
    version: messageOf(error),
    folder: '',
  }))
  if (snapshot === null) return null
  if (snapshot.folder === '') return { version: 'none', age_hours: 0, damaged: [snapshot.version] }
  const damaged = (await verifySnapshot(snapshot.folder)).map(
    (problem) => `${problem.file}: ${problem.problem}`,
  )
  const made = (await stat(snapshot.folder)).mtime
  return {
    version: snapshot.version,
    age_hours: Math.round((now.getTime() - made.getTime()) / 3_600_000),
    damaged,
  }
}

function lateDays(newest: string | null, everyDays: number, today: string): number {
  if (newest === null || everyDays === 0) return 0
  const age = Math.floor((Date.parse(today) - Date.parse(newest)) / 86_400_000)
  return Math.max(0, age - everyDays)
}

function complaintsOf(health: Health): string[] {
  return [
    ...Object.entries(health.installed)
      .filter(([, version]) => version === 'missing')
      .map(([name]) => `${name} is not installed: run npm ci`),
    ...(health.warehouse === null ? [] : [`warehouse: ${health.warehouse}`]),
    ...health.sources
      .filter((source) => source.status === 'rolled_back')
      .map((source) => `${source.source_id} was rolled back: ${source.reason ?? 'no reason recorded'}`),
    ...health.sources
      .filter((source) => source.late_days > 0)
      .map(
        (source) =>
          `${source.source_id} is ${source.late_days} days late: newest file of ${source.newest_on}, due every ${source.every_days} days`,
      ),
    ...(health.snapshot === null ? ['no snapshot is published: `platbook nightly` makes one'] : []),
    ...(health.snapshot?.damaged ?? []).map(
      (problem) => `snapshot ${health.snapshot?.version ?? ''}: ${problem}; publish again`,
    ),
    ...(health.disk_free_gib < 5 ? [`only ${health.disk_free_gib} GiB of disk are free`] : []),
    ...failedJobs(health.schedule),
    ...(health.runs[0]?.status === 'killed' ? ['the last run was killed: run `platbook nightly` again'] : []),
  ]
}

function failedJobs(runs: readonly ScheduleRun[]): string[] {
  const newest = new Map<string, ScheduleRun>()
  for (const past of runs) if (!newest.has(past.job)) newest.set(past.job, past)
  return [...newest.values()]
    .filter(({ status }) => status === 'failed' || status === 'lost')
    .map(({ job, due_at, status, detail }) =>
      status === 'lost'
        ? `the run of ${job} due at ${due_at} ended without a word: \`platbook schedule\` makes up for it`
        : `the run of ${job} due at ${due_at} failed: ${detail ?? 'no reason recorded'}`,
    )
}

function print(health: Health, complaints: string[], io: CommandIo): void {
  io.out(
    `installed  ${Object.entries(health.installed)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
  )
  io.out(`disk       ${health.disk_free_gib} GiB free`)
  io.out(
    `serving    ${health.snapshot === null ? 'nothing' : `${health.snapshot.version}, ${health.snapshot.age_hours} h old, ${health.snapshot.damaged.length === 0 ? 'every file as its manifest says' : 'DAMAGED'}`}`,
  )
  io.out(
    `runs       ${health.runs.map((past) => `${past.step} ${past.started_at.slice(0, 16)} ${past.status}`).join('; ') || 'none'}`,
  )
  if (health.schedule.length > 0) io.out('\nschedule')
  for (const { job, started_at, status, detail } of health.schedule) {
    io.out(`  ${job.padEnd(10)} ${started_at.slice(0, 16)} ${status}${detail === null ? '' : `: ${detail}`}`)
  }
  io.out('\nloaded')
  for (const source of health.sources) {
    const late =
      source.late_days > 0 ? `, ${source.late_days} days late` : source.is_sample ? ' (sample)' : ''
    io.out(
      `  ${source.source_id.padEnd(34)} ${String(source.files).padStart(4)} files ${count(source.rows).padStart(12)} rows, ${count(source.refused)} quarantined, newest ${source.newest_on ?? 'unknown'}${late}`,
    )
  }
  if (health.sources.length === 0) io.out('  nothing')
  if (health.missing_sources.length > 0) io.out(`  never loaded: ${health.missing_sources.join(', ')}`)
  if (health.quarantine.length > 0) io.out('\nin quarantine (ledger.quarantine has the rows)')
  for (const group of health.quarantine) {
    io.out(
      `  ${count(group.rows).padStart(8)}  ${group.source_id}: ${group.reason} (first: ${group.file_name}, line ${group.line_number ?? '?'})`,
    )
  }
  io.out(complaints.length === 0 ? '\nall is well' : '\nneeds a hand')
  for (const complaint of complaints) io.out(`  ${complaint}`)
}
