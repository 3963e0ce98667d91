import { contactQuality } from '../person/match-score.ts'
import type { AskedLocation } from '../search/locations.ts'
import type { NameWord } from './name-words.ts'

/**
 * The data about one person in a row of an input file, as it is written there. Any of it may be wrong, old or
 * missing.
 */
export interface Clues {
  readonly person_id?: string | undefined
  readonly name?: string | undefined
  readonly first_name?: string | undefined
  readonly middle_name?: string | undefined
  readonly last_name?: string | undefined
  /** A street line, or a whole address in one text. */
  readonly street?: string | undefined
  readonly city?: string | undefined
  readonly state_code?: string | undefined
  readonly zipcode?: string | undefined
  readonly phones?: readonly string[] | undefined
  readonly emails?: readonly string[] | undefined
  readonly birth_date?: string | undefined
  readonly age?: string | undefined
}

/** The name in a row, in words. */
export interface NameClue {
  readonly first: readonly NameWord[]
  readonly middle: readonly NameWord[]
  readonly last: readonly NameWord[]
  /** JR, SR, II and so on. */
  readonly generation: string | null
  /** Whether a typo in the row's name was corrected by the name in an e-mail address. */
  readonly isFirstCorrected: boolean
  readonly isLastCorrected: boolean
  /** A different surname in an e-mail address of the row. */
  readonly otherLast: NameWord | null
  /**
   * Whether an e-mail address of the row contains the row's surname. A holder of that address has, or had,
   * this surname.
   */
  readonly isLastInEmail: boolean
}

/** The people who have a phone or e-mail address of the row. */
export class ContactClue {
  readonly holders: readonly number[]
  /** The sum of the qualities of all holders. */
  readonly total: number
  readonly #qualities: readonly number[]
  /** By person, the position in `holders`. Null for few holders, of whom a search of the list is faster. */
  readonly #places: ReadonlyMap<number, number> | null

  constructor(people: readonly { readonly person: number; readonly score: number }[]) {
    this.holders = people.map(({ person }) => person)
    this.#qualities = people.map(({ score }) => contactQuality(score))
    this.total = this.#qualities.reduce((sum, quality) => sum + quality, 0)
    this.#places = people.length > FEW ? new Map(people.map(({ person }, at) => [person, at])) : null
  }

  /** Returns the quality of the contact as a person's, from 0 to 1; 0 for people who are not holders. */
  qualityOf(person: number): number {
    const at = this.#places === null ? this.holders.indexOf(person) : (this.#places.get(person) ?? -1)
    return at < 0 ? 0 : this.#qualities[at]!
  }
}

// Most phones have one or two holders. Up to this number a list is faster and smaller than a map.
const FEW = 32

/** The clues of a row, as numbers of the snapshot. `faults` describes texts that could not be parsed. */
export interface ReadClues {
  /** Whether suppressed people are compared too. Otherwise they are treated as absent from the snapshot. */
  readonly weighsSuppressed: boolean
  readonly name: NameClue | null
  readonly phones: readonly ContactClue[]
  readonly emails: readonly ContactClue[]
  readonly place: AskedLocation | null
  /** The packed birth date (birth.ts); 0 when unknown. */
  readonly birth: number
  readonly age: number | null
  readonly faults: readonly string[]
}

/** Returns whether the row has any clue by which a person can be found. */
export function isSearchable({ name, phones, emails, place }: ReadClues): boolean {
  return name !== null || phones.length > 0 || emails.length > 0 || (place !== null && place.street !== null)
}
