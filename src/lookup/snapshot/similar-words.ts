import { NOBODY } from '../format/store.ts'

/** The words of the snapshot that a searched word may stand for. */
export interface SimilarWords {
  /** Word numbers, ascending. */
  readonly words: Uint32Array
  /** The quality of each of `words`, from 0 to 100. */
  readonly hundredths: Uint8Array
  /**
   * The positions of the pairs of `words` (`pairsOf` in word-pairs.ts), which are cached with the words because
   * looking them up takes as long as reading the pairs.
   */
  readonly pairs: Uint32Array
  /** The number of people who have a word, added up over `words`. */
  readonly peopleCount: number
  /**
   * When the searched word is a single letter, the words that begin with it: numbers from `low` up to `high`
   * (exclusive).
   */
  readonly initials: { readonly low: number; readonly high: number } | null
}

/** No similar words: for a search of whole words, or of words that begin with the searched ones. */
export const NOTHING_SIMILAR: SimilarWords = {
  words: NOBODY,
  hundredths: new Uint8Array(0),
  pairs: NOBODY,
  peopleCount: 0,
  initials: null,
}
