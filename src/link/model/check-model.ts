import { compareBirthDates } from '../compare/birth-dates.ts'
import { BIRTH } from '../compare/levels.ts'
import type { Blocks } from '../block/blocking.ts'
import { COUNT_CANDIDATES } from './count-patterns.ts'
import type { FrequencyWeights } from './frequencies.ts'
import { type Records, SLOT } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { type Evidence, type ModelFault, modelFaults } from './model-checks.ts'
import { mergedPatterns } from './patterns.ts'
import { totalPairs } from './random-pairs.ts'
import type { LinkThreads } from '../threads/threads.ts'

/** A model that was learned and not used. */
export interface RefusedModel {
  readonly trainedOn: string
  readonly records: number
  readonly faults: readonly ModelFault[]
  /** What the records were linked by instead: the model that was used before, or the one that ships with Platbook. */
  readonly instead: 'last' | 'default'
}

/** Pairs whose agreement the checks look at. */
const SAMPLE_PAIRS = 300_000
/** Dates of one cluster that are compared with each other. */
const MOST_DATES = 20

/** A full run, as far as the checks look at it. */
export interface CheckedRun {
  readonly records: Records
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
  readonly model: LinkModel
  readonly pairs: number
  readonly clusters: { readonly smallest: Int32Array }
}

/** Checks the model by which a run was just linked against the run's own pairs and clusters. */
export async function checkModel(
  run: CheckedRun,
  before: LinkModel | undefined,
  threads: LinkThreads,
): Promise<ModelFault[]> {
  const { records, blocks, frequencies, model, clusters } = run
  let shift = 0
  while (run.pairs / 2 ** shift > SAMPLE_PAIRS) shift++
  const found = await threads.run(
    COUNT_CANDIDATES,
    { records, blocks, frequencies, shift },
    { units: records.count, records: records.count },
  )
  return modelFaults(
    model,
    {
      attributes: records.attributes,
      candidates: mergedPatterns(found.map(({ patterns }) => patterns)),
      scale: 2 ** shift,
      records: records.count,
      totalPairs: totalPairs(records),
      ...clusterEvidence(records, clusters.smallest),
    },
    before,
  )
}

/** Pairs within clusters, and clusters whose birth dates contradict each other. `smallest`: per record, the smallest of its cluster. */
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
    if (!isWhole(birth)) continue
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

function isWhole(birth: number): boolean {
  return birth >> 9 !== 0 && ((birth >> 5) & 15) !== 0 && (birth & 31) !== 0
}
