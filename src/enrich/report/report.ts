import type { Mapping } from '../columns/recognise.ts'
import { type Field, fieldColumns, indicatorColumn } from '../match/fields.ts'
import { type MatchOptions, type MatchStatus, STATUSES } from '../match/match-row.ts'
import type { Input } from '../read/read-input.ts'
import { type CountyCount, ratesByCounty, ratesByState, type StateCount } from './places.ts'
import type { RunOptions, RunResult } from '../run/options.ts'

/**
 * The results of a run, for the HTML page (page.ts) and for `--json`. Rows are named by number only; the report
 * contains no data of people.
 */
export interface Report {
  readonly made_at: string
  readonly snapshot: string
  readonly input: string
  readonly output: string | null
  readonly is_dry_run: boolean
  readonly seconds: number
  readonly rows: number
  readonly rows_per_second: number
  readonly rejected: number
  readonly rejected_file: string | null
  readonly statuses: Readonly<Record<MatchStatus, number>>
  readonly match_rate: number
  /** The number of matches that the run costs. */
  readonly billable: number
  readonly duplicates: number
  /** Rows that were not looked up, because the cap on billable matches was reached. */
  readonly not_looked_up: number
  /** The least match probability of a matched row. */
  readonly min_probability: number
  /** Rows by the match probability of their best candidate: 100 counts, for 0.00 to 0.99. */
  readonly probabilities: readonly number[]
  readonly matched_by: readonly { readonly by: string; readonly rows: number }[]
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[]
  /**
   * For each column that rows were searched by: rows with a value, matched rows with a value, and rows where the value
   * agrees with the matched person.
   */
  readonly columns: readonly {
    readonly column: string
    readonly field: string
    readonly by: string
    readonly rows: number
    readonly matched: number
    readonly agreed: number
  }[]
  readonly coverage: readonly { readonly column: string; readonly rows: number; readonly share: number }[]
  /** For each field: matched rows with a value, and their share. */
  readonly field_coverage: readonly { readonly field: Field; readonly rows: number; readonly share: number }[]
  readonly states: readonly StateCount[]
  readonly counties: readonly CountyCount[]
  readonly slowest: readonly { readonly row: number; readonly microseconds: number }[]
  readonly worst: readonly {
    readonly row: number
    readonly match_probability: number
    readonly reason: string
  }[]
}

export interface ReportFacts {
  readonly input: Pick<Input, 'name' | 'header'>
  readonly mapping: Mapping
  readonly match: MatchOptions
  readonly output: RunOptions['output']
  readonly result: RunResult
  readonly isDryRun: boolean
  readonly now: Date
}

export function buildReport({ input, mapping, match, output, result, isDryRun, now }: ReportFacts): Report {
  const { tally, seconds, resumedRows } = result
  const matched = tally.statuses.matched
  const coverage = fieldColumns(match.fields).map((column, at) => {
    const rows = tally.coverage[at] ?? 0
    return { column, rows, share: matched === 0 ? 0 : rows / matched }
  })
  return {
    made_at: now.toISOString(),
    snapshot: result.snapshot,
    input: input.name,
    output: output === null ? null : 'path' in output ? output.path : 'standard output',
    is_dry_run: isDryRun,
    seconds,
    rows: tally.rows,
    rows_per_second: Math.round((tally.rows - resumedRows) / Math.max(seconds, 0.001)),
    rejected: tally.rejected,
    rejected_file: result.rejectedFile,
    statuses: tally.statuses,
    match_rate: tally.rows === 0 ? 0 : matched / tally.rows,
    billable: tally.billable,
    duplicates: tally.duplicates,
    not_looked_up: tally.notLookedUp,
    min_probability: match.minScore / 100,
    probabilities: tally.percents,
    matched_by: counted(tally.matchedBy).map(([by, rows]) => ({ by, rows })),
    reasons: counted(tally.reasons).slice(0, 20).map(([reason, rows]) => ({ reason, rows })), // prettier-ignore
    columns: mapping.columns.map(({ column, field, by }, at) => ({
      column: input.header[column]!,
      field,
      by,
      rows: tally.filled[at] ?? 0,
      matched: tally.filledMatched[at] ?? 0,
      agreed: tally.agreed[at] ?? 0,
    })),
    coverage,
    field_coverage: match.fields.map((field) => {
      const { rows, share } = coverage.find(({ column }) => column === indicatorColumn(field))!
      return { field, rows, share }
    }),
    states: ratesByState(tally.zips),
    counties: ratesByCounty(tally.zips),
    slowest: tally.slowest,
    worst: tally.worst,
  }
}

function counted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
}

const number = (value: number): string => value.toLocaleString('en-US')

/** Returns the lines that the command prints at the end. */
export function summaryLines(report: Report): string[] {
  const share = (rows: number): string => `${((100 * rows) / Math.max(1, report.rows)).toFixed(1)} %`
  const lines = [
    `${number(report.rows)} ${report.rows === 1 ? 'row' : 'rows'} in ${report.seconds.toFixed(1)} s (${number(report.rows_per_second)} rows/s), snapshot ${report.snapshot}`,
  ]
  for (const status of STATUSES) {
    const rows = report.statuses[status]
    if (rows > 0)
      lines.push(`  ${status.padEnd(11)} ${number(rows).padStart(12)}  ${share(rows).padStart(7)}`)
  }
  lines.push(
    `  ${report.is_dry_run ? 'would be billed' : 'billable'}: ${number(report.billable)} ${report.billable === 1 ? 'match' : 'matches'}${report.duplicates > 0 ? `; ${number(report.duplicates)} ${report.duplicates === 1 ? 'duplicate' : 'duplicates'} of earlier rows` : ''}`,
  )
  if (report.not_looked_up > 0)
    lines.push(
      `  the cap was reached: ${number(report.not_looked_up)} ${report.not_looked_up === 1 ? 'row was' : 'rows were'} not looked up`,
    )
  if (report.rejected > 0)
    lines.push(
      `  rejected: ${number(report.rejected)} ${report.rejected === 1 ? 'row' : 'rows'}${report.rejected_file === null ? '' : `, in ${report.rejected_file}`}`,
    )
  if (report.output !== null && report.output !== 'standard output') lines.push(`  written: ${report.output}`)
  return lines
}
