import { quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { CANONICAL_TABLES, type ColumnType, type LINEAGE_COLUMNS } from './canonical.ts'
import { closedLists, columnsIn, outcomesOf } from './closed-lists.ts'
import { type Compiled, compileCondition, compileExpression, convertTo, type Names } from './compile.ts'
import type { Expression, FileKind, SourceDefinition } from './definition.ts'
import { damagedKeys } from './damaged-keys.ts'
import { dateBounds } from './date-bounds.ts'
import { groupNames } from './file-names.ts'

/** The tables that a statement reads to make staging rows. */
export interface RowSource {
  /** A raw table. Its alias is `r`. */
  readonly raw: string
  /** The files of the raw rows: `file_id`, `as_of_on`, `base_name`, `groups` (a map of texts). Its alias is `f`. */
  readonly files: string
  /**
   * The rows that repeat the identity of an earlier line of their file: `file_id`, `line_number`, and `copy`, which is
   * 2 or more. Its alias is `d`. Null when there are no such rows.
   */
  readonly copies: string | null
}

export interface CanonicalSelect {
  /** The columns of the staging table, then `LINEAGE_COLUMNS`. A column that the definition does not set is null. */
  readonly columns: readonly { readonly name: string; readonly sql: string }[]
  readonly from: string
  readonly where: string
  /**
   * Dates and numbers that are null when their text cannot be read. `read` is the value before its bounds. `attempted`
   * is true when there is a text.
   */
  readonly unconverted: readonly {
    readonly column: string
    readonly read: string
    readonly attempted: string
  }[]
  /** Conditions that are true when a date is null because it is outside its bounds. */
  readonly outside: readonly { readonly column: string; readonly sql: string }[]
}

/** Returns the columns of a kind's raw table, without `file_id` and `line_number`. */
export function rawColumns(kind: FileKind): string[] {
  const { format } = kind
  if (format.type === 'fixed') return format.columns.map((column) => column.name)
  return format.type === 'delimited' ? [...format.columns, ...format.optionalColumns] : [...format.columns]
}

/** Returns the quoted name `raw.<source id with / and . as _>__<kind>`. */
export function rawTable(sourceId: string, kind: string): string {
  return `raw.${quotedIdentifier(`${sourceId.replaceAll(/[/.]/g, '_')}__${kind}`)}`
}

/** Returns the SQL for the names in a kind's expressions. Error messages name `field`. */
export function namesOf(source: SourceDefinition, kind: FileKind, field: string): Names {
  const columns = new Set(rawColumns(kind))
  const groups = groupNames(kind)
  return {
    column: (name) => (columns.has(name) ? `r.${quotedIdentifier(name)}` : undefined),
    file: (group) => {
      if (group === 'name') return 'f.base_name'
      return groups.has(group) ? `f.groups[${quotedLiteral(group)}]` : undefined
    },
    codes: source.codes,
    place: `${source.id}, ${kind.kind}, ${field}`,
  }
}

/** Returns SQL for the identity of a raw row as one text. Blank parts are empty. */
export function identityText(source: SourceDefinition, kind: FileKind): string {
  return joined(kind.identity, namesOf(source, kind, 'identity'))
}

/** Returns SQL for the values as one text, with `|` between them. Uses `||` because `concat_ws` is slower. */
function joined(values: readonly Expression[], names: Names): string {
  const parts = values.map((each) => {
    const column = typeof each === 'string' ? names.column(each) : undefined
    if (column !== undefined) return `coalesce(trim(${column}), '')`
    return `coalesce(${convertTo('varchar', compileExpression(each, names)).sql}, '')`
  })
  return parts.join(` || '|' || `)
}

/** A condition under which a raw row is refused. `field` names the columns that cause it. */
export interface Refusal {
  readonly sql: string
  readonly reason: string
  readonly field: string | null
}

/** Returns the conditions under which a raw row is refused. The first condition that holds gives the reason. */
export function refusals(source: SourceDefinition, kind: FileKind): Refusal[] {
  const identity = kind.identity.map((each) => compileExpression(each, namesOf(source, kind, 'identity')).sql)
  const names = namesOf(source, kind, 'refuse')
  return [
    // Only the first part of the identity must not be blank. Some counties have no book and page, for example.
    { sql: `${identity[0] ?? 'null'} is null`, reason: 'blank key', field: fieldOf(kind.identity[0]) },
    ...damagedKeys(kind).map(({ column, sql, reason }) => ({
      sql: sql(compileExpression(column, namesOf(source, kind, `keys.${column}`)).sql),
      reason,
      field: column,
    })),
    ...kind.refuse.map((each) => ({
      sql: compileCondition(each.when, names),
      reason: each.reason,
      field: fieldOf(each.when),
    })),
    ...unlistedValues(source, kind),
  ]
}

/** Returns refusals of rows whose value for a staging column is not in that column's list (closed-lists.ts). */
function unlistedValues(source: SourceDefinition, kind: FileKind): Refusal[] {
  const isOpen = (rows: FileKind['rows'][number], column: string): boolean =>
    rows.set[column] !== undefined && outcomesOf(rows.set[column], source.codes).isOpen
  if (!kind.rows.some((rows) => Object.keys(rows.set).some((column) => isOpen(rows, column)))) return []
  const lists = closedLists()
  return kind.rows.flatMap((rows) =>
    Object.entries(rows.set).flatMap(([column, expression]) => {
      const list = lists.get(column)
      if (list === undefined || !isOpen(rows, column)) return []
      const names = namesOf(source, kind, `${rows.into}.${column}`)
      const value = convertTo('varchar', compileExpression(expression, names)).sql
      const made =
        rows.when === undefined
          ? 'true'
          : compileCondition(rows.when, namesOf(source, kind, `${rows.into}, when`))
      // Uses a cast to an enum, which takes the same time for a list of any length.
      const allowed = [...list.values].map(quotedLiteral).join(', ')
      return [
        {
          sql: `(${made} and ${value} is not null and try_cast(${value} as enum(${allowed})) is null)`,
          reason: `${rows.into}.${column} is not in its closed list: ${list.shown}`,
          field: fieldOf(expression),
        },
      ]
    }),
  )
}

function fieldOf(expression: unknown): string | null {
  return columnsIn(expression).join(', ') || null
}

/**
 * Returns SQL for the values of `supersedes` as one text. A newer file replaces older rows with the same text. Returns
 * null when a newer file replaces all rows of the kind.
 */
export function supersededGroup(source: SourceDefinition, kind: FileKind): string | null {
  return kind.supersedes.length === 0
    ? null
    : `(${joined(kind.supersedes, namesOf(source, kind, 'supersedes'))})`
}

/** Translates one `rows` entry of a kind into SQL. @throws `bad_definition` */
export function canonicalSelect(
  source: SourceDefinition,
  kind: FileKind,
  rows: FileKind['rows'][number],
  tables: RowSource,
): CanonicalSelect {
  const types: Record<string, ColumnType> = CANONICAL_TABLES[rows.into].columns
  const columns: { name: string; sql: string }[] = []
  const unconverted: { column: string; read: string; attempted: string }[] = []
  const outside: { column: string; sql: string }[] = []
  for (const [column, type] of Object.entries(types)) {
    const expression = rows.set[column]
    const value: Compiled =
      expression === undefined
        ? { sql: 'null', type, attempted: null }
        : convertTo(type, compileExpression(expression, namesOf(source, kind, `${rows.into}.${column}`)))
    const bounds = expression === undefined ? null : dateBounds(kind, rows, column, `(${value.sql})`, type)
    if (bounds === null) columns.push({ name: column, sql: `${value.sql}::${type}` })
    else {
      columns.push({ name: column, sql: `case when ${bounds} then ${value.sql} end::${type}` })
      outside.push({ column, sql: `(${value.sql}) is not null and not (${bounds})` })
    }
    if (value.attempted !== null) {
      unconverted.push({ column, read: value.sql, attempted: value.attempted })
    }
  }
  const key =
    `${quotedLiteral(`${source.id}/${kind.kind}/`)} || ${identityText(source, kind)}` +
    (tables.copies === null ? '' : ` || coalesce('~' || d.copy, '')`) +
    (rows.tag === undefined ? '' : ` || ${quotedLiteral(`:${rows.tag}`)}`)
  const lineage: Record<keyof typeof LINEAGE_COLUMNS, string> = {
    record_key: key,
    source_id: quotedLiteral(source.id),
    file_id: 'r.file_id',
    line_number: 'r.line_number',
    as_of_on: 'f.as_of_on',
  }
  for (const [name, sql] of Object.entries(lineage)) columns.push({ name, sql })
  return {
    columns,
    from:
      `${tables.raw} as r join ${tables.files} as f on f.file_id = r.file_id` +
      (tables.copies === null
        ? ''
        : ` left join ${tables.copies} as d on d.file_id = r.file_id and d.line_number = r.line_number`),
    where:
      rows.when === undefined
        ? 'true'
        : compileCondition(rows.when, namesOf(source, kind, `${rows.into}, when`)),
    unconverted,
    outside,
  }
}
