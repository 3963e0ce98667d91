import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import { z } from 'zod'
import { query, quotedIdentifier } from '../warehouse/query.ts'
import { canonicalSelect, rawColumns, refusals } from './canonical-rows.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import type { Fault } from './faults.ts'
import type { FieldPath } from '../json-places.ts'
import { asOfDates } from './as-of.ts'
import { fileName, type FileName, matchFileName } from './file-names.ts'
import { createTrialRows, TRIAL_ROWS } from './trial-rows.ts'

const CanonicalRow = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
type CanonicalRow = z.output<typeof CanonicalRow>

/**
 * Runs the examples of a definition and returns the differences from the expected rows. Empty when all examples
 * hold.
 */
export async function failedExamples(db: DuckDBConnection, source: SourceDefinition): Promise<Fault[]> {
  const failed: Fault[] = []
  const madeRows = await rowsOfExamples(db, source)
  for (const [exampleAt, example] of source.examples.entries()) {
    const addFault = (message: string, ...below: FieldPath): void =>
      void failed.push({
        path: ['examples', exampleAt, ...below],
        message: `${source.id}, example "${example.note}": ${message}`,
      })
    const made = madeRows[exampleAt]!
    if (made instanceof AppError) {
      failed.push({ path: ['examples', exampleAt], message: made.message })
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

/** The staging rows of an example, by table. A table without rows is absent. */
type MadeRows = Record<string, CanonicalRow[]>

/**
 * Returns the staging rows that one example makes, through the SQL that also loads files. A row that the definition
 * refuses makes no staging row. Dates are `YYYY-MM-DD`.
 * @throws `bad_definition` when the example names a column or file name that the kind does not have
 */
export async function exampleRows(
  db: DuckDBConnection,
  source: SourceDefinition,
  example: Example,
): Promise<MadeRows> {
  const [made] = await rowsOfExamples(db, { ...source, examples: [example] })
  if (made === undefined || made instanceof AppError) throw made
  return made
}

/**
 * Returns the rows of each example, or its `bad_definition`. The examples of a kind are rows of one table, so that
 * DuckDB binds the statements of the kind once.
 */
async function rowsOfExamples(
  db: DuckDBConnection,
  source: SourceDefinition,
): Promise<(MadeRows | AppError)[]> {
  const results: (MadeRows | AppError)[] = []
  const byKind = new Map<FileKind, ReadExample[]>()
  for (const [number, example] of source.examples.entries()) {
    try {
      const { kind, ...read } = readExample(source, example, number)
      results.push({})
      byKind.set(kind, [...(byKind.get(kind) ?? []), read])
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'bad_definition') throw error
      results.push(error)
    }
  }
  for (const [kind, examples] of byKind) {
    for (const { number, table, row } of await rowsOfKind(db, source, kind, examples)) {
      const made = results[number] as MadeRows
      made[table] = [...(made[table] ?? []), row]
    }
  }
  return results
}

type Example = SourceDefinition['examples'][number]

interface ReadExample {
  /** Its position in the definition. */
  readonly number: number
  readonly given: Example['given']
  readonly name: FileName
  readonly groups: Readonly<Record<string, string>>
}

function readExample(
  source: SourceDefinition,
  example: Example,
  number: number,
): ReadExample & { readonly kind: FileKind } {
  const at = `${source.id}, example "${example.note}"`
  const kind = source.files.find((file) => file.kind === example.kind)
  if (kind === undefined) throw new AppError('bad_definition', `${source.id} has no kind ${example.kind}`)
  const columns = rawColumns(kind)
  const unknown = Object.keys(example.given).find((name) => !columns.includes(name))
  if (unknown !== undefined) {
    throw new AppError('bad_definition', `${at}: ${kind.kind} has no column ${unknown}`)
  }
  const name = fileName(example.file ?? '')
  const groups = example.file === undefined ? {} : matchFileName(kind, name)
  if (groups === null) {
    throw new AppError(
      'bad_definition',
      `${at}: the pattern of ${kind.kind} does not match the file name ${example.file}`,
    )
  }
  return { kind, number, given: example.given, name, groups }
}

interface MadeRow {
  /** The position of its example in the definition. */
  readonly number: number
  readonly table: string
  readonly row: CanonicalRow
}

async function rowsOfKind(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  examples: readonly ReadExample[],
): Promise<MadeRow[]> {
  const files = examples.map(({ groups }) => ({ kind, groups }))
  const days = await asOfDates(db, files)
  const trials = examples.map(({ given, name, groups }, at) => ({
    given,
    base_name: name.base,
    groups,
    as_of_on: days[at] ?? null,
  }))
  await createTrialRows(db, kind, trials)
  const isRefused = refusals(source, kind)
    .map(({ sql }) => sql)
    .join(' or ')
  const made: MadeRow[] = []
  for (const rows of kind.rows) {
    const { columns, from, where } = canonicalSelect(source, kind, rows, TRIAL_ROWS)
    const list = columns.map(({ name, sql }) => `${sql} as ${quotedIdentifier(name)}`).join(', ')
    const sql = `select ${list} from ${from} where (${where}) and not (${isRefused})`
    for (const row of await query(db, sql, CanonicalRow)) {
      made.push({ number: examples[Number(row['file_id']) - 1]!.number, table: rows.into, row })
    }
  }
  return made
}
