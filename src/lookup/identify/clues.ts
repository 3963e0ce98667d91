import { contactQuality } from '../person/match-score.ts'
import type { AskedLocation } from '../search/locations.ts'
import type { NameWord } from './name-words.ts'

/** What a row of a list says about one person, as its writer wrote it. Any of it may be wrong, old or missing. */
export interface Clues {
  readonly person_id?: string | undefined
  readonly name?: string | undefined
  readonly first_name?: string | undefined
  readonly middle_name?: string | undefined
  readonly last_name?: string | undefined
  /** A street line, or a whole address. */
  readonly street?: string | undefined
  readonly city?: string | undefined
  readonly state_code?: string | undefined
  readonly zipcode?: string | undefined
  readonly phones?: readonly string[] | undefined
  readonly emails?: readonly string[] | undefined
  readonly birth_date?: string | undefined
  readonly age?: string | undefined
}

export interface NameClue {
  readonly first: readonly NameWord[]
  readonly middle: readonly NameWord[]
  readonly last: readonly NameWord[]
  /** JR, SR, II … */
  readonly generation: string | null
  /** Whether an e-mail put right what the row has mistyped. */
  readonly isFirstCorrected: boolean
  readonly isLastCorrected: boolean
  /** Another surname, which an e-mail has. */
  readonly otherLast: NameWord | null
  /** Whether an e-mail has the surname that the row has: whoever has it was called so once. */
  readonly isLastInEmail: boolean
}

/** Who has a phone or an e-mail of the row, and how surely; people who are none of them lack it. */
export class ContactClue {
  readonly holders: readonly number[]
  /** The sum of the qualities. */
  readonly total: number
  readonly #qualities: readonly number[]
  /** Where each of many holders stands: everybody found is asked about, holders among them. */
  readonly #places: ReadonlyMap<number, number> | null

  constructor(people: readonly { readonly person: number; readonly score: number }[]) {
    this.holders = people.map(({ person }) => person)
    this.#qualities = people.map(({ score }) => contactQuality(score))
    this.total = this.#qualities.reduce((sum, quality) => sum + quality, 0)
    this.#places = people.length > FEW ? new Map(people.map(({ person }, at) => [person, at])) : null
  }

  /** How surely it is a person's; 0 for who doesn't hold it. */
  qualityOf(person: number): number {
    const at = this.#places === null ? this.holders.indexOf(person) : (this.#places.get(person) ?? -1)
    return at < 0 ? 0 : this.#qualities[at]!
  }
}

// Most phones have one or two holders, of whom a list is faster and smaller than a map.
const FEW = 32

/** A row's clues by the numbers of the snapshot. `faults` names what could not be read. */
export interface ReadClues {
  /** Whether people who are suppressed are weighed, too; otherwise the snapshot is searched as if they were not in it. */
  readonly weighsSuppressed: boolean
  readonly name: NameClue | null
  readonly phones: readonly ContactClue[]
  readonly emails: readonly ContactClue[]
  readonly place: AskedLocation | null
  /** Packed as in birth.ts; 0 when not said. */
  readonly birth: number
  readonly age: number | null
  readonly faults: readonly string[]
}

/** Whether anything is left that a person could be found by. */
export function isSearchable({ name, phones, emails, place }: ReadClues): boolean {
  return name !== null || phones.length > 0 || emails.length > 0 || (place !== null && place.street !== null)
}
