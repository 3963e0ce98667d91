import type { RuleChanges } from './block-changes.ts'
import type { FrequencyWeights } from './frequencies.ts'
import { GrowingIntegers } from './growing.ts'
import type { Mentions } from './mentions.ts'
import { type Drift, driftBetween } from './model-file.ts'
import type { LinkModel } from './model.ts'
import { panelPairs } from './night-pairs.ts'
import { mergedPatterns, type PatternCounts } from './patterns.ts'
import { totalPairs } from './random-pairs.ts'
import { mixInto } from './texts.ts'
import type { LinkThreads } from './threads.ts'
import { estimate } from './train.ts'

/** Records that stand for all when a night asks whether the model still fits: one in 2^shift, by record id alone. */
export interface Panel {
  readonly records: Int32Array
  readonly shift: number
}

export const NO_PANEL: Panel = { records: new Int32Array(0), shift: 0 }

// Their candidates are some ten thousand pairs: a twentieth of the time of a night with a hundredth of a million new.
const MOST_RECORDS = 512

/** The panel among the mentions below `first`. */
export function drawPanel({ ranks }: Mentions, first: number): Panel {
  let shift = 0
  while (first / 2 ** shift > MOST_RECORDS) shift++
  const mask = 2 ** shift - 1
  const records = new GrowingIntegers()
  for (let i = 0; i < first; i++) {
    if (ranks[i]! >= 0 && (mixInto(0x165667b1, ranks[i]! | 0) & mask) === 0) records.push(i)
  }
  return { records: records.view(), shift }
}

interface PanelInput {
  readonly mentions: Mentions
  readonly frequencies: FrequencyWeights
  readonly model: LinkModel
  /** How pairs drawn at random agreed when a model was last learned. */
  readonly random: PatternCounts
  readonly panel: Panel
}

/**
 * Where EM over the panel's candidates differs from the model by more than chance. How often matches agree in what way (m) is tonight's;
 * how often strangers do (u), and how frequent values are, is what the last training counted.
 */
export async function panelDrift(
  { mentions, frequencies, model, random, panel }: PanelInput,
  changes: readonly RuleChanges[],
  threads: LinkThreads,
): Promise<Drift[]> {
  const night = panelPairs(changes, panel.records, mentions.count)
  const input = { mentions, night, frequencies }
  const found = await threads.run({ kind: 'patterns', input, shift: 0 })
  const candidates = mergedPatterns(found.map(({ patterns }) => patterns))
  const { estimate: fresh, known } = estimate({
    attributes: mentions.attributes,
    candidates,
    candidateScale: 2 ** panel.shift,
    random,
    totalPairs: totalPairs(mentions),
    recordCount: mentions.count,
    agreements: model.agreements,
  })
  // Of the pairs of one record, which go wrong together, one counts.
  const matches = new Map([...known].map(([name, pairs]) => [name, Math.min(panel.records.length, pairs)]))
  return driftBetween(model, fresh, matches)
}
