import type { DuckDBConnection } from '@duckdb/node-api'
import { clusterRecords } from '../../link/cluster/clusters.ts'
import type { Components } from '../../link/cluster/components.ts'
import { type Edges, joinedEdges } from '../../link/cluster/edges.ts'
import { applyModel } from '../../link/model/applied-model.ts'
import { sharedCopy } from '../../link/records/texts.ts'
import { withThreads } from '../../link/threads/threads.ts'
import { appendColumns, readNumbers } from '../../warehouse/column-vectors.ts'
import { execute } from '../../warehouse/query.ts'
import type { RunFolder } from '../run-folder.ts'
import type { Stage } from '../stage.ts'
import { type LinkPlan, readTerms } from './link-plan.ts'
import { readUnit, type UnitRecords, withLinkWarehouse } from './unit.ts'

/** Clustering needs edges only to cut a component above the size limit, and `findParts` has cut all of them. */
const NO_EDGES: Edges = joinedEdges([])

/**
 * The stage `clusters`: divides the components of a unit of `to_cluster` into clusters. Writes `groups`: `record` and
 * `cluster`, the smallest record of its cluster.
 */
export function clusters(folder: RunFolder, plan: LinkPlan): Stage {
  return async (unit) => {
    const files = await folder.files('to_cluster', unit)
    if (files.length === 0) return { records: 0, components: 0 }
    return withLinkWarehouse(folder, async (db) => {
      const read = await readUnit(db, folder, plan, files)
      const model = applyModel(
        read.records,
        await readTerms(db, folder, plan.model, read.records.texts),
        plan.model,
      )
      const components = await readComponents(db, read)
      const { smallest } = await withThreads(1, async (threads) =>
        clusterRecords(model, components, NO_EDGES, threads),
      )
      await createGroups(db, read, components, smallest)
      await folder.write(db, GROUPS, 'groups', unit)
      return { records: read.records.count, components: components.count }
    })
  }
}

/** Reads the components of the records of `link.records`. */
async function readComponents(db: DuckDBConnection, { records }: UnitRecords): Promise<Components> {
  const members = new Int32Array(records.count)
  const starts: number[] = []
  let at = 0
  let last: number | undefined
  await readNumbers(
    db,
    `select n.record_number, r.component::double
     from link.records as r join temp.record_rows as n on n.row_number = r.rowid
     order by r.component, n.record_number`,
    ([local, component], rows) => {
      for (let k = 0; k < rows; k++) {
        if (component![k] !== last) starts.push(at)
        last = component![k]
        members[at++] = local![k]!
      }
    },
  )
  return {
    count: starts.length,
    starts: sharedCopy(Int32Array, [...starts, at]),
    members: sharedCopy(Int32Array, members),
  }
}

async function createGroups(
  db: DuckDBConnection,
  { numbers }: UnitRecords,
  { members }: Components,
  smallest: Int32Array,
): Promise<void> {
  const columns = [
    Float64Array.from(members, (member) => numbers[member]!),
    Float64Array.from(members, (member) => numbers[smallest[member]!]!),
  ]
  await execute(db, 'create table link.found_groups (record double, cluster double)')
  await appendColumns(db, 'link.found_groups', columns, members.length)
}

// A unit names a cluster by the first of its records in the order of names. The name in the run is its smallest record.
const GROUPS = `
select record::bigint as record, min(record) over (partition by cluster)::bigint as cluster
from link.found_groups order by record`
