import { LEAST_BITS } from '../cluster/clusters.ts'
import type { RefusedModel } from '../model/check-model.ts'
import type { LinkModel } from '../model/model.ts'
import { bars, escaped, header, htmlPage, number, percent, section, table } from '../../report-page.ts'
import type { Band, ReportFacts } from './report-facts.ts'

/** Returns the report of a linkage run as one HTML page. */
export function reportHtml(facts: ReportFacts): string {
  const { report, today, people, faults, dropped, oversized } = facts
  const limit = number(report.model.block_limit)
  const sections = [
    header(`Linkage of ${today}`, [
      ['kind of run', RUNS[report.kind]],
      ['records', number(report.records)],
      ['records added, changed or removed', number(report.changed)],
      ['pairs scored', number(report.pairs)],
      ['edges', `${number(report.edges)} pairs with a match weight of ${signed(LEAST_BITS)} or more`],
      ['model', report.model.is_default === true ? 'the default model of Platbook' : `trained on ${report.model.trained_on} from ${number(report.model.record_count)} records`], // prettier-ignore
    ]),
    ...(people === null ? [] : idSections(facts, people)),
    ...(facts.sections ?? []).map(({ title, titles, rows }) => section(title, table(titles, rows, 0))),
    ...(report.refused === null ? [] : [refusedSection(report.refused)]),
    section(
      'Input that looks wrong',
      table(['records', 'problem'], faults.map(({ records, what }) => [number(records), what]), 1),
      'Values that more people share than is likely, and sources whose records look unlike what the source promises.',
    ), // prettier-ignore
    section(
      'Weights',
      weights(report.model),
      'The share of each level among pairs of one person and among pairs of two people, and the match weight that follows. A match weight of +1 doubles the odds that two records are one person; −1 halves them. Two corrections are not shown: an exact agreement also counts by how rare its value is, and people who could be relatives get less for what households share.',
    ),
    section(
      'Match weights of the edges',
      bars(
        ['match weight', 'edges'],
        facts.scores.map(({ label, size }) => ({ label: label.replace('-', '−'), size })),
      ),
      `A match weight of 0 means even odds. Records with an edge of 0 or more become one person unless other records contradict. Pairs below ${signed(LEAST_BITS)} are not kept.`,
    ),
    section(
      'Reliability',
      reliability(facts.reliability),
      'Each line compares two shares of the edges in a band of match probability: the share that should be one person by the model, and the share whose records are in one cluster. platbook evaluate compares clusters with a known truth.',
    ),
    section(
      'Records per person',
      bars(['records', 'people'], facts.sizes),
      report.cut === 0
        ? ''
        : `${number(report.cut)} ${report.cut === 1 ? 'group' : 'groups'} of more than 100 connected records, cut at the weakest edges.`,
    ),
    section(
      'Oversized blocks',
      table(['key', 'blocks', 'not compared'], oversized.map(({ rule, blocks, dropped: count }) => [plus(rule), number(blocks), number(count)])), // prettier-ignore
      `Blocks of more than ${limit} records. Their records are compared only when they share a second key. A block without a second key is not compared.`,
    ),
    section(
      'Largest blocks not compared',
      table(['key', 'records', 'source of one record'], dropped.map(({ rule, records, source_id }) => [plus(rule), number(records), source_id])), // prettier-ignore
      'This page shows no data of people, so the shared values are missing. The table link.dropped_blocks in the warehouse names one record of each block.',
    ),
    section(
      'Identifiers and traits without a weight',
      table(
        ['kind', 'records', 'a newly trained model'],
        facts.unknown.map(({ kind, records, isLearnable }) => [
          kind,
          number(records),
          isLearnable ? 'would compare it' : 'cannot compare it: too many kinds',
        ]),
      ),
      'The model has no weight for these: no record had them when the model was trained, or there are more kinds than a model compares. platbook link --train trains a new model.',
    ),
    section(
      'Drift of the model',
      table(['level', 'match weight in the model', 'match weight after training'], report.drift.map(({ comparison, level, bits, fresh }) => [`${comparison}: ${level}`, signed(bits), signed(fresh)])), // prettier-ignore
      'Match weights that differ by 0.5 or more from those of a model trained on the current records. Only a full run (platbook link --full) computes these differences; an incremental run does not.',
    ),
  ]
  return htmlPage(`Linkage of ${today}`, sections)
}

function idSections({ today, events }: ReportFacts, people: NonNullable<ReportFacts['people']>): string[] {
  return [
    section(
      'Compared with the run before',
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
    // The history keeps days only, so the events of several runs on one day are shown together.
    section(`Ids on ${today}`, events.length === 0 ? '<p>No person id changed.</p>' : `<ul>${events.map((event) => `<li>${escaped(event)}</li>`).join('')}</ul>`), // prettier-ignore
  ]
}

function refusedSection({ trainedOn, records, faults, instead }: RefusedModel): string {
  return section(
    'Model refused',
    table(['check', 'finding'], faults.map(({ check, what }) => [words(check), what]), 1), // prettier-ignore
    `The model trained on ${trainedOn} from ${number(records)} records failed its checks and is not used. Records are linked by ${instead === 'last' ? 'the model used before' : 'the default model of Platbook, which finds fewer pairs'}. The weights on this page are those of the model in use.`,
  )
}

const RUNS = {
  trained: 'full run with a newly trained model',
  full: 'full run with the model of an earlier run',
  changes: 'incremental run: added, changed and removed records against all records',
  unchanged: 'no record had changed',
} as const

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
  return `<table class="bars"><tr><th>comparison</th><th>level</th><th class="n spare">one person</th><th class="n spare">two people</th><th class="n">match weight</th><th></th></tr>${lines.join('')}</table>`
}

function reliability(rows: readonly Band[]): string {
  return table(
    ['match probability', 'edges', 'one person, expected', 'in one cluster'],
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
