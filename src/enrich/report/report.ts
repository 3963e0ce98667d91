import type { Mapping } from '../columns/recognise.ts'
import { fieldColumns, indicatorColumn } from '../match/fields.ts'
import { type MatchOptions, STATUSES } from '../match/match-row.ts'
import type { Input } from '../read/read-input.ts'
import { ratesByCounty, ratesByState } from './places.ts'
import type { RunOptions, RunResult } from '../run/options.ts'

export interface ReportFacts {
  readonly input: Pick<Input, 'name' | 'header'>
  readonly mapping: Mapping
  readonly match: MatchOptions
  readonly output: RunOptions['output']
  readonly result: RunResult
  readonly isDryRun: boolean
  readonly now: Date
}

export type Report = Readonly<ReturnType<typeof buildReport>>

/**
 * Returns the results of a run, for the HTML page (page.ts) and for `--json`. Rows are named by number only; the report
 * contains no data of people.
 */
export function buildReport({ input, mapping, match, output, result, isDryRun, now }: ReportFacts) {
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
    /** The number of matches that the run costs. */
    billable: tally.billable,
    duplicates: tally.duplicates,
    /** Rows that were not looked up, because the cap on billable matches was reached. */
    not_looked_up: tally.notLookedUp,
    /** The least match probability of a matched row. */
    min_probability: match.minScore / 100,
    /** Rows by the match probability of their best candidate: 100 counts, for 0.00 to 0.99. */
    probabilities: tally.percents,
    matched_by: counted(tally.matchedBy).map(([by, rows]) => ({ by, rows })),
    reasons: counted(tally.reasons).slice(0, 20).map(([reason, rows]) => ({ reason, rows })), // prettier-ignore
    /**
     * For each column that rows were searched by: rows with a value, matched rows with a value, and rows where the
     * value agrees with the matched person.
     */
    columns: mapping.columns.map(({ column, field, by }, at) => ({
      column: input.header[column]!,
      field,
      by,
      rows: tally.filled[at] ?? 0,
      matched: tally.filledMatched[at] ?? 0,
      agreed: tally.agreed[at] ?? 0,
    })),
    coverage,
    /** For each field: matched rows with a value, and their share. */
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
