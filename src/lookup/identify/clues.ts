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

/** A phone or e-mail address of the row. */
export interface ContactClue {
  /** By number, in the snapshot, of each person who has it: how certain that is, from 0.5 to 1. */
  readonly qualities: ReadonlyMap<number, number>
  /** The sum of the qualities. */
  readonly total: number
}

/** The clues of a row. `faults` describes texts that could not be parsed. */
export interface ReadClues {
  /** Whether suppressed people are compared too. Otherwise they are treated as absent from the snapshot. */
  readonly weighsSuppressed: boolean
  readonly name: NameClue | null
  readonly phones: readonly ContactClue[]
  readonly emails: readonly ContactClue[]
  /** The place of the row for each shard of the snapshot. */
  readonly places: readonly AskedLocation[] | null
  /** The birth date as a number (`packDate` in format/birth.ts); 0 when unknown. */
  readonly birth: number
  readonly age: number | null
  readonly faults: readonly string[]
}

/** Returns whether the row has any clue by which a person can be found. */
export function isSearchable({ name, phones, emails, places }: ReadClues): boolean {
  return name !== null || phones.length > 0 || emails.length > 0 || (places !== null && places[0]!.street !== null) // prettier-ignore
}
