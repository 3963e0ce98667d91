import type { PairComparer } from './compare.ts'
import { AT, ATTRIBUTE, BIRTH, FIRST, LAST, SUFFIX } from './levels.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'

/**
 * How firmly something keeps two records apart. `cluster`: they never stand in one cluster. `edge`: nothing joins the two
 * directly, but what other records say may outvote it.
 */
export interface Conflict {
  readonly reason: string
  readonly bars: 'cluster' | 'edge'
}

const SAME_SOURCE: Conflict = { reason: 'two records of a source without duplicates', bars: 'cluster' }
const SUFFIXES: Conflict = { reason: 'different name suffixes', bars: 'cluster' }
// Where birth dates and names are typed badly (one pair in 30 of the true ones in Splink's fake_1000), a cluster must survive it.
const NAMES: Conflict = { reason: 'different first and last names', bars: 'edge' }
const NAME_AND_DATE: Conflict = { reason: 'different first names and birth dates', bars: 'edge' }

/** What keeps apart the two records that `comparer` holds, if anything. */
export function conflictOf(
  records: Records,
  comparer: PairComparer,
  i: number,
  j: number,
): Conflict | undefined {
  const { rows, width, sources } = records
  const source = rows[i * width + SLOT.source]!
  if (
    source === rows[j * width + SLOT.source] &&
    (sources[source]! & DUPLICATE_FREE) !== 0 &&
    // Two issues of one record, or two rows of it, are that one record.
    !sameIdentifier(records, comparer)
  )
    return SAME_SOURCE
  const { levels } = comparer
  if (levels[AT.name_suffix] === SUFFIX.different) return SUFFIXES
  const first = levels[AT.first_name]!
  // CHARLES and CHARLOTTE: names that look alike are two names where the birth dates say so.
  if ((first !== FIRST.different && first !== FIRST.similar) || sameIdentifier(records, comparer))
    return undefined
  if (
    first === FIRST.different &&
    levels[AT.last_name] === LAST.different &&
    levels[AT.birth_date] !== BIRTH.exact
  )
    return NAMES
  if (levels[AT.birth_date] !== BIRTH.different) return undefined
  const whole = isWholeDate(rows[i * width + SLOT.birth]!) && isWholeDate(rows[j * width + SLOT.birth]!)
  return whole ? NAME_AND_DATE : undefined
}

function sameIdentifier(records: Records, comparer: PairComparer): boolean {
  const { attributes } = records
  for (let a = 0; a < attributes.length; a++) {
    if (attributes[a]!.isIdentifier && comparer.levels[AT.attributes + a] === ATTRIBUTE.same) return true
  }
  return false
}

function isWholeDate(birth: number): boolean {
  return birth >> 9 !== 0 && ((birth >> 5) & 15) !== 0 && (birth & 31) !== 0
}
