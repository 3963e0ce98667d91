/** Returns an HTML page whose body is `parts`, which are HTML. The page loads nothing: styles and pictures are inside it. */
export function htmlPage(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>${parts.join('\n')}</body></html>
`
}

/** Returns the top of a page: its title and a list of facts, each with its name. */
export function header(title: string, facts: readonly (readonly [name: string, text: string])[]): string {
  const lines = facts.map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`)
  return `<header><h1>${escaped(title)}</h1><dl>${lines.join('')}</dl></header>`
}

/** Returns a section as HTML. `body` is HTML, `note` is a text above it. */
export function section(title: string, body: string, note = ''): string {
  const text = note === '' ? '' : `<p>${escaped(note)}</p>`
  return `<section><h2>${escaped(title)}</h2>${text}<div class="wide">${body}</div></section>`
}

/** Returns a table as HTML; the cells are texts. Columns of numbers are aligned right, except column `label` (from 0). */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], label = 0): string {
  if (rows.length === 0) return '<p>None.</p>'
  const isNumber = titles.map((_, at) => at !== label && rows.every((row) => NUMBER.test(row[at] ?? '')))
  const line = (tag: 'td' | 'th', cells: readonly string[]): string =>
    `<tr>${cells.map((text, at) => `<${tag}${isNumber[at] === true ? ' class="n"' : ''}>${escaped(text)}</${tag}>`).join('')}</tr>`
  return `<table>${line('th', titles)}${rows.map((row) => line('td', row)).join('')}</table>`
}

export interface BarRow {
  readonly label: string
  /** The number that the length of the bar shows. */
  readonly size: number
  /** A text between number and bar. */
  readonly note?: string
}

/** Returns a table as HTML with a number and a bar per row. A number of `most` has a full bar (default: the largest number). */
export function bars(
  titles: readonly [label: string, size: string],
  rows: readonly BarRow[],
  most = Math.max(1, ...rows.map(({ size }) => size)),
): string {
  if (rows.length === 0) return '<p>None.</p>'
  const lines = rows.map(({ label, size, note }) => {
    const bar = size === 0 ? '' : `<i style="width:${((100 * size) / Math.max(1, most)).toFixed(2)}%"></i>`
    return `<tr><td>${escaped(label)}</td><td class="n">${number(size)}</td><td class="n">${escaped(note ?? '')}</td><td class="bar">${bar}</td></tr>`
  })
  const [label, size] = titles
  return `<table class="bars"><tr><th>${escaped(label)}</th><th class="n">${escaped(size)}</th><th></th><th></th></tr>${lines.join('')}</table>`
}

/** Returns a whole number with commas: `12,345`. */
export function number(value: number): string {
  return value.toLocaleString('en-US')
}

/** Returns a share as a percentage, with more digits the smaller it is. */
export function percent(share: number): string {
  const value = 100 * share
  if (value === 0) return '0 %'
  const digits =
    value >= 10 ? 1 : value >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(Math.max(value, 1e-6))))
  return `${value.toFixed(digits)} %`
}

/** Escapes a text for HTML elements and quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]!)
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const NUMBER = /^[−+–\d.,%\s]*$/

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2733;--soft:#5c6b7a;--line:#dfe5ea;--paper:#fff;--fill:#2b6cb0;--low:#cfe0f1;--against:#b7562c}
@media (prefers-color-scheme:dark){:root{--ink:#e7edf3;--soft:#9fb0c0;--line:#33414f;--paper:#161d25;--fill:#63a4e0;--low:#25405c;--against:#e08a5c}}
*{box-sizing:border-box}body{margin:0 auto;max-width:62rem;padding:2rem 1.25rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;margin:0 0 1rem}h2{font-size:1.15rem;margin:2.4rem 0 .2rem}p{margin:0 0 .6rem;color:var(--soft);max-width:46rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
ul{padding-left:1.2rem;overflow-wrap:anywhere}.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.1rem 1rem .1rem 0;vertical-align:top;overflow-wrap:break-word}
th{color:var(--soft);font-weight:500;border-bottom:1px solid var(--line)}td.n,th.n{text-align:right;white-space:nowrap}
table.bars{width:100%}td.bar{width:50%;min-width:6rem;padding-right:0;vertical-align:middle}td.bar i{display:block;height:.75rem;background:var(--fill);border-radius:2px;min-width:1px}
tr.first td{border-top:1px solid var(--line);padding-top:.35rem}tr.first+tr td{padding-top:.1rem}
td.two{width:40%;min-width:8rem;padding-right:0;vertical-align:middle}td.two div{display:flex;background:linear-gradient(var(--line),var(--line)) center/1px 100% no-repeat}
td.two i{height:.75rem;min-width:1px}td.two i.for{margin-left:50%;background:var(--fill);border-radius:0 2px 2px 0}td.two i.against{background:var(--against);border-radius:2px 0 0 2px}
summary{cursor:pointer;color:var(--soft)}svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
footer{margin-top:3rem;color:var(--soft);border-top:1px solid var(--line);padding-top:.8rem}
@media (max-width:36rem){body{padding:1.2rem .8rem;font-size:14px}th,td{padding-right:.6rem}.spare{display:none}td.bar{width:40%}}`
