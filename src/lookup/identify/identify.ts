import { packDate } from '../format/birth.ts'
import type { Suppressed } from '../format/suppressed.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { addCandidates } from './candidates.ts'
import { type Clues, isSearchable, type ReadClues } from './clues.ts'
import { NameComparer } from './compare-names.ts'
import { PlaceComparer, PlaceCounts, stateOfRow } from './compare-places.ts'
import { FoundPeople } from './found-people.ts'
import { NameWords } from './name-words.ts'
import { readClues } from './read-clues.ts'
import type { Candidate } from './weighed-person.ts'

/** The result for one row. */
export interface Identified {
  /** Best first; people with a score of 0 are left out. */
  readonly candidates: readonly Candidate[]
  /** Descriptions of texts in the row that could not be parsed. */
  readonly faults: readonly string[]
  /** Whether the row has any clue by which a person can be found. */
  readonly isSearchable: boolean
  /**
   * The best score of a suppressed person, if the clues compare suppressed people; else 0. Suppressed people
   * are never candidates.
   */
  readonly suppressedScore: number
}

/**
 * Finds the people whom rows describe. It caches facts about the snapshot, so each thread creates one per
 * snapshot and keeps it.
 */
export class Identifier {
  readonly #snapshot: Snapshot
  readonly #words: NameWords
  readonly #counts: PlaceCounts

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
    this.#words = new NameWords(snapshot)
    this.#counts = new PlaceCounts(snapshot)
  }

  /** Parses rows. `today` is `YYYY-MM-DD`. */
  read(rows: readonly Clues[], today: string, weighsSuppressed: boolean): ReadClues[] {
    return readClues(this.#snapshot, this.#words, rows, today, weighsSuppressed)
  }

  /** Returns the people whom a row may describe. */
  identify(read: ReadClues, today: string): Identified {
    const { faults } = read
    if (!isSearchable(read)) return { candidates: [], faults, isSearchable: false, suppressedScore: 0 }
    const { shards, suppressed } = this.#snapshot
    const hidden = read.weighsSuppressed ? null : suppressed
    const { name } = read
    const names = name === null ? null : this.#words.shards.map((words) => new NameComparer(words, name))
    const state = read.places === null ? 0 : stateOfRow(this.#counts, read.places)
    const places =
      read.places?.map((_, at) => new PlaceComparer(shards[at]!.index, at, this.#counts, read.places!, state, hidden !== null)) ?? null // prettier-ignore
    const found = new FoundPeople(this.#snapshot, this.#words, names, places, read, packDate(today), hidden)
    addCandidates(this.#snapshot, this.#words, this.#counts, read, found)
    const candidates = found.ranked()
    return withoutSuppressed(suppressed, { candidates, faults, isSearchable: true, suppressedScore: 0 })
  }
}

// Suppressed people are removed after all people were compared. If they were left out before, a row about one
// of them could match a relative.
function withoutSuppressed(suppressed: Suppressed | null, found: Identified): Identified {
  if (suppressed === null) return found
  const isSuppressed = ({ person }: Candidate): boolean => suppressed.people[person] === 1
  const [best] = found.candidates.filter(isSuppressed)
  if (best === undefined) return found
  return {
    ...found,
    candidates: found.candidates.filter((one) => !isSuppressed(one)),
    suppressedScore: best.score,
  }
}
