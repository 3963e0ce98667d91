import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import { identityText, rawTable, supersededGroup } from './canonical-rows.ts'
import { type FileKind, type Limits, limitsOf, type SourceDefinition } from './definition.ts'
import type { Finding } from './held.ts'
import { contentId, type FileRecord } from './ledger.ts'
import {
  type Conversion,
  conversionsOf,
  countyText,
  expectedFormat,
  type Measure,
  unreadableShapes,
} from './measures.ts'

/** A file is compared with at most this many accepted loads. */
const COMPARED_LOADS = 5

/** A file is compared with an earlier load only when it replaces at least this share of that load's rows. */
const LEAST_REPLACED = 0.2

/** A difference of two shares counts only when it is more than this many standard errors. */
const LEAST_STANDARD_ERRORS = 4

interface Judging {
  readonly db: DuckDBConnection
  readonly source: SourceDefinition
  readonly kind: FileKind
  /** The figures of the files that this run has measured. */
  readonly measures: readonly Measure[]
  /** Returns true for files that this run loads for the first time. */
  readonly isNew: (fileId: number) => boolean
}

/** Returns the figures of a file that are outside the limits. A file without findings is not held. */
export async function findingsOf(judging: Judging, file: FileRecord): Promise<Finding[]> {
  const past = await history(judging, file)
  const findings = await unreadable(judging, file, past)
  // A correction has few rows, so it is not compared with earlier loads.
  return file.corrected_lines === null
    ? [...findings, ...(await outsideBands(judging, file, past))]
    : findings
}

/**
 * Returns a finding for each column with too many unreadable values. After `accept --always`, the share of the accepted
 * file is added to the limit.
 */
async function unreadable(judging: Judging, file: FileRecord, past: readonly Past[]): Promise<Finding[]> {
  const { source, kind, measures } = judging
  const limits = limitsOf(source, kind)
  const findings: Finding[] = []
  const baseline = past.find(({ is_baseline }) => is_baseline)
  const accepted = baseline === undefined ? {} : shares(baseline.unconverted)
  for (const [column, conversion] of Object.entries(conversionsOf(measures, contentId(file)))) {
    const limit = (accepted[column] ?? 0) + (limits.columns[column] ?? limits.unreadable)
    if (!isUnreadable(conversion, limit, limits)) continue
    findings.push(await unreadableFinding(judging, contentId(file), column, conversion, limit))
  }
  return findings
}

/** Returns true when too many values of a column are unreadable. `limit` is a share of the values. */
export function isUnreadable({ failed, given }: Conversion, limit: number, limits: Limits): boolean {
  return failed >= limits.minUnreadable && failed > given * limit
}

/** Returns the finding about a column with unreadable values, with their share and shapes and the expected format. */
export async function unreadableFinding(
  { db, source, kind }: Pick<Judging, 'db' | 'source' | 'kind'>,
  fileId: number,
  column: string,
  { failed, given }: Conversion,
  limit: number,
): Promise<Finding> {
  const shapes = await unreadableShapes(db, source, kind, fileId, column)
  const looks = shapes.map(({ shape, count }) => `${JSON.stringify(shape)} (${count})`).join(', ')
  const after = failed / given
  return {
    measure: 'conversions',
    county_fips: null,
    column,
    before: null,
    after,
    reason:
      `${column}: ${failed} of ${given} values cannot be read (${percent(after)}, limit ${percent(limit)}); ` +
      `${looks === '' ? '' : `they look like ${looks}; `}the definition expects ${expectedFormat(source, kind, column)}`,
  }
}

const Past = z.object({
  file_id: z.number(),
  county_fips: z.string().nullable(),
  row_count: z.number(),
  key_count: z.number(),
  blanks: z.string(),
  codes: z.string(),
  unconverted: z.string(),
  is_baseline: z.boolean(),
  /** Row count of the county's largest load since the newest baseline. */
  largest: z.number(),
})
type Past = z.output<typeof Past>

/**
 * Returns up to five accepted loads of each county that are older than the file, newest first. Leaves out loads before
 * the newest baseline (`accept --always`).
 */
async function history({ db, source, kind }: Judging, { file_id, as_of_on }: FileRecord): Promise<Past[]> {
  return await query(
    db,
    `with issues as (
       select min(named.file_id) as issue_id, coalesce(named.same_as_file_id, named.file_id) as content_id, named.as_of_on
       from ledger.files as named
       where named.source_id = $source and named.kind = $kind and named.status in ('loaded', 'repeated')
         and named.corrected_lines is null and named.file_id <> ${file_id}
         and (named.as_of_on, named.file_id) < ($day::date, ${file_id})
       group by 2, 3
     ),
     loads as (
       select loads.*, issues.as_of_on, issues.issue_id,
         row_number() over newest_first as load_number,
         count(*) filter (loads.is_baseline) over (newest_first rows between unbounded preceding and 1 preceding)
           as later_baselines
       from issues join ledger.loads as loads on loads.file_id = issues.content_id
       window newest_first as (partition by loads.county_fips order by issues.as_of_on desc, issues.issue_id desc)
     )
     select file_id, county_fips, row_count, key_count, blanks, codes, unconverted, is_baseline,
       max(row_count) over (partition by county_fips) as largest
     from loads where later_baselines = 0
     qualify load_number <= ${COMPARED_LOADS}
     order by as_of_on desc, issue_id desc`,
    Past,
    { source: source.id, kind: kind.kind, day: as_of_on },
  )
}

/** Compares a file with earlier accepted loads, county by county. Returns the figures outside the limits. */
async function outsideBands(judging: Judging, file: FileRecord, past: readonly Past[]): Promise<Finding[]> {
  const { source, kind, measures, isNew } = judging
  const limits = limitsOf(source, kind)
  const own = measures.filter((measure) => measure.file_id === contentId(file))
  const findings: Finding[] = []
  for (const measure of own) {
    const loads = past.filter((load) => load.county_fips === measure.county_fips)
    if (loads.every((load) => isNew(load.file_id))) continue
    findings.push(...(await rowFindings(judging, measure, loads, limits)))
    findings.push(...shareFindings('blanks', measure, loads, limits))
    findings.push(...shareFindings('codes', measure, loads, limits))
  }
  findings.push(...missingCounties(judging, own, past, limits))
  return findings
}

/**
 * Compares the counts of rows and keys with those of the rows that the file replaces. A file that replaces none of the
 * recent loads is only compared with the largest load.
 */
async function rowFindings(
  judging: Judging,
  measure: Measure,
  loads: readonly Past[],
  limits: Limits,
): Promise<Finding[]> {
  const replaced = (await replacements(judging, measure, loads)).filter(
    ({ load, rowsBefore }) => rowsBefore > 0 && rowsBefore >= load.row_count * LEAST_REPLACED,
  )
  if (replaced.length === 0) return sizeFindings(measure, loads, limits)
  const rows = medianChange(replaced.map(({ rowsBefore, rows: after }) => ({ before: rowsBefore, after })))
  const keys = medianChange(replaced.map(({ keysBefore, keys: after }) => ({ before: keysBefore, after })))
  if (rows.before < limits.minRows) return []
  const isOutside =
    rows.after < rows.before * (1 - limits.rowsDown) || rows.after > rows.before * (1 + limits.rowsUp)
  const hasFewKeys = keys.after < keys.before * (1 - limits.rowsDown)
  if (!isOutside && !hasFewKeys) return []
  const what = isOutside ? 'rows' : 'keys'
  const { before, after } = isOutside ? rows : keys
  const isWhole = replaced.every(
    ({ load, rowsBefore, rows: own }) => rowsBefore === load.row_count && own === measure.row_count,
  )
  return [
    {
      measure: what,
      county_fips: measure.county_fips,
      column: null,
      before,
      after,
      reason:
        `${inCounty(measure)}${Math.round(after)} ${isOutside ? 'rows' : 'different keys'}` +
        `${isWhole ? `, ${Math.round(before)} before` : ` in place of ${Math.round(before)}`} ` +
        `(${signed((after - before) / before)}, allowed -${percent(limits.rowsDown)} to +${percent(limits.rowsUp)}; ` +
        `${basis(replaced.map(({ load }) => load))})`,
    },
  ]
}

/**
 * Returns a finding when a file that only adds rows is very large, because it is probably another kind of file. A
 * small one is never held, because it replaces nothing.
 */
function sizeFindings(measure: Measure, loads: readonly Past[], limits: Limits): Finding[] {
  const largest = loads[0]?.largest
  if (largest === undefined || limits.incrementUp === null) return []
  if (measure.row_count <= Math.max(largest, limits.minRows) * (1 + limits.incrementUp)) return []
  const { row_count: after } = measure
  return [
    {
      measure: 'rows',
      county_fips: measure.county_fips,
      column: null,
      before: largest,
      after,
      reason:
        `${inCounty(measure)}${after} rows, ${largest} in the largest load before ` +
        `(${signed((after - largest) / largest)}, allowed +${percent(limits.incrementUp)} for a file that only adds rows)`,
    },
  ]
}

interface Replacement {
  readonly load: Past
  /** Rows and keys of the earlier load that the file replaces. */
  readonly rowsBefore: number
  readonly keysBefore: number
  /** Rows and keys of the file that take their place. */
  readonly rows: number
  readonly keys: number
}

/** Returns how many rows of each earlier load the file replaces (`supersedes`), and with how many rows. */
async function replacements(
  { db, source, kind }: Judging,
  measure: Measure,
  loads: readonly Past[],
): Promise<Replacement[]> {
  const group = supersededGroup(source, kind)
  if (group === null) {
    const { row_count: rows, key_count: keys } = measure
    return loads.map((load) => ({ load, rowsBefore: load.row_count, keysBefore: load.key_count, rows, keys }))
  }
  const found = await query(
    db,
    `with groups as (
       select r.file_id, ${group} as superseded, count(*)::integer as row_count,
         count(distinct hash(${identityText(source, kind)}))::integer as key_count
       from ${rawTable(source.id, kind.kind)} as r join ledger.files as f on f.file_id = r.file_id
       where r.file_id in (${[measure.file_id, ...loads.map((load) => load.file_id)].join(', ')})
         and ${countyText(source, kind)} is not distinct from $county
       group by 1, 2
     )
     select past.file_id, sum(past.row_count)::integer as rows_before, sum(past.key_count)::integer as keys_before,
       sum(own.row_count)::integer as row_count, sum(own.key_count)::integer as key_count
     from groups as past
     join groups as own on own.superseded = past.superseded and own.file_id = ${measure.file_id}
     group by 1`,
    z.object({
      file_id: z.number(),
      rows_before: z.number(),
      keys_before: z.number(),
      row_count: z.number(),
      key_count: z.number(),
    }),
    { county: measure.county_fips },
  )
  return loads.flatMap((load) => {
    const row = found.find(({ file_id }) => file_id === load.file_id)
    if (row === undefined) return []
    const { rows_before: rowsBefore, keys_before: keysBefore, row_count: rows, key_count: keys } = row
    return [{ load, rowsBefore, keysBefore, rows, keys }]
  })
}

interface Change {
  readonly before: number
  readonly after: number
}

/** Returns the pair with the median ratio of `after` to `before`, or the mean of the two middle pairs. */
function medianChange(pairs: readonly Change[]): Change {
  const sorted = pairs.toSorted((a, b) => a.after / a.before - b.after / b.before)
  const at = Math.floor(sorted.length / 2)
  const inMiddle = sorted.slice(sorted.length % 2 === 1 ? at : at - 1, at + 1)
  const mean = (of: (pair: Change) => number): number =>
    inMiddle.reduce((sum, pair) => sum + of(pair), 0) / inMiddle.length
  return { before: mean(({ before }) => before), after: mean(({ after }) => after) }
}

/** Returns a finding for each missing county of the last load, when the file replaces all rows of its kind. */
function missingCounties(
  { source, kind, isNew }: Judging,
  own: readonly Measure[],
  past: readonly Past[],
  limits: Limits,
): Finding[] {
  const last = past[0]
  if (last === undefined || isNew(last.file_id) || supersededGroup(source, kind) !== null) return []
  const here = new Set(own.map((measure) => measure.county_fips))
  return past
    .filter(({ file_id, county_fips }) => file_id === last.file_id && !here.has(county_fips))
    .filter(({ row_count }) => row_count >= limits.minRows)
    .map((load) => ({
      measure: 'rows',
      county_fips: load.county_fips,
      column: null,
      before: load.row_count,
      after: 0,
      reason: `${inCounty(load)}no rows, ${load.row_count} in the last accepted load`,
    }))
}

function shareFindings(
  measured: 'blanks' | 'codes',
  measure: Measure,
  loads: readonly Past[],
  limits: Limits,
): Finding[] {
  const rows = median(loads.map((load) => load.row_count))
  if (measure.row_count < limits.minRows || rows < limits.minRows) return []
  const past = loads.map((load) => shares(load[measured]))
  const findings: Finding[] = []
  for (const [column, after] of Object.entries(measure[measured])) {
    const known = past.flatMap((each) => each[column] ?? [])
    if (known.length === 0) continue
    const before = median(known)
    const general = measured === 'blanks' ? limits.blanksUp : limits.codesUp
    const limit = limits.columns[measured === 'blanks' ? column : tableOf(column)] ?? general
    if (
      after - before <= limit ||
      after - before <= LEAST_STANDARD_ERRORS * error(before, after, measure.row_count, rows)
    )
      continue
    const what = measured === 'blanks' ? `${column} is blank in` : `the code table ${column} does not know`
    findings.push({
      measure: measured,
      county_fips: measure.county_fips,
      column,
      before,
      after,
      reason:
        `${inCounty(measure)}${what} ${percent(after)} of ${measured === 'blanks' ? 'the rows' : 'the codes'}, ` +
        `${percent(before)} before (allowed +${percent(limit)}; ${basis(loads)})`,
    })
  }
  return findings
}

/** Returns the standard error of the difference of two shares. */
function error(before: number, after: number, rows: number, rowsBefore: number): number {
  const pooled = (before * rowsBefore + after * rows) / (rowsBefore + rows)
  return Math.sqrt(pooled * (1 - pooled) * (1 / rows + 1 / rowsBefore))
}

function tableOf(label: string): string {
  return label.slice(0, label.indexOf(' ('))
}

function shares(json: string): Record<string, number> {
  return z.record(z.string(), z.number()).parse(JSON.parse(json))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

function inCounty({ county_fips }: { county_fips: string | null }): string {
  return county_fips === null ? '' : `county ${county_fips}: `
}

function basis(loads: readonly Past[]): string {
  return loads.length === 1
    ? 'compared with the last accepted load'
    : `compared with the median of the last ${loads.length} accepted loads`
}

function signed(share: number): string {
  return `${share < 0 ? '-' : '+'}${percent(Math.abs(share))}`
}

export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}
