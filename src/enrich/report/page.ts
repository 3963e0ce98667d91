import { bars, escaped, header, htmlPage, number, percent, section, table } from '../../report-page.ts'
import { atlasShapes, svgPath } from './atlas.ts'
import { STATUSES } from '../match/match-row.ts'
import type { Report } from './report.ts'

/** Returns the report of an enrichment run as one HTML page. */
export function reportHtml(report: Report): string {
  const { rows, statuses } = report
  const share = (count: number): string => percent(count / Math.max(1, rows))
  const bar = (label: string, size: number, of = rows) => ({ label, size, note: percent(size / Math.max(1, of)) }) // prettier-ignore
  const rejectedTo = report.rejected_file === null ? '' : `, written to ${report.rejected_file}`
  const facts: [string, string][] = [
    ['input file', report.input],
    ['output', report.is_dry_run ? 'none: this was a dry run' : (report.output ?? 'none')],
    ['snapshot', report.snapshot],
    ['time of the run', report.made_at.slice(0, 16).replace('T', ' ')],
    ['duration', `${report.seconds.toFixed(1)} s, ${number(report.rows_per_second)} rows/s`],
    [report.is_dry_run ? 'would be billed' : 'billed', `${number(report.billable)} matches`],
    ['duplicates', `${number(report.duplicates)} rows match a person whom an earlier row matches`],
    ['rejected', `${number(report.rejected)} rows that could not be read${rejectedTo}`],
    ...(report.not_looked_up > 0
      ? [['above the limit on matches', `${number(report.not_looked_up)} rows, not looked up`] as [string, string]] // prettier-ignore
      : []),
  ]
  const sections = [
    header(`${share(statuses.matched)} of ${number(rows)} rows matched`, facts),
    section('Status', bars(['status', 'rows'], STATUSES.map((status) => bar(status, statuses[status])), rows)), // prettier-ignore
    section(
      'Rows by match probability of their best candidate',
      histogram(report.probabilities, report.min_probability),
      `A row is matched when the match probability of its best candidate is at least ${report.min_probability.toFixed(2)} and no other candidate comes close. The height of a column grows with the square root of its number of rows, so that small numbers stay visible. The number is above the column.`,
    ),
    section('Columns of the input', table(['column', 'read as', 'recognised by', 'rows with a value', 'of these, matched', 'of these, agreeing'], report.columns.map(({ column, field, by, rows: count, matched, agreed }) => [column, field, by, number(count), part(matched, count), part(agreed, count)])), 'Agreeing: the row is matched, and the matched person has the same value.'), // prettier-ignore
    section('Fields that agree in matched rows', bars(['fields', 'rows'], report.matched_by.slice(0, 15).map(({ by, rows: count }) => bar(by.replaceAll(' ', ' + ') || '(none)', count)))), // prettier-ignore
    section('Why rows are not matched', bars(['reason', 'rows'], report.reasons.map(({ reason, rows: count }) => bar(reason, count)))), // prettier-ignore
    section('Fields found', bars(['field', 'rows'], report.field_coverage.map(({ field, rows: count }) => bar(field.replaceAll('_', ' '), count, statuses.matched)), statuses.matched), 'Matched rows that have a value of the field, as a share of all matched rows.'), // prettier-ignore
    section('Columns filled', `<details><summary>all ${report.coverage.length} columns</summary>${bars(['column', 'rows'], report.coverage.map(({ column, rows: count }) => bar(column, count, statuses.matched)), statuses.matched)}</details>`), // prettier-ignore
    section('Where matched people live', map(report) + table(['county', 'state', 'rows'], report.counties.slice(0, 15).map(({ name, state, rows: count }) => [name, state, number(count)])), 'Matched rows with a ZIP code, by the county in which the center of the ZIP code lies.'), // prettier-ignore
    section('By state', bars(['state', 'rows'], report.states.map(({ state, rows: count }) => bar(state, count)))), // prettier-ignore
    section('Matched with the lowest probabilities', table(['row', 'match probability', 'why'], report.worst.map(({ row, match_probability, reason }) => [number(row), match_probability.toFixed(2), reason]))), // prettier-ignore
    section('Slowest rows', table(['row', 'milliseconds'], report.slowest.map(({ row, microseconds }) => [number(row), (microseconds / 1000).toFixed(2)]))), // prettier-ignore
  ]
  const footer =
    '<footer>Rows are named by their number in the input file. The report shows no value of a row.</footer>'
  return htmlPage(`Enrichment report: ${report.input}`, [...sections, footer])
}

/**
 * Draws a column for each 0.05 of probability. Its height grows with the square root of its rows, so that small counts
 * stay visible beside large ones.
 */
function histogram(counts: readonly number[], minProbability: number): string {
  const groups = Array.from({ length: 20 }, (_, group) =>
    counts.slice(group * 5, group * 5 + 5).reduce((sum, one) => sum + one, 0),
  )
  const most = Math.max(1, ...groups)
  const columns = groups.map((count, group) => {
    const height = count === 0 ? 0 : Math.max(1, 150 * Math.sqrt(count / most))
    const fill = group * 5 + 4 < Math.round(minProbability * 100) ? 'var(--low)' : 'var(--fill)'
    return `<rect x="${group * 45 + 4}" y="${170 - height}" width="37" height="${height}" fill="${fill}"><title>${decimal(group * 5)} to ${decimal(group * 5 + 4)}: ${number(count)}</title></rect><text x="${group * 45 + 22}" y="186" text-anchor="middle">${decimal(group * 5)}</text><text x="${group * 45 + 22}" y="${165 - height}" text-anchor="middle">${count === 0 ? '' : number(count)}</text>`
  })
  return `<svg viewBox="0 0 904 192" role="img" aria-label="rows by match probability">${columns.join('')}</svg>`
}

/** Draws a map of counties. The shade of a county grows with the logarithm of its matched people. */
function map({ counties }: Report): string {
  if (counties.length === 0) return ''
  const rows = new Map(counties.map(({ fips, rows: count, name, state }) => [fips, { count, name, state }]))
  const most = Math.log10(Math.max(...counties.map(({ rows: count }) => count)) + 1)
  const states = atlasShapes('states', 'albers').map(
    (shape) => `<path d="${svgPath(shape, 1)}" fill="none" stroke="var(--soft)" stroke-width=".6"/>`,
  )
  const filled = atlasShapes('counties', 'albers').flatMap((shape) => {
    const found = rows.get(shape.id)
    if (found === undefined) return []
    const strength = (0.25 + (0.75 * Math.log10(found.count + 1)) / most).toFixed(2)
    return [
      `<path d="${svgPath(shape, 0.3)}" fill="var(--fill)" fill-opacity="${strength}" stroke="var(--fill)" stroke-width=".5"><title>${escaped(`${found.name}, ${found.state}: ${number(found.count)}`)}</title></path>`,
    ]
  })
  return `<svg viewBox="0 0 975 610" role="img" aria-label="map of counties">${filled.join('')}${states.join('')}</svg>`
}

function decimal(percents: number): string {
  return (percents / 100).toFixed(2)
}

function part(count: number, of: number): string {
  return of === 0 ? '–' : percent(count / of)
}
