import type { PairComparer } from './compare.ts'
import { AT, FIRST, LAST } from './levels.ts'
import { DUPLICATE_FREE, type Mentions, SLOT } from './mentions.ts'
import { GrowingIntegers } from './growing.ts'
import { shuffled } from './random-pairs.ts'
import { mixInto, sharedCopy } from './texts.ts'

/**
 * How the names of two records stand to each other. What repeats a name (an e-mail address that is made of it, the country that it comes
 * from) agrees among strangers of one name far more often than among strangers in general, so its weight depends on this.
 */
export const NAMES = { differ: 0, last: 1, first: 2, both: 3 } as const
export type Names = (typeof NAMES)[keyof typeof NAMES]
export const NAME_CASES = 4

/** How the names agree, by the levels of both comparisons. Names that are alike agree too: so does what is made of them. */
export function namesOf(first: number, last: number): Names {
  const isFirst = first !== 0 && (first < FIRST.initial || first === FIRST.swapped)
  const isLast = first === FIRST.swapped || (last !== 0 && last < LAST.different)
  if (isFirst) return isLast ? NAMES.both : NAMES.first
  return isLast ? NAMES.last : NAMES.differ
}

/** The same of the pair that `comparer` holds. */
export function namesIn({ levels }: Pick<PairComparer, 'levels'>): Names {
  return namesOf(levels[AT.first_name]!, levels[AT.last_name]!)
}

/** Pairs that are drawn of those who share a first name, a last name, or both: so many of each. */
const PAIRS_OF_EACH = 200_000

/** Records of one name, in pairs. */
export interface NamesakePairs {
  readonly left: Int32Array
  readonly right: Int32Array
}

/**
 * Draws pairs of records that share the last name, the first name, or both, each such pair with the same chance. Who is drawn follows from
 * the records' ids alone, so that nearly the same records give nearly the same pairs.
 */
export function drawNamesakes(mentions: Mentions): NamesakePairs {
  const order = shuffled(mentions)
  const left = new GrowingIntegers()
  const right = new GrowingIntegers()
  const { rows, width, ranks, sources } = mentions
  const slots: readonly (readonly number[])[] = [[SLOT.last], [SLOT.first], [SLOT.first, SLOT.last]]
  for (const fields of slots) {
    const groups = groupsOf(mentions, order, fields)
    let all = 0
    for (const { length } of groups) all += (length * (length - 1)) / 2
    const share = Math.min(1, PAIRS_OF_EACH / Math.max(1, all))
    for (const group of groups) {
      const mates = ((group.length - 1) / 2) * share
      for (let k = 0; k < group.length; k++) {
        const i = group[k]!
        const chance = (mixInto(0x1b873593, ranks[i]! | 0) >>> 0) / 2 ** 32
        // An even ring that is taken whole has each opposite pair at half a chance from both sides.
        const steps = Math.floor(mates) + (chance < mates % 1 ? 1 : 0)
        for (let step = 1; step <= steps; step++) {
          const j = group[(k + step) % group.length]!
          const source = rows[i * width + SLOT.source]!
          if (source === rows[j * width + SLOT.source] && (sources[source]! & DUPLICATE_FREE) !== 0) continue
          left.push(Math.min(i, j))
          right.push(Math.max(i, j))
        }
      }
    }
  }
  return { left: sharedCopy(Int32Array, left.view()), right: sharedCopy(Int32Array, right.view()) }
}

// Records that have the same values in some fields, in the order in which they were shuffled; those who are alone are left out.
function groupsOf({ rows, width }: Mentions, order: Int32Array, fields: readonly number[]): number[][] {
  const groups = new Map<number, number[]>()
  for (const record of order) {
    const row = record * width
    if (fields.some((field) => rows[row + field] === 0)) continue
    // Texts are numbered below 2^26.
    const key = fields.reduce((sum, field) => sum * 2 ** 26 + rows[row + field]!, 0)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups.values()].filter((group) => group.length > 1)
}
