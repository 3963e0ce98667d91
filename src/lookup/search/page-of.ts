import { rankOfPerson, type Snapshot } from '../snapshot/snapshot.ts'

/** Everyone who matches a query. */
export interface Matches {
  /** Numbers of people in the snapshot. Numbers from `personCount` on stand for owners without a person id, in their own order. */
  readonly people: readonly number[]
  /** The match score from 0 to 100 of each entry of `people`. */
  readonly scores: readonly number[]
}

const ONLY: readonly number[] = [0]

/**
 * Returns the positions in `matches` of the items of one page: sorted by score, then by rank. People whose
 * score is above or below the page's scores are counted but not sorted.
 */
export function pageOf(
  snapshot: Snapshot,
  matches: Matches,
  number: number,
  size: number,
): readonly number[] {
  const { people, scores } = matches
  const first = (number - 1) * size
  const last = Math.min(first + size, scores.length)
  if (last - first === 1 && scores.length === 1) return ONLY
  const counts = new Uint32Array(101)
  for (const score of scores) counts[score]!++
  const rankOf = (at: number): number => {
    const person = people[at]!
    // Owners without a person id sort after people with the same score.
    return person < snapshot.personCount ? rankOfPerson(snapshot, person) : person
  }
  const items: number[] = []
  let before = 0
  for (let score = 100; score >= 0 && before < last; score--) {
    const count = counts[score]!
    if (count > 0 && before + count > first) {
      const equals: number[] = []
      for (let at = 0; at < scores.length; at++) if (scores[at] === score) equals.push(at)
      const reached = inOrder(equals, Math.max(0, first - before), Math.min(count, last - before), rankOf)
      for (const at of reached) items.push(at)
    }
    before += count
  }
  return items
}

/** Sorts the list by rank and returns its items from `from` up to `to` (exclusive). All ranks differ. */
function inOrder(list: number[], from: number, to: number, rankOf: (at: number) => number): number[] {
  if (to - from === list.length) return list.length === 1 ? list : byRank(list, rankOf)
  const ranks = new Uint32Array(list.length)
  for (let i = 0; i < list.length; i++) ranks[i] = rankOf(list[i]!)
  // A typed array sorts numbers much faster than a comparison function, and a city may have thousands of
  // equal scores.
  const sorted = ranks.toSorted()
  const [lowest, highest] = [sorted[from]!, sorted[to - 1]!]
  return byRank(list.filter((_, i) => ranks[i]! >= lowest && ranks[i]! <= highest), rankOf) // prettier-ignore
}

function byRank(list: number[], rankOf: (at: number) => number): number[] {
  return list.sort((a, b) => rankOf(a) - rankOf(b))
}
