import type { DuckDBConnection } from '@duckdb/node-api'
import { execute, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { rawColumns, type RowSource } from './canonical-rows.ts'
import type { FileKind } from './definition.ts'

/** The tables that `createTrialRows` creates. */
export const TRIAL_ROWS: RowSource = { raw: 'temp.trial_rows', files: 'temp.trial_files', copies: null }

/** A raw row and its file. Columns that `given` lacks are empty. */
export interface TrialRow {
  readonly given: Readonly<Record<string, string>>
  readonly base_name: string
  readonly groups: Readonly<Record<string, string>>
  /** `YYYY-MM-DD` */
  readonly as_of_on: string | null
}

/**
 * Creates temporary tables with raw rows and their files, on which the SQL of a definition can be tried. Each row has
 * a file of its own; `file_id` counts from 1 in the order of `trials`.
 */
export async function createTrialRows(
  db: DuckDBConnection,
  kind: FileKind,
  trials: readonly TrialRow[],
): Promise<void> {
  const columns = rawColumns(kind)
  const rows = trials.map(({ given }, at) => {
    const values = columns.map((column) => quotedLiteral(given[column] ?? ''))
    return `(${[at + 1, 2, ...values].join(', ')})`
  })
  const names = ['file_id', 'line_number', ...columns.map(quotedIdentifier)].join(', ')
  await execute(
    db,
    `create or replace temp table trial_rows as select * from (values ${rows.join(', ')}) as given(${names})`,
  )
  const files = trials.map(({ base_name, groups, as_of_on }, at) => ({
    file_id: at + 1,
    as_of_on,
    base_name,
    groups,
  }))
  await execute(
    db,
    `create or replace temp table trial_files as
     select file.* from (select unnest(from_json($files::varchar, $shape::varchar)) as file)`,
    { files: JSON.stringify(files), shape: FILES_SHAPE },
  )
}

const FILES_SHAPE = JSON.stringify([
  { file_id: 'integer', as_of_on: 'date', base_name: 'varchar', groups: 'map(varchar, varchar)' },
])
