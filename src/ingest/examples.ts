import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import { z } from 'zod'
import { query, quotedIdentifier } from '../warehouse/query.ts'
import { canonicalSelect, rawColumns, refusals } from './canonical-rows.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import type { Fault } from './faults.ts'
import type { FieldPath } from '../json-places.ts'
import { asOfDates } from './as-of.ts'
import { fileName, matchFileName } from './file-names.ts'
import { createTrialRow, TRIAL_ROW } from './trial-row.ts'

const CanonicalRow = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
type CanonicalRow = z.output<typeof CanonicalRow>

/**
 * Runs the examples of a definition and returns the differences from the expected rows. Empty when all examples
 * hold.
 */
export async function failedExamples(db: DuckDBConnection, source: SourceDefinition): Promise<Fault[]> {
  const failed: Fault[] = []
  for (const [exampleAt, example] of source.examples.entries()) {
    const addFault = (message: string, ...below: FieldPath): void =>
      void failed.push({
        path: ['examples', exampleAt, ...below],
        message: `${source.id}, example "${example.note}": ${message}`,
      })
    let made: Record<string, CanonicalRow[]>
    try {
      made = await exampleRows(db, source, example)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'bad_definition') throw error
      failed.push({ path: ['examples', exampleAt], message: error.message })
      continue
    }
    for (const table of new Set([...Object.keys(made), ...Object.keys(example.expect)])) {
      const [rows, expected] = [made[table] ?? [], example.expect[table] ?? []]
      if (rows.length !== expected.length)
        addFault(
          `${rows.length} ${rows.length === 1 ? 'row' : 'rows'} of ${table}, ${expected.length} expected`,
          'expect',
          table,
        )
      else
        for (const [at, row] of expected.entries())
          for (const [column, value] of Object.entries(row))
            if (rows[at]![column] !== value)
              addFault(
                `${table}.${column} of row ${at + 1} is ${JSON.stringify(rows[at]![column] ?? null)}, but ${JSON.stringify(value)} is expected`,
                'expect',
                table,
                at,
                column,
              )
    }
  }
  return failed
}

/**
 * Returns the staging rows that one example makes, by table, through the SQL that also loads files. A table without
 * rows is absent. A row that the definition refuses makes no staging row. Dates are `YYYY-MM-DD`.
 * @throws `bad_definition` when the example names a column or file name that the kind does not have
 */
export async function exampleRows(
  db: DuckDBConnection,
  source: SourceDefinition,
  example: SourceDefinition['examples'][number],
): Promise<Record<string, CanonicalRow[]>> {
  const kind = source.files.find((file) => file.kind === example.kind)
  if (kind === undefined) throw new AppError('bad_definition', `${source.id} has no kind ${example.kind}`)
  await createExample(db, source, kind, example)
  const isRefused = refusals(source, kind)
    .map(({ sql }) => sql)
    .join(' or ')
  const made: Record<string, CanonicalRow[]> = {}
  for (const rows of kind.rows) {
    const { columns, from, where } = canonicalSelect(source, kind, rows, TRIAL_ROW)
    const list = columns.map(({ name, sql }) => `${sql} as ${quotedIdentifier(name)}`).join(', ')
    const sql = `select ${list} from ${from} where ${where} and not (${isRefused})`
    const found = await query(db, sql, CanonicalRow)
    if (found.length > 0) made[rows.into] = [...(made[rows.into] ?? []), ...found]
  }
  return made
}

async function createExample(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  example: SourceDefinition['examples'][number],
): Promise<void> {
  const columns = rawColumns(kind)
  const unknown = Object.keys(example.given).find((name) => !columns.includes(name))
  if (unknown !== undefined) {
    throw new AppError(
      'bad_definition',
      `${source.id}, example "${example.note}": ${kind.kind} has no column ${unknown}`,
    )
  }
  const name = fileName(example.file ?? '')
  const groups = example.file === undefined ? {} : matchFileName(kind, name)
  if (groups === null) {
    throw new AppError(
      'bad_definition',
      `${source.id}, example "${example.note}": the pattern of ${kind.kind} does not match the file name ${example.file}`,
    )
  }
  const [as_of_on = null] = await asOfDates(db, [{ kind, groups }])
  await createTrialRow(db, kind, example.given, { base_name: name.base, groups, as_of_on })
}
