import { z } from 'zod'
import { query } from '../../warehouse/query.ts'
import { count } from '../progress.ts'
import type { DoctorContext, Finding } from './check.ts'

const Outside = z.object({
  source_id: z.string(),
  column: z.string(),
  dates: z.int(),
  files: z.int(),
  file_name: z.string(),
})

/** Counts dates per source and column that were stored as unknown because they were outside their bounds. */
export async function checkDates({ warehouse }: DoctorContext): Promise<Finding> {
  const outside_dates =
    warehouse.db === null || !(await hasColumn(warehouse.db))
      ? []
      : await query(
          warehouse.db,
          `with counted as (
             select source_id, file_name, unnest(json_keys(outside_bounds)) as "column", outside_bounds
             from ledger.files where status = 'loaded' and outside_bounds is not null
           )
           select source_id, "column", min(file_name) as file_name, count(*)::integer as files,
             sum(json_extract(outside_bounds, '$."' || "column" || '"')::integer)::integer as dates
           from counted
           group by source_id, "column"
           order by dates desc, source_id, "column"
           limit 20`,
          Outside,
        )
  const lines = outside_dates.map(
    ({ source_id, column, dates, files, file_name }) =>
      `  ${count(dates).padStart(8)}  ${source_id}: ${column} (${count(files)} ${files === 1 ? 'file' : 'files'}, for example ${file_name})`,
  )
  return {
    fields: { outside_dates },
    lines:
      lines.length === 0
        ? []
        : [
            '',
            'dates outside their bounds in all loaded files (stored as unknown)',
            ...lines,
            '  if such dates are correct, change `bounds` or `pivot` in the source definition',
          ],
    complaints: [],
  }
}

/** Returns false for a warehouse of an older version, whose ledger lacks the column `outside_bounds`. */
async function hasColumn(db: NonNullable<DoctorContext['warehouse']['db']>): Promise<boolean> {
  const found = await query(
    db,
    `select 1 as there from duckdb_columns()
     where schema_name = 'ledger' and table_name = 'files' and column_name = 'outside_bounds'`,
    z.object({ there: z.int() }),
  )
  return found.length > 0
}
