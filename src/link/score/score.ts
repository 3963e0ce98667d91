import { LEAST_BITS } from '../cluster/clusters.ts'
import { PairComparer } from '../compare/compare.ts'
import { conflictOf } from '../compare/conflicts.ts'
import { type Edges, GrowingEdges } from '../cluster/edges.ts'
import type { JobOf, JobResults, NextRange, PairInput } from '../threads/jobs.ts'
import { AT } from '../compare/levels.ts'
import { pairFinder } from './pairs.ts'
import { PatternTable } from '../model/patterns.ts'
import { Reach } from './reach.ts'
import { ReadAhead } from '../compare/read-ahead.ts'
import { mixInto } from '../records/texts.ts'
import { PairWeigher } from '../model/weights.ts'

/** Patterns of the candidates of one record in 2^shift, chosen by rank: a sample that costs only its own size. */
export function countPatterns(input: PairInput, shift: number, next: NextRange): JobResults['patterns'] {
  const { mentions, frequencies } = input
  const comparer = new PairComparer(mentions)
  const finder = pairFinder(mentions, input.blocks, undefined)
  const table = new PatternTable()
  const mask = (1 << shift) - 1
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    for (let unit = range[0]; unit < range[1]; unit++) {
      const i = finder.recordOf(unit)
      if ((mixInto(0x27d4eb2f, mentions.ranks[i]! | 0) & mask) !== 0) continue
      const found = finder.find(unit)
      pairs += found
      for (let k = 0; k < found; k++) {
        comparer.compare(i, finder.mates[k]!)
        table.add(comparer, mentions, frequencies)
      }
    }
  }
  return { pairs, patterns: table.sorted() }
}

// Sums in another order differ in their last digits: a pair is given up only when it is further than that from its aim.
const ROUNDING = 1e-6

/** Edges of ranges of records, each range by itself. */
export function findEdges(job: JobOf<'edges'>, next: NextRange): JobResults['edges'] {
  const { mentions, frequencies } = job.input
  const comparer = new PairComparer(mentions)
  const weigher = new PairWeigher(job.weights, frequencies, mentions)
  const finder = pairFinder(mentions, job.input.blocks, job.newPairs)
  const reach = new Reach(mentions, job.weights, frequencies, job.newPairs !== undefined)
  const ahead = new ReadAhead(mentions)
  const { prior } = job.weights
  const comparisons = comparer.levels.length
  const worth = LEAST_BITS - ROUNDING
  const edges: Edges[] = []
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    const found = new GrowingEdges()
    for (let unit = range[0]; unit < range[1]; unit++) {
      const count = finder.find(unit)
      const i = finder.recordOf(unit)
      const first = found.count
      pairs += count
      ahead.names(finder.mates, count)
      for (let k = 0; k < count; k++) {
        const j = finder.mates[k]!
        // Step by step, and no further than the rest could still make an edge of it: most pairs end at their names.
        comparer.compareNames(i, j)
        const places = reach.places(i, j)
        let sure = prior + weigher.bitsOf(comparer, 0, AT.address)
        if (sure + places + reach.contacts(i, j) < worth) continue
        // A trait can repeat the place. The place of the pair before must not count, and this pair has none yet.
        comparer.forgetPlaces()
        comparer.compareContacts(i, j)
        sure += weigher.bitsOf(comparer, AT.phone, comparisons)
        if (sure + places < worth) continue
        comparer.comparePlaces(i, j)
        const bits = weigher.weighFrom(comparer, worth)
        if (bits >= LEAST_BITS && conflictOf(mentions, comparer, i, j) === undefined)
          found.push(Math.min(i, j), Math.max(i, j), bits)
      }
      found.sortFrom(first)
    }
    if (found.count > 0) edges.push(found.edges())
  }
  return { pairs, edges }
}
