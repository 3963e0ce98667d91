import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import { execute, inTransaction, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { canonicalSelect, rawColumns, refusals, type RowSource } from './canonical-rows.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import type { Fault } from './faults.ts'
import type { FieldPath } from '../json-places.ts'
import { asOfDates } from './as-of.ts'
import { fileName, matchFileName } from './file-names.ts'

type CanonicalRow = Record<string, string | number | boolean | null>

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
  const tables: RowSource = { raw: 'temp.example_rows', files: 'temp.example_files', copies: null }
  return await inTransaction(db, async () => {
    await createExample(db, source, kind, example, tables)
    const refused = refusals(source, kind).map(({ sql }) => sql)
    const made: Record<string, CanonicalRow[]> = {}
    for (const rows of kind.rows) {
      const { columns, from, where } = canonicalSelect(source, kind, rows, tables)
      const list = columns.map(({ name, sql }) => `${sql} as ${quotedIdentifier(name)}`).join(', ')
      const reader = await db.runAndReadAll(
        `select ${list} from ${from} where ${where} and not (${refused.join(' or ')})`,
      )
      const found = reader.getRowObjectsJson() as CanonicalRow[]
      if (found.length > 0) made[rows.into] = [...(made[rows.into] ?? []), ...found]
    }
    for (const table of [tables.raw, tables.files]) await execute(db, `drop table ${table}`)
    return made
  })
}

async function createExample(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  example: SourceDefinition['examples'][number],
  tables: RowSource,
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
  const values = columns.map((column) => {
    const value = example.given[column]
    return `${value === undefined ? 'null' : quotedLiteral(value)}::varchar as ${quotedIdentifier(column)}`
  })
  await execute(
    db,
    `create or replace temp table ${tables.raw} as select 1 as file_id, 2 as line_number, ${values.join(', ')}`,
  )
  const pairs = Object.entries(groups).map(([key, value]) => `${quotedLiteral(key)}: ${quotedLiteral(value)}`)
  const [asOf = null] = await asOfDates(db, [{ kind, groups }])
  await execute(
    db,
    `create or replace temp table ${tables.files} as select 1 as file_id, ${asOf === null ? 'null' : quotedLiteral(asOf)}::date as as_of_on,
      ${quotedLiteral(name.base)} as base_name, map {${pairs.join(', ')}}::map(varchar, varchar) as groups`,
  )
}
