import type { Columns } from './columns.ts'
import { NOBODY, type PersonSet } from './snapshot.ts'
import type { WordMarks } from './word-marks.ts'

/**
 * People by two words that stand in one of their names. Each pair is kept once, with the word that fewer people have:
 * its partners are few, also where the other word is SMITH.
 */
type PairColumns = Pick<
  Columns,
  'word_partner_start' | 'partner_words' | 'partner_people_start' | 'partner_people'
>

/** Everyone who has both words in one name, ascending; not to be changed. */
export function peopleWithBoth(columns: PairColumns, one: number, other: number): Uint32Array {
  const pair = pairOf(columns, one, other)
  const found = pair < 0 ? pairOf(columns, other, one) : pair
  if (found < 0) return NOBODY
  return columns.partner_people.subarray(
    columns.partner_people_start[found],
    columns.partner_people_start[found + 1],
  )
}

function pairOf({ word_partner_start, partner_words }: PairColumns, rare: number, common: number): number {
  const end = word_partner_start[rare + 1]!
  let low = word_partner_start[rare]!
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (partner_words[middle]! < common) low = middle + 1
    else high = middle
  }
  return low < end && partner_words[low] === common ? low : -1
}

/** Words of which any will do: numbers from low up to high, and those of `words`. */
export interface AnyWord {
  readonly low: number
  readonly high: number
  readonly words: Uint32Array
  /** `pairsOf` of `words`. */
  readonly pairs: Uint32Array
}

/** From where to where the pairs of each word stand, for two numbers a word; words without any are left out. */
export function pairsOf({ word_partner_start }: PairColumns, words: Uint32Array): Uint32Array {
  const bounds: number[] = []
  for (const word of words) {
    const start = word_partner_start[word]!
    const end = word_partner_start[word + 1]!
    if (end > start) bounds.push(start, end)
  }
  return Uint32Array.from(bounds)
}

/** Adds to `people`, for every two words of which the first may stand for `one` and the second for `other`, everyone who has both. */
export function addPeopleWithBoth(
  columns: PairColumns,
  marks: WordMarks,
  one: AnyWord,
  other: AnyWord,
  people: PersonSet,
): void {
  addPartners(columns, marks, one, other, people)
  // Where the other word is the rarer one, the pair is kept with it.
  addPartners(columns, marks, other, one, people)
}

function addPartners(
  columns: PairColumns,
  marks: WordMarks,
  rare: AnyWord,
  common: AnyWord,
  people: PersonSet,
): void {
  const { word_partner_start, partner_words, partner_people_start, partner_people } = columns
  const isMarked = marks.set(common.words)
  const { low, high } = common
  const addOf = (start: number, end: number): void => {
    for (let pair = start; pair < end; pair++) {
      const partner = partner_words[pair]!
      if (isMarked[partner] === 0 && (partner < low || partner >= high)) continue
      const last = partner_people_start[pair + 1]!
      for (let i = partner_people_start[pair]!; i < last; i++) people.add(partner_people[i]!)
    }
  }
  // The pairs of neighbouring words stand one behind the other.
  if (rare.high > rare.low) addOf(word_partner_start[rare.low]!, word_partner_start[rare.high]!)
  const { pairs } = rare
  for (let i = 0; i < pairs.length; i += 2) addOf(pairs[i]!, pairs[i + 1]!)
  marks.clear(common.words)
}
