import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, insertRows, query, quotedIdentifier } from '../warehouse/query.ts'
import { canonicalSelect, identityText, namesOf, rawColumns, rawTable } from './canonical-rows.ts'
import { columnsIn } from './closed-lists.ts'
import { compileExpression, convertTo } from './compile.ts'
import type { Expression, FileKind, SourceDefinition } from './definition.ts'
import { LEDGER_TABLES } from './ledger.ts'

/** Figures of the rows that one file has of one county. Shares are from 0 to 1. */
export interface Measure {
  readonly file_id: number
  /** Null when the definition sets no county. */
  readonly county_fips: string | null
  readonly row_count: number
  readonly key_count: number
  /** Share of blank values of each column that the definition reads. */
  readonly blanks: Readonly<Record<string, number>>
  /** Share of codes that a code table lacks, by table and column: `uses (USE)`. */
  readonly codes: Readonly<Record<string, number>>
  /** Number of unreadable values, and of all values, of each staging column of dates or numbers. */
  readonly conversions: Readonly<Record<string, Conversion>>
}

export interface Conversion {
  readonly failed: number
  readonly given: number
}

/** A staging column of dates or numbers. The SQL texts read `r` (the raw table) and `f` (`ledger.files`). */
export interface Converted {
  /** `table.column` */
  readonly column: string
  readonly expression: Expression
  /** Holds for raw rows that make a row of the table. */
  readonly whereSql: string
  /** The date or number; null when its text is unreadable. */
  readonly readSql: string
  /** Holds when there is a text to read. */
  readonly attemptedSql: string
  /** The value of the staging column: null also when a date is outside its bounds. */
  readonly valueSql: string
}

/** Returns the date and number columns of a kind. A column that several `rows` entries set appears several times. */
export function convertedColumns(source: SourceDefinition, kind: FileKind): Converted[] {
  const tables = { raw: 'r', files: 'f', copies: null }
  return kind.rows.flatMap((rows) => {
    const { columns, unconverted, where } = canonicalSelect(source, kind, rows, tables)
    return unconverted.flatMap(({ column, read, attempted }) => {
      const value = columns.find(({ name }) => name === column)?.sql
      const expression = rows.set[column]
      if (value === undefined || expression === undefined) return []
      return {
        column: `${rows.into}.${column}`,
        expression,
        whereSql: where,
        readSql: read,
        attemptedSql: attempted,
        valueSql: value,
      }
    })
  })
}

/** Returns the SQL of a raw row's county: the first `county_fips` that an entry of `rows` sets. */
export function countyText(source: SourceDefinition, kind: FileKind): string {
  const expression = kind.rows.map((rows) => rows.set.county_fips).find((each) => each !== undefined)
  if (expression === undefined) return 'null::varchar'
  return convertTo('varchar', compileExpression(expression, namesOf(source, kind, 'county_fips'))).sql
}

/** Measures files of one kind by county. */
export async function measureFiles(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  fileIds: readonly number[],
): Promise<Measure[]> {
  if (fileIds.length === 0) return []
  const read = new Set(
    columnsIn([kind.identity, kind.supersedes, kind.rows.map((rows) => [rows.set, rows.when])]),
  )
  const blanks = rawColumns(kind).filter((column) => read.has(column))
  const lookups = codeLookups(source, kind)
  const converted = convertedColumns(source, kind)
  // DuckDB binds each expression anew, so the inner select has each once and the counts are made of its columns.
  const inner = new Map<string, string>()
  const once = (sql: string): string => {
    const name = inner.get(sql) ?? `e${inner.size}`
    inner.set(sql, name)
    return name
  }
  const counts = [
    ...blanks.map((column) => once(`nullif(trim(r.${quotedIdentifier(column)}), '') is null`)),
    ...lookups.flatMap(({ unknownSql, givenSql }) => [once(unknownSql), once(givenSql)]),
    ...converted.flatMap(({ whereSql, readSql, attemptedSql, valueSql }) => {
      const where = once(whereSql)
      const failed = `${once(`(${readSql}) is null`)} and ${once(attemptedSql)}`
      return [`${where} and ${failed}`, `${where} and (${failed} or ${once(`(${valueSql}) is not null`)})`]
    }),
  ].map((condition, index) => `count(*) filter (${condition})::integer as c${index}`)
  const rows = await query(
    db,
    `with read as (
       select r.file_id, ${countyText(source, kind)} as county_fips, hash(${identityText(source, kind)}) as key
         ${[...inner].map(([sql, name]) => `, ${sql} as ${name}`).join('')}
       from ${rawTable(source.id, kind.kind)} as r join ledger.files as f on f.file_id = r.file_id
       where r.file_id in (${fileIds.join(', ')})
     )
     select file_id, county_fips, count(*)::integer as row_count, count(distinct key)::integer as key_count
       ${counts.map((count) => `, ${count}`).join('')}
     from read group by 1, 2 order by 1, 2`,
    z
      .object({
        file_id: z.number(),
        county_fips: z.string().nullable(),
        row_count: z.number(),
        key_count: z.number(),
      })
      .catchall(z.number()),
  )
  return rows.map((row) => {
    let at = 0
    const next = (): number => (row as Record<string, unknown>)[`c${at++}`] as number
    const blank = Object.fromEntries(blanks.map((column) => [column, share(next(), row.row_count)]))
    const codes = Object.fromEntries(
      lookups.map(({ label }) => {
        const unknown = next()
        return [label, share(unknown, next())]
      }),
    )
    const conversions: Record<string, Conversion> = {}
    for (const { column } of converted) add(conversions, column, { failed: next(), given: next() })
    const { file_id, county_fips, row_count, key_count } = row
    return { file_id, county_fips, row_count, key_count, blanks: blank, codes, conversions }
  })
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

interface CodeLookup {
  readonly label: string
  readonly unknownSql: string
  readonly givenSql: string
}

/** Returns each lookup in a code table that the definition's rows contain, without duplicates. */
function codeLookups(source: SourceDefinition, kind: FileKind): CodeLookup[] {
  const found = new Map<string, CodeLookup>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const child of Object.values(node)) visit(child)
    if (!('codes' in node) || typeof node.codes !== 'string' || !('of' in node)) return
    const of = node.of as Expression
    const names = namesOf(source, kind, `codes ${node.codes}`)
    const given = convertTo('varchar', compileExpression(of, names)).sql
    const known = compileExpression({ flag: { inCodes: node.codes, of } }, names).sql
    const label = `${node.codes} (${columnsIn(of).join(', ')})`
    found.set(`${label} ${given}`, {
      label,
      unknownSql: `${given} is not null and not ${known}`,
      givenSql: `${given} is not null`,
    })
  }
  for (const rows of kind.rows) visit(rows.set)
  return [...found.values()]
}

/** Replaces the figures of these files in `ledger.loads` and `ledger.files`. */
export async function recordMeasures(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  measures: readonly Measure[],
): Promise<void> {
  if (measures.length === 0) return
  const ids = [...new Set(measures.map((measure) => measure.file_id))]
  const list = ids.join(', ')
  // A file that is measured again stays a baseline.
  const baselines = await query(
    db,
    `select distinct file_id from ledger.loads where is_baseline and file_id in (${list})`,
    z.object({ file_id: z.number() }),
  )
  const loads = measures.map(({ conversions, blanks, codes, ...measure }) => ({
    ...measure,
    source_id: source.id,
    kind: kind.kind,
    is_baseline: baselines.some(({ file_id }) => file_id === measure.file_id),
    blanks: JSON.stringify(blanks),
    codes: JSON.stringify(codes),
    unconverted: JSON.stringify(
      Object.fromEntries(
        Object.entries(conversions).map(([column, { failed, given }]) => [column, share(failed, given)]),
      ),
    ),
  }))
  await execute(db, `delete from ledger.loads where file_id in (${list})`)
  await insertRows(db, 'ledger.loads', LEDGER_TABLES['ledger.loads'], loads)
  for (const id of ids) {
    const columns: Record<string, number> = {}
    for (const [column, { failed }] of Object.entries(conversionsOf(measures, id))) {
      if (failed > 0) columns[column] = failed
    }
    const total = Object.values(columns).reduce((sum, count) => sum + count, 0)
    await execute(
      db,
      `update ledger.files set unconverted_values = ${total}, unconverted = $columns where file_id = ${id}`,
      { columns: total === 0 ? null : JSON.stringify(columns) },
    )
  }
}

/** Returns the counts of unreadable values of one file, summed over its counties. */
export function conversionsOf(measures: readonly Measure[], fileId: number): Record<string, Conversion> {
  const sums: Record<string, Conversion> = {}
  for (const { file_id, conversions } of measures) {
    if (file_id !== fileId) continue
    for (const [column, conversion] of Object.entries(conversions)) add(sums, column, conversion)
  }
  return sums
}

function add(sums: Record<string, Conversion>, column: string, { failed, given }: Conversion): void {
  const before = sums[column] ?? { failed: 0, given: 0 }
  sums[column] = { failed: before.failed + failed, given: before.given + given }
}

const Shape = z.object({ shape: z.string(), count: z.number() })

/**
 * Returns the three most frequent shapes of unreadable values, most frequent first. A shape has 9 for each digit
 * and A for each letter, so that messages contain no values of the file.
 */
export async function unreadableShapes(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  fileId: number,
  column: string,
): Promise<z.output<typeof Shape>[]> {
  const converted = convertedColumns(source, kind).filter((each) => each.column === column)
  const names = namesOf(source, kind, column)
  const text = converted.flatMap(({ expression }) =>
    operandsOf(expression).map((each) => convertTo('varchar', compileExpression(each, names)).sql),
  )
  const failed = converted
    .map(
      ({ whereSql, readSql, attemptedSql }) => `((${whereSql}) and (${readSql}) is null and ${attemptedSql})`,
    )
    .join(' or ')
  return await query(
    db,
    `select left(regexp_replace(regexp_replace(coalesce(${text.join(', ')}), '\\p{N}', '9', 'g'), '\\p{L}', 'A', 'g'), 30)
         as shape, count(*)::integer as count
     from ${rawTable(source.id, kind.kind)} as r join ledger.files as f on f.file_id = r.file_id
     where r.file_id = ${fileId} and (${failed}) group by 1 having shape is not null order by 2 desc, 1 limit 3`,
    Shape,
  )
}

/** Returns the expressions that are converted to dates or numbers inside `expression`, or else `expression` itself. */
function operandsOf(expression: Expression): Expression[] {
  const inner = conversionsIn(expression).flatMap((each): Expression[] => {
    if ('date' in each) return [each.date]
    if ('birthDate' in each) return [each.birthDate]
    if ('number' in each) return [each.number]
    if ('integer' in each) return [each.integer]
    return [{ join: [each.monthDate.year, each.monthDate.month], with: '-' }]
  })
  return inner.length === 0 ? [expression] : inner
}

type ConvertingExpression = Extract<
  Expression,
  | { date: Expression }
  | { birthDate: Expression }
  | { number: Expression }
  | { integer: Expression }
  | { monthDate: unknown }
>

/** Returns the outermost date and number expressions inside an expression. */
function conversionsIn(node: unknown): ConvertingExpression[] {
  if (typeof node !== 'object' || node === null) return []
  const converts = ['date', 'birthDate', 'number', 'integer', 'monthDate'].some((key) => key in node)
  if (converts) return [node as ConvertingExpression]
  return Object.values(node).flatMap(conversionsIn)
}

/** Returns what the definition expects in a column, for messages: its date formats, or "a number". */
export function expectedFormat(source: SourceDefinition, kind: FileKind, column: string): string {
  const formats = convertedColumns(source, kind)
    .filter((each) => each.column === column)
    .flatMap(({ expression }) => conversionsIn(expression))
    .flatMap((each) => {
      if ('date' in each || 'birthDate' in each) return each.formats
      return 'monthDate' in each ? ['a year and a month'] : ['a number']
    })
  return formats.length === 0 ? 'a date (YYYY-MM-DD) or a number' : [...new Set(formats)].join(', ')
}
