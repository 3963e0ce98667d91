import type { PairComparer } from './compare.ts'
import { AT, FIRST, LAST } from './levels.ts'

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
