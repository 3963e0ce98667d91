import type { Components } from './components.ts'
import { GrowingIntegers } from '../../arrays.ts'
import type { Records } from '../records/records.ts'
import { mixInto, sharedCopy } from '../records/texts.ts'

/** So many records are enough to count on. */
const SAMPLE_RECORDS = 100_000

/** The components, and records without one, by which people are counted: chosen by rank alone. */
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

/** How many people have 1, 2, 3 … records: of a sample's groups as they were decided, those of components that are not too large. */
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
