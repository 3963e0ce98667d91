import type { DuckDBConnection } from '@duckdb/node-api'
import type { LinkModel } from '../../link/model/model.ts'
import { codeRecords, codeSources, dropCoding, resetCoding } from '../../link/records/coding.ts'
import { loadRecords } from '../../link/records/load-records.ts'
import { RECORD_COLUMNS } from '../../link/records/record-table.ts'
import type { Records } from '../../link/records/records.ts'
import { readNumbers } from '../../warehouse/column-vectors.ts'
import { execute } from '../../warehouse/query.ts'
import { parquetRows, type RunFolder } from '../run-folder.ts'
import { withUnitWarehouse } from '../unit-warehouse.ts'
import { type LinkPlan, TRAITS } from './link-plan.ts'

/**
 * Most memory of DuckDB in a stage. It spills what is larger. The arrays of the linker need more: about 1 KiB for each
 * record of the unit.
 */
const MEMORY_LIMIT = '300MB'

/** The columns of `link.records` that link stages read: all but the content hash, which only an incremental run needs. */
export const LINKED_COLUMNS = Object.keys(RECORD_COLUMNS).filter((column) => column !== 'content')

/** Runs `body` with a new DuckDB in memory that spills to the run folder. */
export async function withLinkWarehouse<T>(
  folder: RunFolder,
  body: (db: DuckDBConnection) => Promise<T>,
): Promise<T> {
  return withUnitWarehouse(folder, MEMORY_LIMIT, body)
}

/** The records of a unit, as the linker reads them. `temp.record_rows` has the row in `link.records` of each record. */
export interface UnitRecords {
  readonly records: Records
  /** The column `record` of each record: its number in the whole run. */
  readonly numbers: Float64Array
}

/**
 * Reads the records of a unit into `link.records` and into arrays. The order of the records is the order that they have
 * in a run over all records, so sums over them are equal to the last bit.
 */
export async function readUnit(
  db: DuckDBConnection,
  folder: RunFolder,
  { model }: LinkPlan,
  files: readonly string[],
): Promise<UnitRecords> {
  const records = await readNewUnit(db, folder, model, files)
  const numbers = new Float64Array(records.count)
  await readNumbers(
    db,
    `select n.record_number, r.record::double from link.records as r join temp.record_rows as n on n.row_number = r.rowid`,
    ([local, number], rows) => {
      for (let k = 0; k < rows; k++) numbers[local![k]!] = number![k]!
    },
  )
  return { records, numbers }
}

/** Does the same for records without numbers. */
export async function readNewUnit(
  db: DuckDBConnection,
  folder: RunFolder,
  model: LinkModel,
  files: readonly string[],
): Promise<Records> {
  await execute(db, `create table link.source_traits as from ${parquetRows([folder.pathOf(TRAITS)])}`)
  await execute(db, `create table link.records as from ${parquetRows(files)}`)
  await resetCoding(db)
  await codeSources(db, 'link.records')
  await codeRecords(db, 'link.records')
  const records = await loadRecords(db, model.attributes)
  await execute(
    db,
    'create temp table record_rows as select record_number, row_number from temp.coded_records',
  )
  await dropCoding(db)
  return records
}
