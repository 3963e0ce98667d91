import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { machineLine } from '../machine.ts'

const RESULTS = fileURLToPath(new URL('../results/worlds', import.meta.url))

const Figures = z.object({ f1: z.number(), precision: z.number(), recall: z.number() })
const Band = z.object({ from: z.number(), edges: z.number(), expected: z.number(), observed: z.number() })
const WorldFigures = z.object({
  name: z.string(),
  setting: z.string(),
  records: z.number(),
  truePairs: z.number(),
  trained: Figures,
  truthTrained: Figures,
  bands: z.array(Band),
  seconds: z.number(),
  /** The day on which it was measured. */
  measuredOn: z.string(),
  /** F1 without a group of columns, and what adding them changes. */
  leftOut: z.array(z.object({ columns: z.string(), f1: z.number(), change: z.number() })).optional(),
  splink: Figures.extend({ threshold: z.number().nullable() }).optional(),
})
export type WorldFigures = z.output<typeof WorldFigures>
type Band = z.output<typeof Band>

const JUDGED_PAIRS = 200
const MAY_BE_OFF = 0.05
/** By so much may the trained model fall behind the truth-trained one, and more evidence lower F1. */
const MAY_BE_LESS = 0.01
const MAY_LOWER = 0.005

/** How a band is judged: off by more than .05, within it, or of too few pairs to tell. */
export function judgementOf({ edges, expected, observed }: Band): 'off' | 'within .05' | 'too few' {
  if (edges < JUDGED_PAIRS) return 'too few'
  return Math.abs(expected - observed) <= MAY_BE_OFF ? 'within .05' : 'off'
}

/** Adds figures to `results/worlds.json`, where those of worlds that did not run stay, and writes `results/worlds.md` from it. */
export function saveResults(found: readonly WorldFigures[], order: readonly string[]): void {
  const json = `${RESULTS}.json`
  const before = existsSync(json) ? z.array(WorldFigures).parse(JSON.parse(readFileSync(json, 'utf8'))) : []
  const byName = new Map(before.map((one) => [one.name, one]))
  for (const one of found) {
    const older = byName.get(one.name)
    // Splink's figure is of the world alone; what columns add is of the linker that found it, and goes with the older row.
    const isSameWorld = older?.records === one.records && older.truePairs === one.truePairs
    byName.set(one.name, isSameWorld && one.splink === undefined ? { ...one, splink: older.splink } : one)
  }
  const all = order.flatMap((name) => byName.get(name) ?? [])
  writeFileSync(json, `${JSON.stringify(all, rounded, 2)}\n`)
  writeFileSync(`${RESULTS}.md`, tableOf(all))
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(6)) : value
}

function tableOf(all: readonly WorldFigures[]): string {
  const lines = [
    '# Invented worlds and public sets',
    '',
    'Written by `npm run bench:link -- --worlds --leave-out --splink` (`test/bench/README.md` says what the columns are).',
    '',
    machineLine(),
    '',
    '| world | records | true pairs | trained F1 (precision, recall) | truth-trained F1 | difference | Splink 5.0.0, best threshold | calibration error | worst band | measured |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...all.map((one) => {
      const less = one.truthTrained.f1 - one.trained.f1
      const splink =
        one.splink === undefined ? '' : mark(digits(one.splink.f1), one.splink.f1 > one.trained.f1)
      return row([
        one.name,
        one.records.toLocaleString('en-US'),
        one.truePairs.toLocaleString('en-US'),
        `${digits(one.trained.f1)} (${digits(one.trained.precision)}, ${digits(one.trained.recall)})`,
        digits(one.truthTrained.f1),
        mark(digits(less), less > MAY_BE_LESS),
        splink,
        digits(calibrationError(one.bands)),
        worstBand(one.bands),
        one.measuredOn,
      ])
    }),
    '',
    'Bold: a truth-trained F1 more than .01 above the trained one, a Splink F1 above the trained one, a band off by more than .05.',
    'Calibration error: the mean difference between the stated probability and the share that held, over the pairs of all bands.',
    bandCounts(all),
    '',
    '## Settings',
    '',
    ...all.map(({ name, setting }) => `- **${name}**: ${setting}`),
    '',
    '## What columns add',
    '',
    'Trained F1 with all columns less the F1 without these. Bold: more evidence lowers F1 by more than .005.',
    '',
    '| world | columns | F1 without them | they add |',
    '| --- | --- | --- | --- |',
    ...all.flatMap(({ name, leftOut }) =>
      (leftOut ?? []).map(({ columns, f1, change }) =>
        row([name, columns, digits(f1), mark(digits(change), change < -MAY_LOWER)]),
      ),
    ),
    '',
    '## Bands',
    '',
    'Scored pairs by stated probability: the mean of what was stated, the share that held, pairs. Only bands of 200 pairs and more.',
    '',
    `| world | ${BAND_NAMES.join(' | ')} |`,
    `| --- |${' --- |'.repeat(BAND_NAMES.length)}`,
    ...all.map(({ name, bands }) => row([name, ...bands.map(bandCell)])),
    '',
  ]
  return lines.join('\n')
}

const BAND_NAMES = ['.5–.6', '.6–.7', '.7–.8', '.8–.9', '.9–.95', '.95–.99', '.99–.999', '.999–1']

function bandCell(band: Band): string {
  const judgement = judgementOf(band)
  if (judgement === 'too few') return ''
  const text = `${digits(band.expected)}, ${digits(band.observed)}, ${band.edges.toLocaleString('en-US')}`
  return mark(text, judgement === 'off')
}

function worstBand(bands: readonly Band[]): string {
  const judged = bands.map((band, b) => ({ band, name: BAND_NAMES[b]! }))
  const counted = judged.filter(({ band }) => judgementOf(band) !== 'too few')
  const offBy = ({ expected, observed }: Band): number => Math.abs(expected - observed)
  const worst = counted.reduce<(typeof judged)[number] | undefined>(
    (one, other) => (one === undefined || offBy(other.band) > offBy(one.band) ? other : one),
    undefined,
  )
  if (worst === undefined) return 'too few pairs'
  const { expected, observed } = worst.band
  return mark(
    `${worst.name}: ${digits(expected)} stated, ${digits(observed)} held`,
    judgementOf(worst.band) === 'off',
  )
}

/** The mean of |stated − held| over the bands, weighted by their pairs: the expected calibration error. */
function calibrationError(bands: readonly Band[]): number {
  const pairs = bands.reduce((sum, { edges }) => sum + edges, 0)
  const off = bands.reduce(
    (sum, { edges, expected, observed }) => sum + edges * Math.abs(expected - observed),
    0,
  )
  return pairs === 0 ? 0 : off / pairs
}

function bandCounts(all: readonly WorldFigures[]): string {
  const judged = all.flatMap(({ bands }) => bands).filter((band) => judgementOf(band) !== 'too few')
  const off = judged.filter((band) => judgementOf(band) === 'off')
  const tooSure = off.filter(({ expected, observed }) => expected > observed)
  return `${judged.length} bands have enough pairs; ${off.length} are off: ${tooSure.length} state too much, ${off.length - tooSure.length} too little.`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

// 0.9731 as .9731.
function digits(value: number): string {
  return value.toFixed(4).replace(/^(-?)0\./, '$1.')
}

function mark(text: string, isMarked: boolean): string {
  return isMarked ? `**${text}**` : text
}
