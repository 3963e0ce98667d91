import type { PairComparer } from './compare.ts'
import { AT, FIRST, LAST } from './levels.ts'

/**
 * Cases of agreement between the names of two records. Fields that follow from the name (an e-mail address, a country of birth) agree far more
 * often among strangers with equal names than among other strangers. So their match weight depends on the case.
 */
export const NAMES = { differ: 0, last: 1, first: 2, both: 3 } as const
export type Names = (typeof NAMES)[keyof typeof NAMES]
export const NAME_CASES = 4

/** Returns the case for the levels of first and last name. Similar names count as equal, because e-mail addresses of similar names are similar. */
export function namesOf(first: number, last: number): Names {
  const isFirst = first !== 0 && (first < FIRST.initial || first === FIRST.swapped)
  const isLast = first === FIRST.swapped || (last !== 0 && last < LAST.different)
  if (isFirst) return isLast ? NAMES.both : NAMES.first
  return isLast ? NAMES.last : NAMES.differ
}

/** Returns the case for the pair that `comparer` compared last. */
export function namesIn({ levels }: Pick<PairComparer, 'levels'>): Names {
  return namesOf(levels[AT.first_name]!, levels[AT.last_name]!)
}
