import type { Components } from './components.ts'
import { GrowingIntegers } from '../../arrays.ts'
import type { Records } from '../records/records.ts'
import { mixInto, sharedCopy } from '../records/texts.ts'

/** The sample has between this many and twice as many records, if there are as many. */
const SAMPLE_RECORDS = 100_000

/**
 * Draws a sample of components, and of records without a component, by the ranks of their records. The same ids
 * always give the same sample. `alone`: sampled records without a component.
 */
export function sampleOf(
  { count, ranks }: Pick<Records, 'count' | 'ranks'>,
  components: Components,
): Components & { alone: number } {
  let shift = 0
  while (count >> (shift + 1) >= SAMPLE_RECORDS) shift++
  const isChosen = (rank: number): boolean => (mixInto(0x2c1b3c6d, rank | 0) & ((1 << shift) - 1)) === 0
  const starts = new GrowingIntegers()
  const members = new GrowingIntegers()
  const isMember = new Uint8Array(count)
  for (let c = 0; c < components.count; c++) {
    const own = components.members.subarray(components.starts[c], components.starts[c + 1])
    let least = Number.POSITIVE_INFINITY
    for (const member of own) {
      isMember[member] = 1
      least = Math.min(least, ranks[member]!)
    }
    if (!isChosen(least)) continue
    starts.push(members.length)
    members.append(own)
  }
  starts.push(members.length)
  let alone = 0
  for (let i = 0; i < count; i++) if (isMember[i] === 0 && isChosen(ranks[i]!)) alone++
  return {
    count: starts.length - 1,
    starts: sharedCopy(Int32Array, starts.view()),
    members: sharedCopy(Int32Array, members.view()),
    alone,
  }
}

/**
 * Counts how many people of a sample have 1, 2, 3 … records. `smallest` has the clusters. Components with more than
 * `mostMentions` records are skipped, because they were cut.
 */
export function countPeople(
  sample: ReturnType<typeof sampleOf>,
  smallest: Int32Array,
  mostMentions: number,
): number[] {
  const counts = [sample.alone]
  for (let c = 0; c < sample.count; c++) {
    const members = sample.members.subarray(sample.starts[c], sample.starts[c + 1])
    if (members.length > mostMentions) continue
    const sizes = new Map<number, number>()
    for (const member of members) sizes.set(smallest[member]!, (sizes.get(smallest[member]!) ?? 0) + 1)
    for (const size of sizes.values()) {
      while (counts.length < size) counts.push(0)
      counts[size - 1]!++
    }
  }
  return counts
}
