import { compareBirthDates, isWholeDate } from '../compare/birth-dates.ts'
import { BIRTH } from '../compare/levels.ts'
import type { Blocks } from '../block/blocking.ts'
import { candidatePatterns, sampleShift } from './count-patterns.ts'
import { totalPairs } from './draw-pairs.ts'
import type { FrequencyWeights } from './frequencies.ts'
import { type Records, SLOT } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { type Evidence, type ModelFault, modelFaults } from './model-checks.ts'
import type { LinkThreads } from '../threads/threads.ts'

/** A newly trained model that failed the model checks and is not used. */
export interface RefusedModel {
  readonly trainedOn: string
  readonly records: number
  readonly faults: readonly ModelFault[]
  /** The model used instead: `last` is the model of the last run, `default` the one that ships with Platbook. */
  readonly instead: 'last' | 'default'
}

/** Number of candidate pairs that the checks read at most. */
const SAMPLE_PAIRS = 300_000
/** Number of birth dates per cluster that are compared at most. */
const MOST_DATES = 20

/** The parts of a full run that the checks read. */
export interface CheckedRun {
  readonly records: Records
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
  readonly model: LinkModel
  readonly pairs: number
  readonly clusters: { readonly smallest: Int32Array }
}

/**
 * Checks a newly trained model against the candidate pairs and clusters of the run that used it. Returns the reasons
 * to refuse the model. `before` is the model of the last run.
 */
export async function checkModel(
  run: CheckedRun,
  before: LinkModel | undefined,
  threads: LinkThreads,
): Promise<ModelFault[]> {
  const { records, blocks, frequencies, model, clusters } = run
  const shift = sampleShift(run.pairs, SAMPLE_PAIRS)
  return modelFaults(
    model,
    {
      attributes: records.attributes,
      candidates: await candidatePatterns({ records, blocks, frequencies, shift }, threads),
      scale: 2 ** shift,
      records: records.count,
      totalPairs: totalPairs(records),
      ...clusterEvidence(records, clusters.smallest),
    },
    before,
  )
}

/**
 * Counts pairs inside clusters, and clusters whose birth dates contradict each other. `smallest` has, per record, the
 * smallest record number of its cluster.
 */
export function clusterEvidence(
  { rows, width, count }: Pick<Records, 'rows' | 'width' | 'count'>,
  smallest: Int32Array,
): Pick<Evidence, 'foundPairs' | 'datedClusters' | 'contradicting'> {
  const sizes = new Int32Array(count)
  const dates = new Map<number, number[]>()
  for (let i = 0; i < count; i++) {
    const cluster = smallest[i]!
    sizes[cluster]!++
    const birth = rows[i * width + SLOT.birth]!
    if (!isWholeDate(birth)) continue
    const own = dates.get(cluster)
    if (own === undefined) dates.set(cluster, [birth])
    else if (own.length < MOST_DATES) own.push(birth)
  }
  let foundPairs = 0
  for (const size of sizes) foundPairs += (size * (size - 1)) / 2
  let [datedClusters, shares] = [0, 0]
  for (const births of dates.values()) {
    if (births.length < 2) continue
    datedClusters++
    shares += contradictingShare(births)
  }
  return { foundPairs, datedClusters, contradicting: shares / Math.max(1, datedClusters) }
}

function contradictingShare(births: readonly number[]): number {
  let contradicting = 0
  births.forEach((one, at) => {
    for (const other of births.slice(at + 1))
      if (compareBirthDates(one, other) === BIRTH.different) contradicting++
  })
  return contradicting / ((births.length * (births.length - 1)) / 2)
}
