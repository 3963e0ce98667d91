import { type Columns, lowerBound } from '../format/columns.ts'
import type { PersonSet } from './person-set.ts'
import { NOBODY } from '../format/store.ts'

/**
 * The people who have two given words in one of their names. Each pair of words is stored once, under the
 * word that fewer people have. That word has few partners, even when the other word is SMITH.
 */
type PairColumns = Pick<
  Columns,
  'word_partner_start' | 'partner_words' | 'partner_people_start' | 'partner_people'
>

/**
 * Returns everyone who has both words in one name, ascending. The list is a part of the column, so it must
 * not be changed.
 */
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
  const pair = lowerBound(partner_words, word_partner_start[rare]!, end, common)
  return pair < end && partner_words[pair] === common ? pair : -1
}

/** A set of word numbers: those from `low` up to `high` (exclusive), and those in `words`. */
export interface AnyWord {
  readonly low: number
  readonly high: number
  readonly words: Uint32Array
  /** The result of `pairsOf` for `words`. */
  readonly pairs: Uint32Array
}

/** Returns where the pairs of each word begin and end: two positions a word. Words without pairs are left out. */
export function pairsOf({ word_partner_start }: PairColumns, words: Uint32Array): Uint32Array {
  const bounds: number[] = []
  for (const word of words) {
    const start = word_partner_start[word]!
    const end = word_partner_start[word + 1]!
    if (end > start) bounds.push(start, end)
  }
  return Uint32Array.from(bounds)
}

/** The number of matching pairs that are processed together. */
const BLOCK = 256

/**
 * Finds people by two words when each of the two may be any word of a set. Its memory is reused, so only one
 * search may use it at a time.
 */
export class PairSearch {
  readonly #columns: PairColumns
  readonly #isMarked: Uint8Array
  /** Matching pairs, and the positions where the lists of their people begin and end. */
  readonly #hits = new Uint32Array(BLOCK)
  readonly #starts = new Uint32Array(BLOCK)
  readonly #ends = new Uint32Array(BLOCK)

  constructor(columns: PairColumns) {
    this.#columns = columns
    this.#isMarked = new Uint8Array(columns.word_partner_start.length)
  }

  /** Adds everyone who has a word of `one` and a word of `other` in one name to `people`. */
  addPeopleWithBoth(one: AnyWord, other: AnyWord, people: PersonSet): void {
    this.#addPartners(one, other, people)
    // A pair whose rarer word is in `other` is stored under that word.
    this.#addPartners(other, one, people)
  }

  #addPartners(rare: AnyWord, common: AnyWord, people: PersonSet): void {
    const { word_partner_start } = this.#columns
    const { low, high } = rare
    this.#mark(common, 1)
    // The pairs of neighbouring words are neighbours, so the whole range is one range of pairs.
    if (high > low)
      this.#addMarked(Uint32Array.of(word_partner_start[low]!, word_partner_start[high]!), people)
    this.#addMarked(rare.pairs, people)
    this.#mark(common, 0)
  }

  #mark({ low, high, words }: AnyWord, mark: 0 | 1): void {
    const isMarked = this.#isMarked
    if (high > low) isMarked.fill(mark, low, high)
    for (let i = 0; i < words.length; i++) isMarked[words[i]!] = mark
  }

  // Reads memory in separate loops: first pairs, then the positions of their people, then the people. A loop
  // that only reads lets the processor fetch many entries at once, instead of waiting for each pair's people
  // in turn.
  #addMarked(bounds: Uint32Array, people: PersonSet): void {
    const { partner_words } = this.#columns
    const isMarked = this.#isMarked
    const hits = this.#hits
    let count = 0
    for (let at = 0; at < bounds.length; at += 2) {
      const end = bounds[at + 1]!
      for (let pair = bounds[at]!; pair < end;) {
        if (count > BLOCK / 2) {
          this.#addHits(count, people)
          count = 0
        }
        const stop = Math.min(end, pair + BLOCK / 2)
        for (; pair < stop; pair++) if (isMarked[partner_words[pair]!] !== 0) hits[count++] = pair
      }
    }
    this.#addHits(count, people)
  }

  #addHits(count: number, people: PersonSet): void {
    const { partner_people_start, partner_people } = this.#columns
    const hits = this.#hits
    const starts = this.#starts
    const ends = this.#ends
    for (let i = 0; i < count; i++) {
      const pair = hits[i]!
      starts[i] = partner_people_start[pair]!
      ends[i] = partner_people_start[pair + 1]!
    }
    for (let i = 0; i < count; i++) people.addSome(partner_people, starts[i]!, ends[i]!)
  }
}
