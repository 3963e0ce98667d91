import type { PairComparer } from './compare.ts'
import { isWholeDate } from './birth-dates.ts'
import { AT, ATTRIBUTE, BIRTH, FIRST, LAST, SUFFIX } from './levels.ts'
import { areOfFreeSource, type Records, SLOT } from '../records/records.ts'

/**
 * A reason why two records are not one person. `cluster`: the two are never in one cluster. `edge`: no edge joins the two, but they may be in
 * one cluster when edges to other records connect them.
 */
export interface Conflict {
  readonly reason: string
  readonly bars: 'cluster' | 'edge'
}

const SAME_SOURCE: Conflict = { reason: 'two records of a source without duplicates', bars: 'cluster' }
const SUFFIXES: Conflict = { reason: 'different name suffixes', bars: 'cluster' }
// Typos can make names and birth dates of one person different, so these two conflicts do not bar a whole cluster.
const NAMES: Conflict = { reason: 'different first and last names', bars: 'edge' }
const NAME_AND_DATE: Conflict = { reason: 'different first names and birth dates', bars: 'edge' }

/** Returns the conflict between records i and j, if there is one. `comparer` must have compared these two records last. */
export function conflictOf(
  records: Records,
  comparer: PairComparer,
  i: number,
  j: number,
): Conflict | undefined {
  // Records of one source with an equal identifier are issues or rows of one source record.
  if (areOfFreeSource(records, i, j) && !sameIdentifier(records, comparer)) return SAME_SOURCE
  const { levels } = comparer
  if (levels[AT.name_suffix] === SUFFIX.different) return SUFFIXES
  const first = levels[AT.first_name]!
  // Similar first names (CHARLES and CHARLOTTE) count as different when the birth dates differ.
  if ((first !== FIRST.different && first !== FIRST.similar) || sameIdentifier(records, comparer))
    return undefined
  if (
    first === FIRST.different &&
    levels[AT.last_name] === LAST.different &&
    levels[AT.birth_date] !== BIRTH.exact
  )
    return NAMES
  if (levels[AT.birth_date] !== BIRTH.different) return undefined
  const { rows, width } = records
  const areWhole = isWholeDate(rows[i * width + SLOT.birth]!) && isWholeDate(rows[j * width + SLOT.birth]!)
  return areWhole ? NAME_AND_DATE : undefined
}

function sameIdentifier(records: Records, comparer: PairComparer): boolean {
  const { attributes } = records
  for (let a = 0; a < attributes.length; a++) {
    if (attributes[a]!.isIdentifier && comparer.levels[AT.attributes + a] === ATTRIBUTE.same) return true
  }
  return false
}
