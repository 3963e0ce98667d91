import type { DuckDBConnection } from '@duckdb/node-api'
import { linkAllRecords } from '../../../src/link/run.ts'
import { SLOT } from '../../../src/link/records/records.ts'
import { probabilityOf } from '../../../src/link/model/weights.ts'
import { clusterFigures, edgeFigures, type Reliability, reliabilityOf } from './figures.ts'
import type { LinkSet } from './sets.ts'

export interface SetFigures {
  readonly records: number
  readonly pairs: number
  readonly edge_f1: number
  readonly precision: number
  readonly recall: number
  readonly cluster_f1: number
  readonly b_cubed_f1: number
  readonly seconds: number
  readonly reliability: readonly Reliability[]
}

/** Links what is loaded, training included, by the one default model and threshold, and holds it against the truth. */
export async function figuresOf(
  db: DuckDBConnection,
  set: LinkSet,
  today: string,
  threads = 2,
): Promise<SetFigures> {
  const started = performance.now()
  const run = await linkAllRecords(db, { threads, today })
  const seconds = (performance.now() - started) / 1000
  const truth = await truthOf(db)
  const { records, edges } = run
  const sources =
    set.isDuplicateFree === true
      ? Int32Array.from({ length: records.count }, (_, i) => records.rows[i * records.width + SLOT.source]!)
      : undefined
  const clusters = clusterFigures(run.clusters.smallest, truth, sources)
  return {
    records: records.count,
    pairs: run.pairs,
    edge_f1: edgeFigures(edges, truth, sources).f1,
    precision: clusters.precision,
    recall: clusters.recall,
    cluster_f1: clusters.f1,
    b_cubed_f1: clusters.bCubedF1,
    seconds,
    reliability: reliabilityOf(edges, truth, probabilityOf),
  }
}

/** The true cluster of every linked record, in the order of records. */
export async function truthOf(db: DuckDBConnection): Promise<string[]> {
  const reader = await db.runAndReadAll(
    'select cluster from link.coded_records join truth using (record_id) order by record_number',
  )
  return reader.getColumns()[0]!.map(String)
}
