import { LEAST_BITS } from '../cluster/clusters.ts'
import type { RefusedModel } from '../model/check-model.ts'
import type { LinkModel } from '../model/model.ts'
import type { Band, Bar, ReportFacts } from './report.ts'

/** The page of a run. It needs nothing else: styles stand in it, and bars are boxes of a width. */
export function reportHtml(facts: ReportFacts): string {
  const { report, today, people, faults, dropped, oversized } = facts
  const limit = number(report.model.block_limit)
  const sections = [
    `<header><h1>Linkage of ${escaped(today)}</h1>${definitions([
      ['run', RUNS[report.kind]],
      ['records', number(report.records)],
      ['came, changed or left', number(report.changed)],
      ['pairs weighed', number(report.pairs)],
      ['edges', `${number(report.edges)} pairs of ${signed(LEAST_BITS)} bits and more`],
      ['model', report.model.is_default === true ? 'the default that ships with Platbook' : `of ${report.model.trained_on}, learned from ${number(report.model.record_count)} records`], // prettier-ignore
    ])}</header>`,
    ...(people === null ? [] : idSections(facts, people)),
    ...(facts.sections ?? []).map(({ title, titles, rows }) => section(title, table(titles, rows, 0))),
    ...(report.refused === null ? [] : [refusedSection(report.refused)]),
    section(
      'Input that looks wrong',
      table(['records', 'what'], faults.map(({ records, what }) => [number(records), what]), 1),
      'Values that cannot be so many people’s, and sources that are hardly as they mean to be.',
    ), // prettier-ignore
    section(
      'Weights',
      weights(report.model),
      'How often a level stands among pairs of one person and among pairs of strangers, and what it so adds to the odds or takes from them, in bits: one bit doubles them. Of a value by which records agree exactly, how frequent it is counts beside; of people who could be relatives, what households share is taken off.',
    ),
    section(
      'Scores of the edges',
      bars(facts.scores, 'bits', 'edges'),
      `0 bits are even odds: who has as much is one person unless other records of theirs say otherwise. Pairs of less than ${signed(LEAST_BITS)} bits are not kept.`,
    ),
    section(
      'Reliability',
      reliability(facts.reliability),
      'Of the edges in a row, that share should be of one person, and that share is in one cluster after all pairs of the records concerned were weighed. Against a truth: platbook evaluate.',
    ),
    section(
      'Records per person',
      bars(facts.sizes, 'records', 'people'),
      report.cut === 0
        ? ''
        : `${number(report.cut)} ${report.cut === 1 ? 'group' : 'groups'} of more than 100 records that hang together, cut at weak edges.`,
    ),
    section(
      'Oversized blocks',
      table(['key', 'blocks', 'not compared'], oversized.map(({ rule, blocks, dropped: count }) => [plus(rule), number(blocks), number(count)])), // prettier-ignore
      `More than ${limit} records share the key. They are compared when they share a further key as well; where there is none the block is left out.`,
    ),
    section(
      'Largest blocks not compared',
      table(['key', 'records', 'source of one record'], dropped.map(({ rule, records, source_id }) => [plus(rule), number(records), source_id])), // prettier-ignore
      'The shared values are not shown: this page holds no data of people. link.dropped_blocks in the warehouse has a record of each block.',
    ),
    section(
      'Not known to the model',
      table(
        ['kind', 'records', 'a new model'],
        facts.unknown.map(({ kind, records, isLearnable }) => [
          kind,
          number(records),
          isLearnable ? 'compares it' : 'has no room for it',
        ]),
      ),
      'Numbers and traits that count nothing: no records had them when the model was learned (platbook link --train learns it anew), or there are more than it compares.',
    ),
    section(
      'Drift of the model',
      table(['level', 'bits in the model', 'learned anew'], report.drift.map(({ comparison, level, bits, fresh }) => [`${comparison}: ${level}`, signed(bits), signed(fresh)])), // prettier-ignore
      'What training anew would change by half a bit or more: over all records when everything is linked (platbook link --full), on other nights over a panel of some hundreds, and then by more than chance.',
    ),
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linkage of ${escaped(today)}</title><style>${STYLE}</style></head>
<body>${sections.join('\n')}</body></html>
`
}

function idSections({ today, events }: ReportFacts, people: NonNullable<ReportFacts['people']>): string[] {
  return [
    section(
      'Against the run before',
      table(
        ['', 'this run', 'run before', 'change'],
        people.map(({ label, now, before }) => [
          label,
          number(now),
          before === null ? '–' : number(before),
          change(now, before),
        ]),
      ),
    ),
    // Several runs a day are one day in the history.
    section(`Ids on ${today}`, events.length === 0 ? '<p>No person id changed.</p>' : `<ul>${events.map((event) => `<li>${escaped(event)}</li>`).join('')}</ul>`), // prettier-ignore
  ]
}

function refusedSection({ trainedOn, records, faults, instead }: RefusedModel): string {
  return section(
    'Model refused',
    table(['check', 'what it found'], faults.map(({ check, what }) => [words(check), what]), 1), // prettier-ignore
    `The model learned on ${trainedOn} from ${number(records)} records failed its checks and is not used. Records are linked by ${instead === 'last' ? 'the model used before' : 'the default model of Platbook, which finds fewer pairs'}. Weights below are of that model.`,
  )
}

const RUNS = {
  trained: 'everything, after learning a new model',
  full: 'everything, by the model that was there',
  changes: 'what came, changed or left, with everything',
  unchanged: 'nothing had changed',
} as const

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2733;--soft:#5c6b7a;--line:#dfe5ea;--paper:#fff;--for:#2b6cb0;--against:#b7562c}
@media (prefers-color-scheme:dark){:root{--ink:#e7edf3;--soft:#9fb0c0;--line:#33414f;--paper:#161d25;--for:#63a4e0;--against:#e08a5c}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;margin:0 0 1rem}h2{font-size:1.15rem;margin:2.4rem 0 .2rem}p{margin:0 0 .6rem;color:var(--soft);max-width:46rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
ul{padding-left:1.2rem;overflow-wrap:anywhere}.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.1rem 1rem .1rem 0;vertical-align:top;overflow-wrap:break-word}
th{color:var(--soft);font-weight:500;border-bottom:1px solid var(--line)}td.n,th.n{text-align:right;white-space:nowrap}
table.bars{width:100%}td.bar{width:55%;min-width:6rem;padding-right:0;vertical-align:middle}td.bar i{display:block;height:.75rem;background:var(--for);border-radius:2px;min-width:1px}
tr.first td{border-top:1px solid var(--line);padding-top:.35rem}tr.first+tr td{padding-top:.1rem}
td.two{width:40%;min-width:8rem;padding-right:0;vertical-align:middle}td.two div{display:flex;background:linear-gradient(var(--line),var(--line)) center/1px 100% no-repeat}
td.two i{height:.75rem;min-width:1px}td.two i.for{margin-left:50%;background:var(--for);border-radius:0 2px 2px 0}td.two i.against{background:var(--against);border-radius:2px 0 0 2px}
@media (max-width:36rem){body{padding:1.2rem .8rem;font-size:14px}th,td{padding-right:.6rem}.spare{display:none}td.bar{width:40%}}`

function section(title: string, body: string, note = ''): string {
  return `<section><h2>${escaped(title)}</h2>${note === '' ? '' : `<p>${escaped(note)}</p>`}<div class="wide">${body}</div></section>`
}

function definitions(facts: readonly [string, string][]): string {
  return `<dl>${facts.map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`).join('')}</dl>`
}

function table(titles: readonly string[], rows: readonly (readonly string[])[], texts = 0): string {
  if (rows.length === 0) return '<p>None.</p>'
  const isNumber = titles.map((_, k) => k !== texts && rows.every((row) => /^[−+–\d.,%\s]*$/.test(row[k]!)))
  const cell = (tag: 'td' | 'th', text: string, k: number): string =>
    `<${tag}${isNumber[k] === true ? ' class="n"' : ''}>${escaped(text)}</${tag}>`
  return `<table><tr>${titles.map((title, k) => cell('th', title, k)).join('')}</tr>${rows
    .map((row) => `<tr>${row.map((text, k) => cell('td', text, k)).join('')}</tr>`)
    .join('')}</table>`
}

function weights({ comparisons, match_probability: prior, household_probability }: LinkModel): string {
  const unrelated = 1 - prior - household_probability
  const rows = [
    {
      comparison: 'prior',
      level: 'two records at random',
      m: prior,
      u: unrelated,
      bits: Math.log2(prior / unrelated),
    },
    ...comparisons.flatMap(({ comparison, levels }) =>
      levels.map(({ level, m, u }, k) => ({
        comparison: k === 0 ? comparison : '',
        level,
        m,
        u,
        bits: Math.log2(m / u),
      })),
    ),
  ]
  const most = Math.max(1, ...rows.map(({ bits }) => Math.abs(bits)))
  const lines = rows.map(({ comparison, level, m, u, bits }) => {
    const width = (50 * Math.abs(bits)) / most
    const bar =
      bits < 0
        ? `<i class="against" style="margin-left:${(50 - width).toFixed(2)}%;width:${width.toFixed(2)}%"></i>`
        : `<i class="for" style="width:${width.toFixed(2)}%"></i>`
    return `<tr${comparison === '' ? '' : ' class="first"'}><td>${escaped(words(comparison))}</td><td>${escaped(words(level))}</td><td class="n spare">${percent(m)}</td><td class="n spare">${percent(u)}</td><td class="n">${signed(bits)}</td><td class="two"><div>${bar}</div></td></tr>`
  })
  return `<table class="bars"><tr><th></th><th>level</th><th class="n spare">one person</th><th class="n spare">strangers</th><th class="n">bits</th><th></th></tr>${lines.join('')}</table>`
}

function bars(rows: readonly Bar[], label: string, unit: string): string {
  if (rows.length === 0) return '<p>None.</p>'
  const most = Math.max(...rows.map(({ size }) => size))
  const lines = rows.map(
    (row) =>
      `<tr><td class="n">${escaped(row.label.replace('-', '−'))}</td><td class="n">${number(row.size)}</td><td class="bar"><i style="width:${((100 * row.size) / most).toFixed(2)}%"></i></td></tr>`,
  )
  return `<table class="bars"><tr><th class="n">${label}</th><th class="n">${unit}</th><th></th></tr>${lines.join('')}</table>`
}

function reliability(rows: readonly Band[]): string {
  return table(
    ['probability', 'edges', 'of one person, expected', 'in one cluster'],
    rows.map(({ label, edges, expected, joined }) => [
      label,
      number(edges),
      percent(expected),
      percent(joined),
    ]),
    0,
  )
}

function change(now: number, before: number | null): string {
  if (before === null) return '–'
  return now === before ? '0' : `${now < before ? '−' : '+'}${number(Math.abs(now - before))}`
}

function plus(rule: string): string {
  return words(rule).replaceAll('+', ' + ')
}

function words(name: string): string {
  return name.replaceAll('_', ' ')
}

function signed(bits: number): string {
  return `${bits < 0 ? '−' : '+'}${Math.abs(bits).toFixed(1)}`
}

/** A share with as many digits as it takes to see that it is not nothing. */
function percent(share: number): string {
  const value = 100 * share
  const digits =
    value >= 10 ? 1 : value >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(Math.max(value, 1e-6))))
  return `${value.toFixed(digits)} %`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
