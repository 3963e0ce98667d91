import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Engine, StageCall, UnitResult } from '../../src/cluster/engine.ts'
import { openLocalEngine } from '../../src/cluster/local-engine.ts'
import { RunFolder } from '../../src/cluster/run-folder.ts'
import { openStage } from '../../src/cluster/stages.ts'
import { withFolder } from '../support/folder.ts'
import { rowsOf } from '../support/warehouse.ts'

/** Runs all units of a stage one after the other in this process. */
export async function runHere(folder: RunFolder, { args, units }: StageCall): Promise<UnitResult[]> {
  const round = args.indexOf('--round')
  const stage = await openStage(args[0]!, folder, round < 0 ? undefined : Number(args[round + 1]))
  const results: UnitResult[] = []
  for (let unit = 0; unit < units; unit++) results.push({ unit, counts: await stage(unit) })
  return results
}

/** A run folder with an engine that uses no other process. */
export async function withLocalEngine<T>(
  body: (engine: Engine, folder: RunFolder) => Promise<T>,
  run: (folder: RunFolder, stage: StageCall) => Promise<readonly UnitResult[]> = runHere,
): Promise<T> {
  return withFolder(async (path) => {
    const folder = new RunFolder(join(path, 'run'))
    await mkdir(folder.path)
    const engine = await openLocalEngine({
      folder,
      memoryLimit: '500MB',
      threads: 1,
      run: async (stage) => run(folder, stage),
    })
    try {
      return await body(engine, folder)
    } finally {
      await engine.close()
    }
  })
}

/** Edges with their match weights, components and clusters of the last run, all by record id. */
export async function linkageOf(db: DuckDBConnection): Promise<Record<string, unknown>> {
  const named = `(select record_number, record_id, g.component, g.cluster
    from link.coded_records left join link.groups as g using (record_number))`
  return {
    edges: await rowsOf(
      db,
      `select least(l.record_id, r.record_id) as one, greatest(l.record_id, r.record_id) as other, bits
       from link.pair_edges join ${named} as l on l.record_number = left_number
       join ${named} as r on r.record_number = right_number order by one, other`,
    ),
    clusters: await rowsOf(
      db,
      `select list(record_id order by record_id) as members from ${named} where cluster is not null group by cluster order by members`,
    ),
    components: await rowsOf(
      db,
      `select list(record_id order by record_id) as members from ${named} where component is not null group by component order by members`,
    ),
    records: await rowsOf(
      db,
      'select record_id, content, id_hash from link.coded_records order by record_id',
    ),
    dropped: await rowsOf(db, 'select node, key, record_count from link.dropped_blocks order by all'),
  }
}
