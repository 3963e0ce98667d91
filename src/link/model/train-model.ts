import { type BirthCounts, COUNT_BIRTH_PAIRS, birthCounts, birthsOf } from './birth-pairs.ts'
import type { Blocks } from '../block/blocking.ts'
import { frequencyWeights } from './frequencies.ts'
import { findRepeats } from './find-repeats.ts'
import { AT, FIRST, LAST } from '../compare/levels.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { candidatePatterns, patternsOf, sampleShift } from './count-patterns.ts'
import { namesakePairs, randomPairs, shuffled, totalPairs } from './draw-pairs.ts'
import { type NamePairs, type ExpectedDuplicates, TermCounts } from './term-counts.ts'
import type { LinkThreads } from '../threads/threads.ts'
import { type Estimate, estimate, STRANGER_PAIRS } from './train.ts'

// The sample has at most this many candidate pairs.
const SAMPLE_PAIRS = 1_000_000

export interface Trained {
  /** The model without `people_by_records`, which is counted after the first clustering. */
  readonly model: Omit<LinkModel, 'people_by_records'>
  readonly terms: TermCounts
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
  const { threads } = options
  const order = shuffled(records)
  const random = await patternsOf(randomPairs(records, order), records, threads)
  const births = await randomBirths(records, order, threads)
  const drawn = namesakePairs(records, order)
  const shift = sampleShift(pairsIn(blocks), SAMPLE_PAIRS)
  const pairs = totalPairs(records)
  let own: ExpectedDuplicates = {}
  let agreements = terms.agreements(own)
  let names = terms.fullNames()
  const repeats = await findRepeats(records, agreements, threads)
  let learned: Estimate | undefined
  // Frequency weights need the expected duplicates, and these need a model. So the first round estimates a rough model,
  // and the second round uses its expected duplicates.
  for (let round = 0; round < 2; round++) {
    agreements = { ...terms.agreements(own), ...names }
    const frequencies = frequencyWeights(records, counted, {
      agreements,
      own_records: own,
      repeats,
      ...(learned === undefined ? {} : { comparisons: learned.comparisons }),
    })
    // The first round only estimates the expected duplicates, so a quarter of the sample is enough.
    const sample = round === 0 ? shift + 2 : shift
    learned = estimate({
      attributes: records.attributes,
      candidates: await candidatePatterns({ records, blocks, frequencies, shift: sample }, threads),
      candidateScale: 2 ** sample,
      random,
      births,
      namesakes: await patternsOf(drawn, records, threads, frequencies),
      totalPairs: pairs,
      recordCount: records.count,
      agreements,
    })
    if (round > 0) break
    own = expectedDuplicates(records, terms, learned, pairs)
    names = terms.fullNames(namesOfMatches(learned, pairs))
  }
  return {
    terms,
    model: { ...modelOf(records, terms, learned!, options), agreements, own_records: own, repeats },
  }
}

async function randomBirths(records: Records, order: Int32Array, threads: LinkThreads): Promise<BirthCounts> {
  const births = birthsOf(records, order)
  const { length } = births.dates
  return birthCounts(births, await threads.run(COUNT_BIRTH_PAIRS, births, { units: length, records: length }))
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

function expectedDuplicates(
  records: Records,
  terms: TermCounts,
  learned: Estimate,
  pairs: number,
): ExpectedDuplicates {
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

// Returns the number of pairs of all blocks. A pair of several blocks counts several times.
function pairsIn({ starts, count }: Blocks): number {
  let pairs = 0
  for (let block = 0; block < count; block++) {
    const size = starts[block + 1]! - starts[block]!
    pairs += (size * (size - 1)) / 2
  }
  return pairs
}
