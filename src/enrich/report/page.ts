import { atlasShapes, svgPath } from './atlas.ts'
import { STATUSES } from '../match/match-row.ts'
import type { Report } from './report.ts'

/** The report as one page that needs nothing else: styles and pictures stand in it. */
export function reportHtml(report: Report): string {
  const { rows, statuses } = report
  const share = (count: number): string => `${((100 * count) / Math.max(1, rows)).toFixed(1)} %`
  const facts: [string, string][] = [
    ['list', report.input],
    ['written', report.is_dry_run ? 'nothing: a dry run' : (report.output ?? 'nothing')],
    ['snapshot', report.snapshot],
    ['made', report.made_at.slice(0, 16).replace('T', ' ')],
    ['time', `${report.seconds.toFixed(1)} s, ${number(report.rows_per_second)} rows/s`],
    [report.is_dry_run ? 'would be billed' : 'billable', `${number(report.billable)} matches`],
    ['doubles', `${number(report.duplicates)} rows of people whom an earlier row had`],
    [
      'not readable',
      `${number(report.rejected)} rows${report.rejected_file === null ? '' : `, in ${report.rejected_file}`}`,
    ],
    ...(report.not_looked_up > 0
      ? [['behind the cap', `${number(report.not_looked_up)} rows not looked up`] as [string, string]]
      : []),
  ]
  const sections = [
    `<header><h1>${share(statuses.matched)} of ${number(rows)} rows matched</h1>${definitions(facts)}</header>`,
    section(
      'Status',
      bars(
        STATUSES.map((status) => [status, statuses[status], share(statuses[status])]),
        rows,
        (name) => name,
      ),
    ),
    section(
      'Rows by match probability of their best candidate',
      histogram(report.probabilities, report.min_probability),
      `A row is matched when the match probability of its best candidate is at least ${report.min_probability.toFixed(2)} and no other candidate comes close. A column's height follows the square root of its rows, so that small counts stay visible; its number of rows stands above it.`,
    ),
    section('What rows were searched by', table(['column', 'read as', 'recognised by', 'rows with it', 'matched of these', 'matched by it'], report.columns.map(({ column, field, by, rows: count, matched, agreed }) => [column, field, by, number(count), part(matched, count), part(agreed, count)])), 'matched by it: what the row says there is what we have of the person'), // prettier-ignore
    section('What rows were matched by', bars(report.matched_by.slice(0, 15).map(({ by, rows: count }) => [by.replaceAll(' ', ' + ') || '(nothing)', count, share(count)]), top(report.matched_by))), // prettier-ignore
    section('Why rows were not matched', bars(report.reasons.map(({ reason, rows: count }) => [reason, count, share(count)]), top(report.reasons))), // prettier-ignore
    section('Coverage', bars(report.field_coverage.map(({ field, rows: count, share: of }) => [field.replaceAll('_', ' '), count, `${(100 * of).toFixed(1)} %`]), statuses.matched), 'of the matched rows, those that have anything of the field'), // prettier-ignore
    section('Coverage by column', `<details><summary>all ${report.coverage.length} columns</summary>${bars(report.coverage.map(({ column, rows: count, share: of }) => [column, count, `${(100 * of).toFixed(1)} %`]), statuses.matched)}</details>`), // prettier-ignore
    section('Where matched people live', map(report) + table(['county', 'state', 'rows'], report.counties.slice(0, 15).map(({ name, state, rows: count }) => [name, state, number(count)])), 'of those with a ZIP code, by the county that its middle lies in'), // prettier-ignore
    section(
      'By state',
      bars(
        report.states.map(({ state, rows: count }) => [state, count, share(count)]),
        top(report.states),
      ),
    ),
    section('Matched with the lowest probabilities', table(['row', 'match probability', 'why'], report.worst.map(({ row, match_probability, reason }) => [number(row), match_probability.toFixed(2), reason]))), // prettier-ignore
    section('Slowest rows', table(['row', 'milliseconds'], report.slowest.map(({ row, microseconds }) => [number(row), (microseconds / 1000).toFixed(2)]))), // prettier-ignore
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Enrichment report: ${escaped(report.input)}</title><style>${STYLE}</style></head>
<body>${sections.join('\n')}<footer>Rows are told by their number in the list; nothing of what they say is in this report.</footer></body></html>
`
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2733;--soft:#5c6b7a;--line:#dfe5ea;--paper:#fff;--fill:#2b6cb0;--low:#cfe0f1}
@media (prefers-color-scheme:dark){:root{--ink:#e7edf3;--soft:#9fb0c0;--line:#33414f;--paper:#161d25;--fill:#63a4e0;--low:#25405c}}
*{box-sizing:border-box}body{margin:0 auto;max-width:62rem;padding:2rem 1.25rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;margin:0 0 1rem}h2{font-size:1.05rem;margin:2.2rem 0 .2rem}p{margin:0 0 .6rem;color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:500}td.n,th.n{text-align:right;white-space:nowrap}td.bar{width:45%}
.bar i{display:block;height:.8rem;background:var(--fill);border-radius:2px;min-width:1px}
summary{cursor:pointer;color:var(--soft)}.wide{overflow-x:auto}svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
footer{margin-top:3rem;color:var(--soft);border-top:1px solid var(--line);padding-top:.8rem}`

const part = (count: number, of: number): string => (of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`)

function section(title: string, body: string, note = ''): string {
  return `<section><h2>${escaped(title)}</h2>${note === '' ? '' : `<p>${escaped(note)}</p>`}<div class="wide">${body}</div></section>`
}

function definitions(facts: readonly [string, string][]): string {
  return `<dl>${facts.map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`).join('')}</dl>`
}

function bars(
  rows: readonly (readonly [string, number, string])[],
  most: number,
  shown: (name: string) => string = (name) => name,
): string {
  const lines = rows.map(
    ([name, count, share]) =>
      `<tr><td>${escaped(shown(name))}</td><td class="n">${number(count)}</td><td class="n">${share}</td><td class="bar">${count === 0 ? '' : `<i style="width:${((100 * count) / Math.max(1, most)).toFixed(2)}%"></i>`}</td></tr>`,
  )
  return `<table>${lines.join('')}</table>`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>none</p>'
  const numeric = heads.map((_, column) =>
    rows.every((row) => /^(?:[\d,.]+(?: %)?|–)$/.test(row[column] ?? '')),
  )
  const cell = (tag: string, text: string, column: number): string =>
    `<${tag}${numeric[column] === true ? ' class="n"' : ''}>${escaped(text)}</${tag}>`
  const head = `<tr>${heads.map((text, column) => cell('th', text, column)).join('')}</tr>`
  return `<table>${head}${rows.map((row) => `<tr>${row.map((text, column) => cell('td', text, column)).join('')}</tr>`).join('')}</table>`
}

/**
 * Draws a column for each 0.05 of probability. Its height follows the square root of its rows, so that small counts stay visible
 * beside large ones.
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

/** Counties shaded by their matched people, in steps of ten times as many. */
function map({ counties }: Report): string {
  if (counties.length === 0) return ''
  const rows = new Map(counties.map(({ fips, rows: count, name, state }) => [fips, { count, name, state }]))
  const most = Math.log10(top(counties) + 1)
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

function decimal(percent: number): string {
  return (percent / 100).toFixed(2)
}

function top(list: readonly { readonly rows: number }[]): number {
  return list.reduce((most, { rows }) => Math.max(most, rows), 0)
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!)
}
