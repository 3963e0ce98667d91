import { shared } from '../records/texts.ts'

/** Beyond so many records per group nothing more is told apart. */
const MOST_RECORDS = 200
/** What a group may gain or lose by its size: the counts are of people as they were found, a few of them wrongly. */
const MOST_BITS = 6
/** People beside those counted, with a number of records that says nothing about the next one. */
const OTHER_PEOPLE = 20
/** Below it a share is told by its logarithm alone: many records where hardly anybody has two are rarer than the least number there is. */
const LEAST_SHARE = 1e-300
/**
 * Bits by how many records people have, from the counts of a model (`counts[k]` people have k + 1 records): entry k for a group of k
 * records, entry 0 for any two groups. Two groups of a and b records are `groupBits` more surely one person than two records that
 * agree as they do. Chance of two records at random: E[k (k − 1)] / (E[k]² N); of two that have nobody else:
 * 2 p(2) / (p(1)² N); of two groups likewise p(a + b) in place of p(2) and p(a) p(b) in place of p(1)².
 */
export function peopleBits(counts: readonly number[]): Float64Array {
  const bits = shared(Float64Array, MOST_RECORDS + 1)
  const people = counts.reduce((sum, count) => sum + count, 0)
  const records = counts.reduce((sum, count, k) => sum + count * (k + 1), 0)
  if (records === people) return bits
  const more = 1 - people / records
  const others = Math.log2((OTHER_PEOPLE * (1 - more)) / (people + OTHER_PEOPLE))
  let total = 0
  let pairs = 0
  for (let k = 1; k <= MOST_RECORDS; k++) {
    const share =
      ((counts[k - 1] ?? 0) + OTHER_PEOPLE * (1 - more) * more ** (k - 1)) / (people + OTHER_PEOPLE)
    bits[k] = share > LEAST_SHARE ? Math.log2(share) : others + (k - 1) * Math.log2(more)
    total += share * k
    pairs += share * k * (k - 1)
  }
  bits[0] = 1 + Math.log2((total * total) / pairs)
  return bits
}

/** What two groups of `a` and `b` records have beyond two records. */
export function groupBits(bits: Float64Array, a: number, b: number): number {
  const both = bits[told(a + b)]! + bits[0]!
  const beyond = both - bits[told(a)]! - bits[told(b)]!
  return beyond > MOST_BITS ? MOST_BITS : beyond < -MOST_BITS ? -MOST_BITS : beyond
}

// Asked for every two groups of a component, by compilers to which Math.min is a call.
function told(records: number): number {
  return records < MOST_RECORDS ? records : MOST_RECORDS
}
