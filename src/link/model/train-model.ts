import { COUNT_BIRTH_PAIRS, birthCounts, birthsOf, type RandomPairs } from './birth-pairs.ts'
import type { Blocks } from '../block/blocking.ts'
import { frequencyWeights } from './frequencies.ts'
import { findRepeats } from './find-repeats.ts'
import { AT, FIRST, LAST } from '../compare/levels.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { drawNamesakes } from './namesake-pairs.ts'
import { mergedPatterns } from './patterns.ts'
import { COUNT_RANDOM, randomUnits, shuffled, totalPairs } from './random-pairs.ts'
import { type NamePairs, type OwnRecords, TermCounts } from './term-counts.ts'
import type { Amount, LinkThreads } from '../threads/threads.ts'
import { COUNT_CANDIDATES } from './count-patterns.ts'
import { COUNT_DRAWN } from './drawn-patterns.ts'
import { type Estimate, estimate, STRANGER_PAIRS } from './train.ts'

// Aimed number of sampled candidate pairs.
const SAMPLE_PAIRS = 1_000_000

export interface Trained {
  /** The model without `people_by_records`, which is counted after the first clustering. */
  readonly model: Omit<LinkModel, 'people_by_records'>
  readonly terms: TermCounts
  /** Agreement patterns of random pairs. */
  readonly random: RandomPairs
}

export interface TrainOptions {
  readonly threads: LinkThreads
  readonly blockLimit: number
  /** The day of the training, written into the model file. */
  readonly today: string
}

/** Trains a model on unlabelled records. The result is the same to the last bit for any number of threads. */
export async function trainModel(records: Records, blocks: Blocks, options: TrainOptions): Promise<Trained> {
  const terms = new TermCounts(records)
  const counted = terms.source()
  const units = (count: number): Amount => ({ units: count, records: records.count })
  let random = await randomPairs(records, options.threads)
  const drawn = drawNamesakes(records)
  const shift = sampleShift(blocks)
  const pairs = totalPairs(records)
  let own: OwnRecords = {}
  let agreements = terms.agreements(own)
  let names = terms.fullNames()
  const repeats = await findRepeats(records, agreements, options.threads)
  let learned: Estimate | undefined
  // Two rounds. The frequency of a value among different people needs the expected duplicates, which the first round
  // estimates.
  for (let round = 0; round < 2; round++) {
    agreements = { ...terms.agreements(own), ...names }
    const frequencies = frequencyWeights(records, counted, {
      agreements,
      own_records: own,
      repeats,
      ...(learned === undefined ? {} : { comparisons: learned.comparisons }),
    })
    const input = { records, blocks, frequencies }
    // The first round only estimates the expected duplicates, so a quarter of the sample is enough.
    const sample = round === 0 ? shift + 2 : shift
    const found = await options.threads.run(
      COUNT_CANDIDATES,
      { ...input, shift: sample },
      units(records.count),
    )
    const namesakes = await options.threads.run(
      COUNT_DRAWN,
      { records, pairs: drawn, frequencies },
      units(drawn.left.length),
    )
    random = { ...random, namesakes: mergedPatterns(namesakes) }
    learned = estimate({
      attributes: records.attributes,
      candidates: mergedPatterns(found.map(({ patterns }) => patterns)),
      candidateScale: 2 ** sample,
      random,
      totalPairs: pairs,
      recordCount: records.count,
      agreements,
    }).estimate
    if (round > 0) break
    own = ownRecords(records, terms, learned, pairs)
    names = terms.fullNames(namesOfMatches(learned, pairs))
  }
  return {
    terms,
    random,
    model: { ...modelOf(records, terms, learned!, options), agreements, own_records: own, repeats },
  }
}

async function randomPairs(records: Records, threads: LinkThreads): Promise<RandomPairs> {
  const order = shuffled(records)
  const patterns = mergedPatterns(
    await threads.run(
      COUNT_RANDOM,
      { records, order },
      { units: randomUnits(records), records: records.count },
    ),
  )
  const births = birthsOf(records, order)
  const pairs = births.dates.length
  return {
    ...patterns,
    births: birthCounts(
      births,
      await threads.run(COUNT_BIRTH_PAIRS, births, { units: pairs, records: pairs }),
    ),
  }
}

function modelOf(
  records: Records,
  terms: TermCounts,
  learned: Estimate,
  options: TrainOptions,
): Omit<LinkModel, 'agreements' | 'own_records' | 'repeats' | 'people_by_records'> {
  return {
    version: 1,
    trained_on: options.today,
    record_count: records.count,
    block_limit: options.blockLimit,
    attributes: records.attributes.map(({ kind, isIdentifier }) => ({ kind, isIdentifier })),
    totals: terms.totals(),
    ...learned,
  }
}

function ownRecords(records: Records, terms: TermCounts, learned: Estimate, pairs: number): OwnRecords {
  const count = Math.max(1, records.count)
  const totals = terms.totals()
  const others = (2 * learned.match_probability * pairs) / count
  return Object.fromEntries(
    learned.comparisons.map(({ comparison, levels }) => [
      comparison,
      (others * levels[0]!.m * (totals[comparison] ?? 0)) / count,
    ]),
  )
}

// Estimates how many pairs of one person have equal full names, and equal ones swapped.
function namesOfMatches({ match_probability: match, comparisons }: Estimate, pairs: number): NamePairs {
  const first = comparisons[AT.first_name]!.levels
  const last = comparisons[AT.last_name]!.levels
  const matches = match * (pairs + STRANGER_PAIRS)
  return {
    straight: matches * first[FIRST.exact - 1]!.m * last[LAST.exact - 1]!.m,
    swapped: matches * first[FIRST.swapped - 1]!.m,
  }
}

// Returns the sampling rate as a power of two: the candidates of one record in 2^shift are used.
function sampleShift({ starts, count }: Blocks): number {
  let pairs = 0
  for (let block = 0; block < count; block++) {
    const size = starts[block + 1]! - starts[block]!
    pairs += (size * (size - 1)) / 2
  }
  let shift = 0
  while (pairs / 2 ** shift > SAMPLE_PAIRS) shift++
  return shift
}
