import { shared } from '../records/texts.ts'

/** Groups with more records are treated as groups of this size. */
const MOST_RECORDS = 200
/** Limit of the absolute weight. It is low because the counts come from found clusters, and a few of these are wrong. */
const MOST_WEIGHT = 6
/**
 * Smoothing count: this many invented people are added. Their numbers of records have a geometric distribution, which
 * adds no weight of its own.
 */
const OTHER_PEOPLE = 20
/** Below this share, the logarithm is computed directly: the share itself would underflow to 0. */
const LEAST_SHARE = 1e-300
/**
 * Returns match weights by the number of records of a person. `counts[k]` is the number of people with k + 1 records.
 * Entry k of the result is log2 of the share of people with k records. Entry 0 is a constant for any two groups. All
 * entries are 0 when nobody has two records.
 * `groupSizeWeight` uses the result: it tells how much more likely two groups of a and b records are one person than two
 * single records with the same agreement. Let p(k) be the share of people with k records, and N the number of people.
 * For two random records the chance is E[k (k − 1)] / (E[k]² N). For two records without any other it is 2 p(2) /
 * (p(1)² N). For two groups, p(a + b) replaces p(2), and p(a) p(b) replaces p(1)².
 */
export function groupSizeWeights(counts: readonly number[]): Float64Array {
  const weights = shared(Float64Array, MOST_RECORDS + 1)
  const people = counts.reduce((sum, count) => sum + count, 0)
  const records = counts.reduce((sum, count, k) => sum + count * (k + 1), 0)
  if (records === people) return weights
  const more = 1 - people / records
  const others = Math.log2((OTHER_PEOPLE * (1 - more)) / (people + OTHER_PEOPLE))
  let total = 0
  let pairs = 0
  for (let k = 1; k <= MOST_RECORDS; k++) {
    const share =
      ((counts[k - 1] ?? 0) + OTHER_PEOPLE * (1 - more) * more ** (k - 1)) / (people + OTHER_PEOPLE)
    weights[k] = share > LEAST_SHARE ? Math.log2(share) : others + (k - 1) * Math.log2(more)
    total += share * k
    pairs += share * k * (k - 1)
  }
  weights[0] = 1 + Math.log2((total * total) / pairs)
  return weights
}

/** Returns how much more two groups of `a` and `b` records weigh than two records, because of their sizes. */
export function groupSizeWeight(weights: Float64Array, a: number, b: number): number {
  const together = weightAt(weights, a + b) + weights[0]!
  const beyond = together - weightAt(weights, a) - weightAt(weights, b)
  return Math.max(-MOST_WEIGHT, Math.min(MOST_WEIGHT, beyond))
}

function weightAt(weights: Float64Array, records: number): number {
  return weights[Math.min(records, MOST_RECORDS)]!
}
