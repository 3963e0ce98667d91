import type { RandomPairs } from '../model/birth-pairs.ts'
import type { FrequencyWeights } from '../model/frequencies.ts'
import { GrowingIntegers } from '../records/growing.ts'
import { goneBelow, type Mentions } from '../records/mentions.ts'
import { panelPairs, type SomeBlocks } from './night-pairs.ts'
import { totalPairs } from '../model/random-pairs.ts'
import { countPatterns } from '../score/score.ts'
import type { Agreements } from '../model/term-counts.ts'
import { mixInto } from '../records/texts.ts'
import { type Estimate, estimate } from '../model/train.ts'

/** Records that stand for all when a night asks whether the model still fits: one in 2^shift, by record id alone. */
export interface Panel {
  readonly records: Int32Array
  readonly shift: number
}

// Their candidates are some ten thousand pairs: a twentieth of the time of a night with a hundredth of a million new.
const MOST_RECORDS = 512

/** The panel among some mentions. */
export function drawPanel({ ranks, count }: Pick<Mentions, 'ranks' | 'count'>): Panel {
  let shift = 0
  while (count / 2 ** shift > MOST_RECORDS) shift++
  const mask = 2 ** shift - 1
  const records = new GrowingIntegers()
  for (let i = 0; i < count; i++) {
    if (ranks[i]! >= 0 && (mixInto(0x165667b1, ranks[i]! | 0) & mask) === 0) records.push(i)
  }
  return { records: records.view(), shift }
}

export interface PanelInput {
  readonly mentions: Mentions
  readonly frequencies: FrequencyWeights
  readonly agreements: Agreements
  /** How pairs drawn at random agreed when everything was last linked. */
  readonly random: RandomPairs
  readonly panel: Panel
  /** Blocks of the panel. */
  readonly blocks: readonly SomeBlocks[]
}

/** What EM makes of a panel, and by how many true pairs it knows each comparison. */
export interface PanelEstimate {
  readonly fresh: Estimate
  readonly known: ReadonlyMap<string, number>
}

/**
 * EM over the panel's candidates. How often matches agree in what way (m) is tonight's; how often strangers do (u) is
 * what was counted when everything was last linked, how frequent values are what the last training counted.
 */
export function panelEstimate({
  mentions,
  frequencies,
  agreements,
  random,
  panel,
  blocks,
}: PanelInput): PanelEstimate {
  const night = panelPairs(blocks, panel.records, mentions.count)
  const units: [number, number][] = [[0, night.records.length]]
  const { patterns: candidates } = countPatterns({ mentions, night, frequencies }, 0, () => units.pop())
  const { estimate: fresh, known } = estimate({
    attributes: mentions.attributes,
    candidates,
    candidateScale: 2 ** panel.shift,
    random,
    totalPairs: totalPairs(mentions),
    recordCount: mentions.count - goneBelow(mentions, mentions.count).length,
    agreements,
  })
  // Of the pairs of one record, which go wrong together, one counts.
  const matches = new Map([...known].map(([name, pairs]) => [name, Math.min(panel.records.length, pairs)]))
  return { fresh, known: matches }
}
