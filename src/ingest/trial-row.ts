import type { DuckDBConnection } from '@duckdb/node-api'
import { execute, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { rawColumns, type RowSource } from './canonical-rows.ts'
import type { FileKind } from './definition.ts'

/** The tables that `createTrialRow` creates. */
export const TRIAL_ROW: RowSource = { raw: 'temp.trial_row', files: 'temp.trial_file', copies: null }

/**
 * Creates temporary tables with one raw row and its file, on which the SQL of a definition can be tried. Columns
 * that `given` lacks are empty.
 */
export async function createTrialRow(
  db: DuckDBConnection,
  kind: FileKind,
  given: Readonly<Record<string, string>>,
  file: { base_name: string; groups: Readonly<Record<string, string>>; as_of_on: string | null },
): Promise<void> {
  const values = rawColumns(kind).map(
    (column) => `${quotedLiteral(given[column] ?? '')}::varchar as ${quotedIdentifier(column)}`,
  )
  await execute(
    db,
    `create or replace temp table trial_row as select 1 as file_id, 2 as line_number, ${values.join(', ')}`,
  )
  await execute(
    db,
    `create or replace temp table trial_file as
     select 1 as file_id, $as_of_on::date as as_of_on, $base_name as base_name,
       from_json($groups::varchar, '"map(varchar, varchar)"') as groups`,
    { ...file, groups: JSON.stringify(file.groups) },
  )
}
