import { packDate } from '../format/birth.ts'
import type { Suppressed } from '../format/suppressed.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { addCandidates } from './candidates.ts'
import { type Clues, isSearchable, type ReadClues } from './clues.ts'
import { NameComparer } from './compare-names.ts'
import { PlaceComparer, PlaceCounts } from './compare-places.ts'
import { type Candidate, FoundPeople } from './found-people.ts'
import { NameWords } from './name-words.ts'
import { readClues } from './read-clues.ts'
import { WeighedPeople } from './weighed-people.ts'

export interface Identified {
  /** Best first; nobody with a score of 0. */
  readonly candidates: readonly Candidate[]
  /** What of the row could not be read. */
  readonly faults: readonly string[]
  /** Whether the row holds anything to search by. */
  readonly isSearchable: boolean
  /** The best score of somebody suppressed, when the clues weigh them; they are no candidates. 0 when there is nobody. */
  readonly suppressedScore: number
}

/** Finds whom rows mean. Keeps what is found out about the snapshot, so one is made per snapshot and thread. */
export class Identifier {
  readonly #snapshot: Snapshot
  readonly #words: NameWords
  readonly #counts: PlaceCounts
  readonly #weighed = new WeighedPeople()

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
    this.#words = new NameWords(snapshot.index, snapshot.workspace)
    this.#counts = new PlaceCounts(snapshot.index)
  }

  /** What rows say, by the numbers of the snapshot; `today` is `YYYY-MM-DD`. */
  read(rows: readonly Clues[], today: string, weighsSuppressed: boolean): ReadClues[] {
    return readClues(this.#snapshot, this.#words, rows, today, weighsSuppressed)
  }

  /** The people whom a row may mean. */
  identify(read: ReadClues, today: string): Identified {
    const { faults } = read
    if (!isSearchable(read)) return { candidates: [], faults, isSearchable: false, suppressedScore: 0 }
    this.#weighed.clear()
    const { index, workspace, suppressed } = this.#snapshot
    const hidden = read.weighsSuppressed ? null : suppressed
    const names = read.name === null ? null : new NameComparer(index, this.#words, read.name)
    const places =
      read.place === null ? null : new PlaceComparer(index, this.#counts, read.place, hidden?.people ?? null)
    const found = new FoundPeople(index, this.#weighed, names, places, read, packDate(today), hidden)
    addCandidates(index, workspace, this.#words, this.#counts, read, found)
    const candidates = found.ranked()
    return withoutSuppressed(suppressed, { candidates, faults, isSearchable: true, suppressedScore: 0 })
  }
}

// Taken out when all are weighed: a row that means somebody suppressed must not come to mean a relative of theirs.
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
