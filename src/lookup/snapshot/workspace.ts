import { Deletions } from '../format/deletions.ts'
import { PersonSet } from './person-set.ts'
import { ReadAhead } from './read-ahead.ts'
import { Recent } from '../../recent.ts'
import type { SimilarWords } from './similar-words.ts'
import type { Index } from './snapshot-index.ts'
import { PairSearch } from './word-pairs.ts'
import { WordQualities } from './word-qualities.ts'

/**
 * Memory that the searches of one thread reuse: caches, and buffers that each search overwrites. Searches run one after
 * the other, so two of them never use a buffer at the same time.
 */
export interface Workspace {
  /** Caches the words by their deletions; `forMistyped` reads it. */
  readonly deletions: Deletions
  /** The numeric value of each text in the dictionary of houses (find-property.ts); −1 until it is first needed. */
  readonly houseNumbers: Float64Array
  /** By directionals and suffix of a street: 1 for each shape that matches them (locations.ts). */
  readonly shapeMasks: Map<string, Uint8Array>
  /** The candidates of the current search. */
  readonly people: PersonSet
  readonly pairs: PairSearch
  readonly qualities: WordQualities
  readonly ahead: ReadAhead
  /** The similar words of recently searched words. */
  readonly similar: Recent<SimilarWords>
}

// Finding the similar words of one word takes 0.1 to 0.5 ms, and the result about 1.5 KB. Common names are searched most
// often: 10,000 words cover nine tenths of all people's names.
const MAX_SIMILAR = 10_000

/** Creates the memory for searches of `index`; each thread needs its own. */
export function createWorkspace(index: Index): Workspace {
  const { store, columns, personCount, words, houses } = index
  return {
    deletions: new Deletions(store),
    houseNumbers: new Float64Array(houses.size).fill(-1),
    shapeMasks: new Map(),
    people: new PersonSet(personCount),
    pairs: new PairSearch(columns),
    qualities: new WordQualities(words.size),
    ahead: new ReadAhead(columns),
    similar: new Recent(MAX_SIMILAR),
  }
}
