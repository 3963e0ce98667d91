import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { explainBestPair } from '../../../src/link/explain/explain.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { linkRecords } from '../../../src/link/link-records.ts'
import { saveModel } from '../../../src/link/model/model-file.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { inTransaction, query, quotedLiteral } from '../../../src/warehouse/query.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { z } from 'zod'
import { clusterFigures } from './figures.ts'
import { truthOf } from './run-set.ts'
import { fillWorld } from './world.ts'

// One world, its own process (so that its memory is its own): `node generated.ts MENTIONS [THREADS] [--seed N] [--laps] [--run-only]`, one
// JSON line out. Without nights and the explanation, `--run-only` takes a third of the time.
const TODAY = '2026-01-01'
/** The middle one is told: on a machine that others use, one alone says little. */
const NIGHTS = 5
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    laps: { type: 'boolean', default: false },
    'run-only': { type: 'boolean', default: false },
  },
})
const [wanted, threadsText] = positionals
const threads = Number(threadsText ?? 2)
const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
try {
  const world = join(folder, 'world.parquet')
  await writeWorld(world, Number(wanted))
  console.log(JSON.stringify(await measure(world)))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function writeWorld(path: string, mentions: number): Promise<void> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '4GB', threads: 2 })
  await fillWorld(warehouse.db, mentions, values.seed === undefined ? undefined : Number(values.seed))
  await warehouse.db.run(
    `copy (select r.*, t.cluster from link.records as r join truth as t using (record_id)) to ${quotedLiteral(path)}`,
  )
  await warehouse.close()
}

async function measure(world: string): Promise<Record<string, number>> {
  const warehouse = await openWarehouse(join(folder, 'warehouse.duckdb'), { memoryLimit: '1500MB', threads })
  const { db } = warehouse
  const modelFile = join(folder, 'link-model.json')
  const stateFolder = join(folder, 'link-model.state')
  await createRecordTables(db)
  // With their contents, as `sql/link/records.sql` leaves them.
  await db.run(
    `create or replace table link.records as select * exclude (cluster) from ${quotedLiteral(world)}`,
  )
  await db.run(`create table truth as select record_id, cluster from ${quotedLiteral(world)}`)
  const steps = new Map<string, number>()
  let last = performance.now()
  let cpu = process.cpuUsage()
  const onStep = (step: string, rows: number): void => {
    const now = performance.now()
    steps.set(step, (steps.get(step) ?? 0) + now - last)
    if (values.laps)
      console.error(
        `${step.padEnd(12)} ${Math.round(now - last)} ms, ${cpuMilliseconds(cpu)} ms of CPU, ${rows} rows, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
      )
    last = now
    cpu = process.cpuUsage()
  }
  const started = performance.now()
  const begun = process.cpuUsage()
  last = started
  const run = await linkAllRecords(db, { threads, today: TODAY, stateFolder, onStep })
  const trainedSeconds = (performance.now() - started) / 1000
  const trainedCpu = cpuMilliseconds(begun) / 1000
  const memory = process.resourceUsage().maxRSS / 2 ** 20
  const scored = ((steps.get('block') ?? 0) + (steps.get('score') ?? 0)) / 1000
  const figures = clusterFigures(run.clusters.smallest, await truthOf(db))
  const whole = {
    mentions: run.records.count,
    pairs: run.pairs,
    cluster_f1: figures.f1,
    precision: figures.precision,
    recall: figures.recall,
    b_cubed_f1: figures.bCubedF1,
    pairs_per_second: run.pairs / scored,
    run_seconds: trainedSeconds,
    run_cpu_seconds: trainedCpu,
    run_gib: memory,
  }
  if (values['run-only']) {
    await warehouse.close()
    return whole
  }
  await saveModel(db, modelFile, run.model)
  const explainSeconds = await timeOfExplaining(db, run.model, run.edges)

  const nights = await measureNights(db, modelFile, onStep)
  await warehouse.close()
  return { ...whole, ...nights, explain_ms: explainSeconds * 1000 }
}

/**
 * Nights that each bring one record in a hundred, one after the other in this process, between two full runs. The first is told as well:
 * the schedule gives each night a process of its own.
 */
async function measureNights(
  db: DuckDBConnection,
  modelFile: string,
  onStep: (step: string, rows: number) => void,
): Promise<Record<string, number>> {
  await db.run(`create table held_back as from link.records where hash(record_id) % 100 < ${NIGHTS}`)
  await db.run('delete from link.records where record_id in (select record_id from held_back)')
  // As `platbook link` does them, `--full` and not: the drift of the model told, all of it in one transaction.
  const linking = async (isFull: boolean): Promise<Cost> => {
    const options = { threads, today: TODAY, modelFile, full: isFull, onStep }
    const started = performance.now()
    const begun = process.cpuUsage()
    onStep('before it', 0)
    const { kind } = await inTransaction(db, async () => linkRecords(db, options))
    if (kind !== (isFull ? 'full' : 'changes')) throw new Error(`${kind} is not what was to be measured`)
    onStep('the rest', 0)
    return { seconds: (performance.now() - started) / 1000, cpu: cpuMilliseconds(begun) / 1000 }
  }
  const before = await linking(true)
  const nights: Cost[] = []
  for (let night = 0; night < NIGHTS; night++) {
    await db.run(`insert into link.records from held_back where hash(record_id) % 100 = ${night}`)
    nights.push(await linking(false))
  }
  const after = await linking(true)
  const full = { seconds: (before.seconds + after.seconds) / 2, cpu: (before.cpu + after.cpu) / 2 }
  const seconds = nights.map((night) => night.seconds).sort((a, b) => a - b)
  const cpu = nights.map((night) => night.cpu).sort((a, b) => a - b)
  const middle = Math.floor(NIGHTS / 2)
  return {
    full_seconds: full.seconds,
    full_cpu_seconds: full.cpu,
    night_seconds: seconds[middle]!,
    night_cpu_seconds: cpu[middle]!,
    night_share: seconds[middle]! / full.seconds,
    night_cpu_share: cpu[middle]! / full.cpu,
    night_share_first: nights[0]!.seconds / full.seconds,
    night_share_least: seconds[0]! / full.seconds,
    night_share_most: seconds.at(-1)! / full.seconds,
  }
}

interface Cost {
  readonly seconds: number
  readonly cpu: number
}

function cpuMilliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return Math.round((user + system) / 1000)
}

async function timeOfExplaining(
  db: Parameters<typeof explainBestPair>[0],
  model: Parameters<typeof explainBestPair>[1],
  edges: { left: Int32Array; right: Int32Array },
): Promise<number> {
  const ids = await query(
    db,
    `select record_id from link.coded_records where record_number in (${edges.left[0]}, ${edges.right[0]})`,
    z.object({ record_id: z.string() }),
  )
  const times: number[] = []
  for (let run = 0; run < 7; run++) {
    const started = performance.now()
    await explainBestPair(db, model, [ids[0]!.record_id], [ids[1]!.record_id])
    times.push((performance.now() - started) / 1000)
  }
  return times.sort((a, b) => a - b)[3]!
}
