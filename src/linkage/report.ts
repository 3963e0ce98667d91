import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import type { LinkNightReport } from './link-night.ts'
import { ruleName } from './block-keys.ts'
import type { LinkModel } from './model.ts'

const Bar = z.object({ label: z.string(), size: z.number() })
type Bar = z.output<typeof Bar>

export interface ReportInput {
  readonly report: LinkNightReport
  readonly today: string
  /** What the caller says of the people that came of it: counts of this run and of the one before (null: there was none). */
  readonly people: readonly { label: string; now: number; before: number | null }[]
}

/** The linkage at a glance, one self-contained page: weights, scores, cluster sizes, what was left out, what changed. */
export async function reportPage(
  db: DuckDBConnection,
  { report, today, people }: ReportInput,
): Promise<string> {
  const scores = await query(
    db,
    `select lpad((floor(bits / 2) * 2)::integer::varchar, 2, ' ') || ' bits' as label, count(*)::double as size
    from link.pair_edges group by floor(bits / 2) order by floor(bits / 2)`,
    Bar,
  )
  const sizes = await query(
    db,
    `select size || case when size = 1 then ' record' else ' records' end as label, count(*)::double as size_count
    from (
      select count(*) as size from link.groups group by cluster
      union all select 1 from link.coded_records anti join link.groups using (record_number)
    ) group by size order by size`,
    z
      .object({ label: z.string(), size_count: z.number() })
      .transform(({ label, size_count }) => ({ label, size: size_count })),
  )
  const reliability = await query(
    db,
    `select printf('%.2f to %.2f', floor(p * 20) / 20, floor(p * 20) / 20 + 0.05) as label, count(*)::double as size
    from (select least(0.9999, 1 / (1 + pow(2, -bits))) as p from link.pair_edges) group by floor(p * 20) order by floor(p * 20)`,
    Bar,
  )
  const dropped = await query(
    db,
    `select node, record_count, record_id
    from link.dropped_blocks join link.coded_records using (record_number)
    order by record_count desc, node, record_id limit 50`,
    z.object({ node: z.int(), record_count: z.int(), record_id: z.string() }),
  )
  return page([
    `<h1>Linkage of ${escaped(today)}</h1>`,
    table([
      ['run', report.kind],
      ['records', number(report.records)],
      ['came, changed or left', number(report.changed)],
      ['pairs weighed', number(report.pairs)],
      ['edges', number(report.edges)],
      ['model of', `${report.model.trained_on}, ${number(report.model.record_count)} records`],
    ]),
    '<h2>Against the run before</h2>',
    table(
      people.map(({ label, now, before }) => [
        label,
        number(now),
        before === null ? '' : `${now < before ? '−' : '+'}${number(Math.abs(now - before))}`,
      ]),
    ),
    '<h2>Weights</h2><p>What each level adds to (right) or takes from (left) the odds, in bits.</p>',
    weightChart(report.model),
    '<h2>Weights of the edges</h2>',
    barChart(scores),
    '<h2>Probabilities of the edges</h2><p>Of the edges in a row, that share should be right; <code>platbook evaluate</code> shows it against a truth.</p>',
    barChart(reliability),
    '<h2>Records per person</h2>',
    barChart(sizes),
    '<h2>Blocks not compared</h2>',
    '<p>Too many records share the value, and no further key splits them.</p>',
    table(
      dropped.map(({ node, record_count, record_id }) => [
        ruleName(node),
        `${number(record_count)} records, ${escaped(record_id)} among them`,
      ]),
    ),
    `<p>Components above the limit, cut at their weak edges: ${report.cut}.</p>`,
    '<h2>Drift of the model</h2>',
    '<p>What training anew would change; looked for when everything is linked (<code>platbook link --full</code>).</p>',
    table(
      report.drift.map(({ comparison, level, bits, fresh }) => [
        `${comparison}: ${level}`,
        `${bits.toFixed(1)} → ${fresh.toFixed(1)} bits`,
      ]),
    ),
  ])
}

const ROW = 18
const LABEL = 220
const WIDTH = 760

function weightChart(model: LinkModel): string {
  const rows = model.comparisons.flatMap(({ comparison, levels }) =>
    levels.map(({ level, m, u }) => ({ label: `${comparison}: ${level}`, bits: Math.log2(m / u) })),
  )
  const most = Math.max(1, ...rows.map(({ bits }) => Math.abs(bits)))
  const middle = LABEL + (WIDTH - LABEL) / 2
  const scale = (WIDTH - LABEL) / 2 / most - 4
  const bars = rows.map(({ label, bits }, k) => {
    const length = Math.abs(bits) * scale
    const x = bits < 0 ? middle - length : middle
    return `${textAt(0, k, label)}<rect x="${x.toFixed(1)}" y="${k * ROW + 3}" width="${length.toFixed(1)}" height="12" class="${bits < 0 ? 'against' : 'for'}"/>${textAt(bits < 0 ? middle + 6 : middle - 44, k, bits.toFixed(1))}`
  })
  return svg(rows.length, bars.join(''))
}

function barChart(rows: readonly Bar[]): string {
  if (rows.length === 0) return '<p>None.</p>'
  const most = Math.max(...rows.map(({ size }) => size))
  const bars = rows.map(({ label, size }, k) => {
    const length = Math.max(1, (size / most) * (WIDTH - LABEL - 90))
    return `${textAt(0, k, label)}<rect x="${LABEL}" y="${k * ROW + 3}" width="${length.toFixed(1)}" height="12" class="for"/>${textAt(LABEL + length + 6, k, number(size))}`
  })
  return svg(rows.length, bars.join(''))
}

function textAt(x: number, row: number, text: string): string {
  return `<text x="${x.toFixed(1)}" y="${row * ROW + 13}">${escaped(text)}</text>`
}

function svg(rows: number, content: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${rows * ROW + 4}" width="${WIDTH}" role="img">${content}</svg>`
}

function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None.</p>'
  return `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('')}</table>`
}

function page(parts: readonly string[]): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Linkage</title><style>
body{font:14px/1.5 system-ui,sans-serif;max-width:820px;margin:2em auto;padding:0 1em;color:#222}
svg text{font:11px system-ui,sans-serif;fill:#333}.for{fill:#2a7}.against{fill:#c54}td{padding:1px 16px 1px 0}
</style>${parts.join('\n')}</html>\n`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
