import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError, messageOf } from '../errors.ts'
import type { FieldPath } from '../json-places.ts'
import { execute } from '../warehouse/query.ts'
import { canonicalSelect, identityText, rawColumns, refusals, supersededGroup } from './canonical-rows.ts'
import { CANONICAL_TABLES, type CanonicalName } from './canonical.ts'
import { type ClosedList, closedLists, outcomesOf } from './closed-lists.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { areExclusive } from './exclusive.ts'
import type { Fault } from './faults.ts'
import { fileExpression, groupNames } from './file-names.ts'
import { createTrialRows, TRIAL_ROWS } from './trial-rows.ts'

/** A part of a definition whose SQL can be tried alone. Error messages name `place`. */
interface Part {
  readonly place: string
  readonly path: FieldPath
  readonly sql: () => string[]
}

/** Returns the faults of a definition that can be found without DuckDB. */
export function staticFaults(source: SourceDefinition): Fault[] {
  const faults: Fault[] = []
  const attempt = (path: FieldPath, check: () => void): void => {
    try {
      check()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'bad_definition') throw error
      faults.push({ path, message: error.message })
    }
  }
  const lists = closedLists()
  const counties = lists.get('county_fips')
  const unknown = source.counties.filter((fips) => counties?.values.has(fips) !== true)
  if (unknown.length > 0) {
    faults.push({
      path: ['counties', source.counties.indexOf(unknown[0] ?? '')],
      message: `${source.id}, counties: ${unknown.join(', ')} is not allowed; allowed are ${counties?.shown}`,
    })
  }
  for (const [at, kind] of source.files.entries()) {
    const pathTo = (...rest: FieldPath): FieldPath => ['files', at, ...rest]
    faults.push(...columnFaults(source, kind, pathTo))
    attempt(pathTo('pattern'), () => fileExpression(kind.pattern, `${source.id}, ${kind.kind}, pattern`))
    const { archivePattern } = kind
    if (archivePattern !== undefined) {
      attempt(pathTo('archivePattern'), () =>
        fileExpression(archivePattern, `${source.id}, ${kind.kind}, archivePattern`),
      )
    }
    faults.push(...aliasFaults(source, kind, pathTo), ...asOfFaults(source, kind, pathTo))
    for (const { sql, path } of partsOf(source, kind, pathTo)) attempt(path, () => void sql())
    faults.push(...listFaults(source, kind, pathTo, lists), ...tagFaults(source, kind, pathTo))
    faults.push(...boundFaults(source, kind, pathTo))
  }
  return faults
}

/**
 * Returns the faults that only DuckDB finds: regular expressions that are not RE2, unknown date formats, wrong
 * types. Runs every expression over one row of empty columns. To be called for definitions without static faults.
 */
export async function engineFaults(db: DuckDBConnection, source: SourceDefinition): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [at, kind] of source.files.entries()) {
    await createTrialRows(db, kind, [{ given: {}, base_name: '', groups: {}, as_of_on: null }])
    const parts = partsOf(source, kind, (...rest) => ['files', at, ...rest])
    // Tries all parts in one statement first. Only a faulty definition needs a statement per part.
    const isSound =
      (await faultOf(
        db,
        parts.flatMap(({ sql }) => sql()),
      )) === null
    if (isSound) continue
    for (const { place, path, sql } of parts) {
      const fault = await faultOf(db, sql())
      if (fault !== null) faults.push({ path, message: `${place}: ${fault}` })
    }
  }
  if (faults.length > 0) return faults
  return asOfFormatFaults(db, source)
}

/** Returns the path of a field in the definition from its path within the kind. */
type PathTo = (...rest: FieldPath) => FieldPath

function partsOf(source: SourceDefinition, kind: FileKind, pathTo: PathTo): Part[] {
  const at = `${source.id}, ${kind.kind}`
  return [
    { place: `${at}, identity`, path: pathTo('identity'), sql: () => [identityText(source, kind)] },
    {
      place: `${at}, supersedes`,
      path: pathTo('supersedes'),
      sql: () => [supersededGroup(source, kind) ?? 'null'],
    },
    {
      place: `${at}, refuse`,
      path: pathTo('refuse'),
      sql: () => refusals(source, kind).map(({ sql }) => sql),
    },
    ...kind.rows.flatMap((rows, rowsAt): Part[] => {
      const only = (set: typeof rows.set): typeof rows => ({
        into: rows.into,
        set,
        when: rows.when,
        tag: rows.tag,
      })
      return [
        {
          place: `${at}, ${rows.into}, when`,
          path: pathTo('rows', rowsAt, 'when'),
          sql: () => [canonicalSelect(source, kind, only({}), TRIAL_ROWS).where],
        },
        ...Object.entries(rows.set).map(([column, expression]): Part => ({
          place: `${at}, ${rows.into}.${column}`,
          path: pathTo('rows', rowsAt, 'set', column),
          sql: () =>
            canonicalSelect(source, kind, { ...only({ [column]: expression }), when: undefined }, TRIAL_ROWS)
              .columns.filter(({ name }) => name === column)
              .map(({ sql }) => sql),
        })),
      ]
    }),
  ]
}

async function faultOf(db: DuckDBConnection, sql: readonly string[]): Promise<string | null> {
  if (sql.length === 0) return null
  try {
    await execute(
      db,
      `select ${sql.join(', ')} from ${TRIAL_ROWS.raw} as r join ${TRIAL_ROWS.files} as f using (file_id)`,
    )
    return null
  } catch (error) {
    // The first line is DuckDB's reason. The statement follows it.
    return (
      messageOf(error)
        .replace(/^query failed: /, '')
        .split('\n')[0] ?? ''
    ).trim()
  }
}

async function asOfFormatFaults(db: DuckDBConnection, source: SourceDefinition): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [at, { kind, asOf }] of source.files.entries()) {
    if (asOf === undefined) continue
    try {
      await execute(db, `select try_strptime('', $format::varchar)`, { format: asOf.format })
    } catch (error) {
      faults.push({
        path: ['files', at, 'asOf', 'format'],
        message: `${source.id}, ${kind}, asOf.format: ${messageOf(error).split('\n')[0] ?? ''}`,
      })
    }
  }
  return faults
}

function columnFaults(source: SourceDefinition, kind: FileKind, pathTo: PathTo): Fault[] {
  const faults: Fault[] = []
  const seen = new Map([
    ['file_id', 'file_id (filled by the loader)'],
    ['line_number', 'line_number (filled by the loader)'],
  ])
  for (const column of rawColumns(kind)) {
    const other = seen.get(column.toLowerCase())
    if (other !== undefined) {
      faults.push({
        path: pathTo('format', 'columns', columnNames(kind).lastIndexOf(column)),
        message: `${source.id}, ${kind.kind}: column ${column} has the name of ${other}; names must differ by more than case`,
      })
    }
    seen.set(column.toLowerCase(), column)
  }
  return faults
}

function columnNames({ format }: FileKind): string[] {
  return format.columns.map((column) => (typeof column === 'string' ? column : column.name))
}

/** Returns a fault for each alias of an unknown column, and for each alias that is the name of another column. */
function aliasFaults(source: SourceDefinition, kind: FileKind, pathTo: PathTo): Fault[] {
  const at = `${source.id}, ${kind.kind}, aliases`
  const columns = rawColumns(kind)
  const lower = new Set(columns.map((column) => column.toLowerCase()))
  return Object.entries(kind.aliases).flatMap(([column, aliases]) => {
    const path = pathTo('aliases', column)
    return [
      ...(columns.includes(column) ? [] : [{ path, message: `${at}: there is no column ${column}` }]),
      ...aliases
        .filter((alias) => lower.has(alias.toLowerCase()))
        .map((alias) => ({ path, message: `${at}.${column}: ${alias} is the name of another column` })),
    ]
  })
}

function asOfFaults(source: SourceDefinition, kind: FileKind, pathTo: PathTo): Fault[] {
  const { asOf } = kind
  if (asOf === undefined) return []
  const known = groupNames(kind)
  const faults: Fault[] = []
  const at = `${source.id}, ${kind.kind}, asOf`
  const checkGroup = (group: string, path: FieldPath): void => {
    if (known.has(group)) return
    const shown = [...known].join(', ') || 'none'
    faults.push({ path, message: `${at}: the file pattern has no group ${group}; it has ${shown}` })
  }
  checkGroup(asOf.group, pathTo('asOf', 'group'))
  if (asOf.plusDays !== undefined) checkGroup(asOf.plusDays.group, pathTo('asOf', 'plusDays', 'group'))
  const lower = Object.keys(asOf.plusDays?.days ?? {}).filter((text) => text !== text.toUpperCase())
  if (lower.length > 0)
    faults.push({
      path: pathTo('asOf', 'plusDays', 'days', lower[0] ?? ''),
      message: `${at}.plusDays.days: write ${lower.join(', ')} in upper case; the text of a name is compared in upper case`,
    })
  return faults
}

/** Returns a fault for each staging column with a literal or code table value that the column does not allow. */
function listFaults(
  source: SourceDefinition,
  kind: FileKind,
  pathTo: PathTo,
  lists: ReadonlyMap<string, ClosedList>,
): Fault[] {
  return kind.rows.flatMap((rows, rowsAt) =>
    Object.entries(rows.set).flatMap(([column, expression]) => {
      const list = lists.get(column)
      if (list === undefined) return []
      const wrong = [...outcomesOf(expression, source.codes).values].filter(
        (value) => !list.values.has(value),
      )
      if (wrong.length === 0) return []
      const verb = wrong.length === 1 ? 'is' : 'are'
      return [
        {
          path: pathTo('rows', rowsAt, 'set', column),
          message: `${source.id}, ${kind.kind}, ${rows.into}.${column}: ${wrong.join(', ')} ${verb} not allowed; allowed are ${list.shown}`,
        },
      ]
    }),
  )
}

/** Returns a fault for each bound of a column that the rows do not set, or that is no date. */
function boundFaults(source: SourceDefinition, kind: FileKind, pathTo: PathTo): Fault[] {
  return kind.rows.flatMap((rows, rowsAt) => {
    const types: Readonly<Record<string, string>> = CANONICAL_TABLES[rows.into].columns
    return Object.keys(rows.bounds ?? {})
      .filter((column) => !(column in rows.set) || (types[column] !== 'date' && column !== 'birth_date'))
      .map((column) => ({
        path: pathTo('rows', rowsAt, 'bounds', column),
        message: `${source.id}, ${kind.kind}, ${rows.into}, bounds: ${column} is not a date column that this entry of "rows" sets`,
      }))
  })
}

/** Tables whose rows name people and organisations. No two rows of these tables may have the same record key. */
const NAMED_RECORDS: readonly CanonicalName[] = [
  'person_mentions',
  'businesses',
  'parcel_owners',
  'deed_parties',
]

/** Returns a fault for each pair of `rows` entries that give one raw row two staging rows with the same record key. */
function tagFaults(source: SourceDefinition, kind: FileKind, pathTo: PathTo): Fault[] {
  const faults: Fault[] = []
  for (const [index, rows] of kind.rows.entries()) {
    for (const [before, other] of kind.rows.slice(0, index).entries()) {
      const isOneGrain =
        rows.into === other.into || (NAMED_RECORDS.includes(rows.into) && NAMED_RECORDS.includes(other.into))
      if (!isOneGrain || rows.tag !== other.tag || areExclusive(rows.when, other.when, source.codes)) continue
      faults.push({
        path: pathTo('rows', index),
        message:
          `${source.id}, ${kind.kind}: entries ${before + 1} (${other.into}) and ${index + 1} (${rows.into}) of "rows" make ` +
          `two rows with one record key; give one of them a "tag", or give both "when" conditions that exclude each other`,
      })
    }
  }
  return faults
}
