import { readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { linkInUnits } from '../../../src/cluster/link/link-in-units.ts'
import { openLocalEngine } from '../../../src/cluster/local-engine.ts'
import { RunFolder } from '../../../src/cluster/run-folder.ts'
import { runStageProcesses } from '../../../src/cluster/stage-processes.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { query } from '../../../src/warehouse/query.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { fillWorld } from '../link/world.ts'

// The link run of one world, embedded and in units, by the same model: `node units.ts RECORDS [--units N] [--processes P]`. One JSON line out.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { units: { type: 'string' }, processes: { type: 'string', default: '2' } },
})
const Linkage = z.object({ text: z.string() })

const folder = await mkdtemp(join(tmpdir(), 'platbook-units-'))
try {
  console.log(JSON.stringify(await measure(Number(positionals[0]))))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measure(wanted: number): Promise<Record<string, unknown>> {
  const warehouse = await openWarehouse(join(folder, 'warehouse.duckdb'), { memoryLimit: '2GB', threads: 2 })
  const { db } = warehouse
  await createRecordTables(db)
  await fillWorld(db, wanted)
  const today = '2026-01-01'
  const { model, records } = await linkAllRecords(db, { threads: 2, today })
  const embedded = await cost(async () => linkAllRecords(db, { threads: 2, today, model }))
  const linkage = await linkageOf(db)
  const run = new RunFolder(join(folder, 'run'))
  await mkdir(run.path)
  let last = seconds()
  let memory = 0
  const laps: Record<string, [wall: number, cpu: number]> = {}
  const engine = await openLocalEngine({
    folder: run,
    memoryLimit: '2GB',
    threads: 2,
    run: async (stage) => {
      const results = await runStageProcesses(stage, {
        processes: Number(values.processes),
        signal: new AbortController().signal,
      })
      for (const { counts } of results) memory = Math.max(memory, counts['memory_mib']!)
      return results
    },
  })
  const units = await cost(async () =>
    linkInUnits(db, model, {
      engine,
      folder: run,
      units: values.units === undefined ? undefined : Number(values.units),
      onStep: (step) => {
        const now = seconds()
        laps[step] = [round(now.wall - last.wall), round(now.cpu - last.cpu)]
        last = now
      },
    }),
  )
  await engine.close()
  const isEqual = (await linkageOf(db)) === linkage
  await warehouse.close()
  return {
    records: records.count,
    is_equal: isEqual,
    embedded_cpu_seconds: embedded.cpu,
    units_cpu_seconds: units.cpu,
    ratio: round(units.cpu / embedded.cpu),
    embedded_seconds: embedded.wall,
    units_seconds: units.wall,
    ...units.result,
    pairs_per_distinct_pair: round(units.result.pairs / embedded.result.pairs),
    stage_memory_mib: memory,
    bytes_per_record: await bytesPerRecord(run, records.count),
    laps,
  }
}

/** Bytes that the engine moves between units, by table. */
async function bytesPerRecord(run: RunFolder, records: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of ['to_pair', 'found_edges', 'to_cluster']) {
    let bytes = 0
    for (const file of await run.files(table)) bytes += statSync(file).size
    found[table] = round(bytes / records)
  }
  return found
}

interface Seconds {
  readonly wall: number
  readonly cpu: number
}

async function cost<T>(body: () => Promise<T>): Promise<Seconds & { readonly result: T }> {
  const before = seconds()
  const result = await body()
  const after = seconds()
  return { wall: round(after.wall - before.wall), cpu: round(after.cpu - before.cpu), result }
}

/** Wall time, and processor time of this process and of its ended children. The kernel counts in hundredths of a second. */
function seconds(): Seconds {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { wall: performance.now() / 1000, cpu: ticks / 100 }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** A hash of edges and clusters by record id. */
async function linkageOf(db: DuckDBConnection): Promise<string> {
  const [found] = await query(
    db,
    `with named as (
       select record_number, record_id, min(record_id) over (partition by g.cluster) as first
       from link.coded_records left join link.groups as g using (record_number)
     )
     select concat_ws(' ',
       (select concat_ws(' ', count(*), bit_xor(hash(least(l.record_id, r.record_id), greatest(l.record_id, r.record_id), bits)))
        from link.pair_edges join named as l on l.record_number = left_number join named as r on r.record_number = right_number),
       (select concat_ws(' ', count(*), bit_xor(hash(record_id, first))) from named join link.groups using (record_number))
     ) as text`,
    Linkage,
  )
  return found!.text
}
