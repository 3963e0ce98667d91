import type { DuckDBConnection } from '@duckdb/node-api'
import { clusterRecords, type Clusters } from '../../link/cluster/clusters.ts'
import type { Components } from '../../link/cluster/components.ts'
import { GrowingEdges, type Edges, joinedEdges } from '../../link/cluster/edges.ts'
import { applyModel } from '../../link/model/applied-model.ts'
import { sharedCopy } from '../../link/records/texts.ts'
import { withThreads } from '../../link/threads/threads.ts'
import { appendColumns, readNumbers } from '../../warehouse/column-vectors.ts'
import { execute } from '../../warehouse/query.ts'
import { parquetRows, type RunFolder } from '../run-folder.ts'
import type { Stage } from '../stage.ts'
import { type LinkPlan, readTerms } from './link-plan.ts'
import { readUnit, type UnitRecords, withUnitWarehouse } from './unit.ts'

/**
 * The stage `clusters`: divides the components of a unit of `to_cluster` into clusters. `to_cut` has the edges of
 * components above the size limit. Writes `groups`: `record`, `component` and `cluster`, its smallest record.
 */
export function clusters(folder: RunFolder, plan: LinkPlan): Stage {
  return async (unit) => {
    const files = await folder.files('to_cluster', unit)
    if (files.length === 0) return { records: 0, components: 0, cut: 0 }
    return withUnitWarehouse(folder, async (db) => {
      const read = await readUnit(db, folder, plan, files)
      const model = applyModel(read.records, await readTerms(db, folder, plan.model), plan.model)
      const { components, names } = await readComponents(db, read)
      const edges = await readEdges(db, await folder.files('to_cut', unit), read)
      const found = await withThreads(1, async (threads) => clusterRecords(model, components, edges, threads))
      await writeGroups(db, read, { components, names, found })
      await folder.write(db, GROUPS, 'groups', unit)
      return { records: read.records.count, components: components.count, cut: found.cut.length }
    })
  }
}

interface NamedComponents {
  readonly components: Components
  /** The column `component` of each component. */
  readonly names: Float64Array
}

/** Reads the components of the records of `link.records`. */
async function readComponents(db: DuckDBConnection, { records }: UnitRecords): Promise<NamedComponents> {
  const members = new Int32Array(records.count)
  const starts: number[] = []
  const names: number[] = []
  let at = 0
  await readNumbers(
    db,
    `select n.record_number, r.component::double from link.records as r join temp.record_rows as n on n.row_number = r.rowid
     order by r.component, n.record_number`,
    ([local, component], rows) => {
      for (let k = 0; k < rows; k++) {
        if (component![k] !== names.at(-1)) {
          names.push(component![k]!)
          starts.push(at)
        }
        members[at++] = local![k]!
      }
    },
  )
  starts.push(at)
  return {
    components: {
      count: names.length,
      starts: sharedCopy(Int32Array, starts),
      members: sharedCopy(Int32Array, members),
    },
    names: Float64Array.from(names),
  }
}

async function readEdges(
  db: DuckDBConnection,
  files: readonly string[],
  { numbers }: UnitRecords,
): Promise<Edges> {
  const found = new GrowingEdges()
  if (files.length > 0) {
    const localOf = new Map(Array.from(numbers, (number, local) => [number, local]))
    await readNumbers(
      db,
      `select left_record::double, right_record::double, match_weight from ${parquetRows(files)}`,
      ([left, right, weight], rows) => {
        for (let k = 0; k < rows; k++) {
          const [one, other] = [localOf.get(left![k]!)!, localOf.get(right![k]!)!]
          found.push(Math.min(one, other), Math.max(one, other), weight![k]!)
        }
      },
    )
  }
  return joinedEdges([found.edges()])
}

async function writeGroups(
  db: DuckDBConnection,
  { numbers }: UnitRecords,
  { components, names, found }: NamedComponents & { readonly found: Clusters },
): Promise<void> {
  const { members, starts, count } = components
  const component = new Float64Array(members.length)
  for (let c = 0; c < count; c++) component.fill(names[c]!, starts[c], starts[c + 1])
  const columns = [
    Float64Array.from(members, (member) => numbers[member]!),
    component,
    Float64Array.from(members, (member) => numbers[found.smallest[member]!]!),
  ]
  await execute(db, 'create table link.found_groups (record double, component double, cluster double)')
  await appendColumns(db, 'link.found_groups', columns, members.length)
}

// A unit names a cluster by the first of its records in the order of names. The name in the run is its smallest record.
const GROUPS = `
select record::bigint as record, component::bigint as component, min(record) over (partition by cluster)::bigint as cluster
from link.found_groups order by component, record`
