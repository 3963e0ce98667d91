import type { Index } from '../snapshot/snapshot-index.ts'

/** Everyone who fits a query, and at the same place of the other list how well. */
export interface Matches {
  /** Person numbers; from the snapshot's personCount on, those whom nothing resolves to a person, in their order. */
  readonly people: readonly number[]
  /** 0 to 100. */
  readonly scores: readonly number[]
}

const ONLY: readonly number[] = [0]

/** Where the items of a page stand among the matches, best first: by score, then rank. Whoever scores above or below the page is only counted. */
export function pageOf(index: Index, matches: Matches, number: number, size: number): readonly number[] {
  const { people, scores } = matches
  const first = (number - 1) * size
  const last = Math.min(first + size, scores.length)
  if (last - first === 1 && scores.length === 1) return ONLY
  const counts = new Uint32Array(101)
  for (const score of scores) counts[score]!++
  const { person_rank } = index.columns
  const rankOf = (at: number): number => {
    const person = people[at]!
    // Behind everyone who is a person, which is where they stand among equals.
    return person < index.personCount ? person_rank[person]! : person
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

/** The items from `from` up to `to` of the list in the order of ranks, which are all different. */
function inOrder(list: number[], from: number, to: number, rankOf: (at: number) => number): number[] {
  if (to - from === list.length) return list.length === 1 ? list : byRank(list, rankOf)
  const ranks = new Uint32Array(list.length)
  for (let i = 0; i < list.length; i++) ranks[i] = rankOf(list[i]!)
  // Numbers without a comparison sort ten times as fast, and a city has thousands of equals.
  const sorted = ranks.toSorted()
  const [lowest, highest] = [sorted[from]!, sorted[to - 1]!]
  return byRank(list.filter((_, i) => ranks[i]! >= lowest && ranks[i]! <= highest), rankOf) // prettier-ignore
}

function byRank(list: number[], rankOf: (at: number) => number): number[] {
  return list.sort((a, b) => rankOf(a) - rankOf(b))
}
