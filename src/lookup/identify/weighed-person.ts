import type { BirthAgreement } from './compare-facts.ts'
import type { NameComparison } from './compare-names.ts'
import type { PlaceComparison } from './compare-places.ts'

/** A person whom a row may describe. */
export interface Candidate {
  /** The number of the person in the snapshot. */
  readonly person: number
  /** The probability in percent, from 1 to 99, that the row describes this person. */
  readonly score: number
  /** Null when the row has no name. */
  readonly name: NameComparison | null
  /** Null when the row has no place. */
  readonly place: PlaceComparison | null
  readonly hasPhone: boolean
  readonly hasEmail: boolean
  readonly birth: BirthAgreement
}

/** A candidate with its match weights: natural logarithms of likelihood ratios. */
export interface WeighedPerson extends Omit<Candidate, 'score'> {
  /** The bits of person_traits. */
  readonly traits: number
  readonly phoneWeight: number
  readonly emailWeight: number
  readonly birthWeight: number
  /** The weight of the surname. */
  readonly surnameWeight: number
  /** The sum of all weights except those of home and phone, which relatives share. */
  readonly ownWeight: number
}
