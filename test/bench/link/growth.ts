import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { CLUSTER_OPTIONS } from '../../../src/link/cluster/clusters.ts'
import type { Components } from '../../../src/link/cluster/components.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { query } from '../../../src/warehouse/query.ts'
import { machineLine } from '../machine.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { clusterFigures } from './figures.ts'
import { truthOf } from './run-set.ts'
import { fillWorld } from './world.ts'

// How components of records grow with the number of records: `node growth.ts RECORDS…`. Each size runs in its own process, and
// needs about 1 GiB of memory and 1 minute of processor time per million records. Writes `test/bench/results/growth.md`.
const THREADS = 2
const RESULTS = fileURLToPath(new URL('../results/growth.md', import.meta.url))
const State = z.object({ n: z.int(), h: z.string() })
const asked = process.argv.slice(2).map(Number)

if (process.env['GROWTH_OF_ONE'] === undefined) {
  const found = asked.map((size) => {
    const env = { ...process.env, GROWTH_OF_ONE: '1' }
    const ran = spawnSync(process.execPath, [import.meta.filename, String(size)], { env, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(ran.stderr)
    return JSON.parse(ran.stdout) as Growth
  })
  await writeFile(RESULTS, pageOf(found))
  console.log(pageOf(found))
} else console.log(JSON.stringify(await measure(asked[0]!)))

type Growth = Awaited<ReturnType<typeof measure>>

async function measure(records: number) {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-growth-'))
  try {
    return await measureIn(folder, records)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureIn(folder: string, records: number) {
  const warehouse = await openWarehouse(join(folder, 'warehouse.duckdb'), {
    memoryLimit: '4GB',
    threads: THREADS,
  })
  const { db } = warehouse
  await createRecordTables(db)
  await fillWorld(db, records)
  const begun = process.cpuUsage()
  const run = await linkAllRecords(db, { threads: THREADS, today: '2026-01-01' })
  const linkSeconds = cpuSeconds(begun)
  const rounds = await starRounds(db)
  const figures = clusterFigures(run.clusters.smallest, await truthOf(db))
  await warehouse.close()
  return {
    records: run.records.count,
    pairs_per_record: run.pairs / run.records.count,
    edges_per_record: run.edges.count / run.records.count,
    ...componentFigures(run.components, run.records.count),
    f1: figures.f1,
    precision: figures.precision,
    recall: figures.recall,
    link_cpu_seconds: linkSeconds,
    memory_gib: process.resourceUsage().maxRSS / 2 ** 20,
    ...rounds,
  }
}

function componentFigures({ count, starts }: Components, records: number) {
  let largest = 0
  let large = 0
  let inLarge = 0
  for (let c = 0; c < count; c++) {
    const size = starts[c + 1]! - starts[c]!
    largest = Math.max(largest, size)
    if (size <= CLUSTER_OPTIONS.mostRecords) continue
    large++
    inLarge += size
  }
  return {
    components: count,
    largest_component: largest,
    components_above_limit: large,
    share_of_records_above_limit: inLarge / records,
  }
}

/** Finds the components again by large-star and small-star rounds in SQL, as an engine without shared memory must. */
async function starRounds(db: DuckDBConnection) {
  const begun = process.cpuUsage()
  await db.run(
    `create temp table links as select distinct left_number as a, right_number as b from link.pair_edges`,
  )
  let rounds = 0
  let moved = 0
  let before = await stateOf(db)
  for (;;) {
    await db.run(`create or replace temp table large as
      with all_links as (select a, b from links union all select b, a from links),
      firsts as (select a, min(b) as m from all_links group by a)
      select distinct l.b as a, least(f.m, f.a) as b from all_links as l join firsts as f using (a) where l.b > l.a`)
    await db.run(`create or replace temp table links as
      with down as (select greatest(a, b) as a, least(a, b) as b from large),
      firsts as (select a, min(b) as m from down group by a)
      select distinct a, b from (
        select down.b as a, firsts.m as b from down join firsts using (a) where down.b <> firsts.m
        union all select a, m from firsts
      )`)
    rounds++
    const after = await stateOf(db)
    moved += after.n
    if (after.n === before.n && after.h === before.h) break
    before = after
  }
  return { star_rounds: rounds, star_rows: moved, star_cpu_seconds: cpuSeconds(begun) }
}

async function stateOf(db: DuckDBConnection): Promise<z.output<typeof State>> {
  const [row] = await query(
    db,
    'select count(*)::integer as n, coalesce(bit_xor(hash(a, b)), 0)::varchar as h from links',
    State,
  )
  return row!
}

function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

function pageOf(sizes: readonly Growth[]): string {
  const rows = sizes.map((size) =>
    [
      size.records.toLocaleString('en'),
      size.pairs_per_record.toFixed(1),
      size.edges_per_record.toFixed(2),
      size.largest_component,
      size.components_above_limit,
      `${(100 * size.share_of_records_above_limit).toFixed(4)} %`,
      size.f1.toFixed(4),
      size.link_cpu_seconds.toFixed(0),
      size.memory_gib.toFixed(1),
      size.star_rounds,
      size.star_cpu_seconds.toFixed(1),
    ].join(' | '),
  )
  return `# Growth of components

${machineLine()}

Written by \`node test/bench/link/growth.ts ${process.argv.slice(2).join(' ')}\`. All sizes are of the same invented world. The last two columns are of the same components, found by
rounds of joins in DuckDB.

| records | pairs a record | edges a record | largest component | components above 100 | their share of records | F1 of clusters | link run, processor s | GiB | rounds | rounds, processor s |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`
}
