import { GrowingIntegers } from '../../arrays.ts'
import { blockParts } from '../../link/block/block-parts.ts'
import { countGiants, unitsOf } from '../../link/block/key-units.ts'
import { appendColumns } from '../../warehouse/column-vectors.ts'
import { execute } from '../../warehouse/query.ts'
import type { RunFolder } from '../run-folder.ts'
import type { Stage } from '../stage.ts'
import type { LinkPlan } from './link-plan.ts'
import { LINKED_COLUMNS, readNewUnit, withLinkWarehouse } from './unit.ts'

/** Records of a unit of `records`. A record's number is its unit times this, plus its place in the unit. */
const MOST_RECORDS = 2 ** 32

/**
 * The stage `routes`: numbers the records of a unit of `records`, and finds the units of `pairs` that need them. Writes
 * `routed` (the records with `record` and `units`) and `giant_counts` (how many records have each giant key).
 */
export function routes(folder: RunFolder, plan: LinkPlan): Stage {
  return async (unit) => {
    const files = await folder.files('records', unit)
    if (files.length === 0) return { records: 0, copies: 0 }
    return withLinkWarehouse(folder, async (db) => {
      const records = await readNewUnit(db, folder, plan.model, files)
      const parts = blockParts(records)
      const [numbers, units] = [new GrowingIntegers(), new GrowingIntegers()]
      for (let i = 0; i < parts.count; i++) {
        for (const needed of unitsOf(parts, i, plan.keys)) {
          numbers.push(i)
          units.push(needed)
        }
      }
      await execute(db, 'create table link.routes (record_number integer, unit integer)')
      await appendColumns(db, 'link.routes', [numbers.view(), units.view()], numbers.length)
      await folder.write(
        db,
        `select ${unit} * ${MOST_RECORDS}::bigint + c.record_number as record, coalesce(u.units, []) as units,
           ${LINKED_COLUMNS.map((column) => `r.${column}`).join(', ')}
         from link.records as r
         join temp.record_rows as c on c.row_number = r.rowid
         left join (select record_number, list(unit) as units from link.routes group by record_number) as u using (record_number)
         order by record`,
        'routed',
        unit,
      )
      const giants = countGiants(parts, plan.keys.giants)
      await execute(db, 'create table link.giants (giant double, records double)')
      const columns = [Float64Array.from(giants.keys()), Float64Array.from(giants.values())]
      await appendColumns(db, 'link.giants', columns, giants.size)
      if (giants.size > 0) await folder.write(db, 'from link.giants', 'giant_counts', unit)
      return { records: records.count, copies: numbers.length }
    })
  }
}
