import { NOBODY } from '../format/store.ts'

/** Words of the snapshot that may be meant by a word. The words that begin with an initial are `initials`. */
export interface SimilarWords {
  /** Ascending. */
  readonly words: Uint32Array
  /** How well each of `words` stands for it, in hundredths. */
  readonly hundredths: Uint8Array
  /** From where to where their pairs stand (word-pairs.ts): to look it up again costs a search as much as the pairs. */
  readonly pairs: Uint32Array
  /** How many people have one of `words`. */
  readonly peopleCount: number
  /** Word numbers from low up to high, when `word` is a single letter. */
  readonly initials: { readonly low: number; readonly high: number } | null
}

/** What stands for a word when nothing but the word itself, or what begins with it, is meant. */
export const NOTHING_SIMILAR: SimilarWords = {
  words: NOBODY,
  hundredths: new Uint8Array(0),
  pairs: NOBODY,
  peopleCount: 0,
  initials: null,
}
