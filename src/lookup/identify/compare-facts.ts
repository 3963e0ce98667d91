import { ageAt, DEAD } from '../format/birth.ts'
import { GENERATIONS, TRAIT } from '../format/columns.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { ContactClue, ReadClues } from './clues.ts'
import { BIRTH, CONTACT, GENERATION } from './weights.ts'

export type BirthAgreement = 'same' | 'near' | 'other' | 'unknown'

/** The match weights of a phone or e-mail address: natural logarithms of likelihood ratios. */
interface ContactWeights {
  readonly share: number
  /** The bit of person_traits for a known contact of this kind. */
  readonly trait: number
  /**
   * Weights for a person who does not have the row's contact: `others` when it is known as another person's,
   * `unknown` when nobody has it.
   */
  readonly others: ByKnown
  readonly unknown: ByKnown
}
/** Weights by the contacts of the person: of both kinds, only of this kind, only of the other kind, none. */
interface ByKnown {
  readonly both: number
  readonly own: number
  readonly other: number
  readonly none: number
}

export const PHONE: ContactWeights = { share: CONTACT.phone, trait: TRAIT.PHONE, others: CONTACT.othersPhone, unknown: CONTACT.unknownPhone } // prettier-ignore
export const EMAIL: ContactWeights = { share: CONTACT.email, trait: TRAIT.EMAIL, others: CONTACT.othersEmail, unknown: CONTACT.unknownEmail } // prettier-ignore

/**
 * Returns the match weight of the row's phones (or e-mail addresses) for a person who has one of them: the
 * best weight of any of them. Returns null for a person who has none.
 */
export function holderWeight(
  clues: readonly ContactClue[],
  person: number,
  personCount: number,
  { share }: ContactWeights,
): number | null {
  let best: number | null = null
  for (const { qualities, total } of clues) {
    const quality = qualities.get(person)
    if (quality === undefined) continue
    const weight = Math.log((share * quality * personCount) / (total + CONTACT.unlistedHolders))
    if (best === null || weight > best) best = weight
  }
  return best
}

/**
 * Returns the match weight of a person who has none of the row's phones (or e-mail addresses); 0 when the row
 * has none.
 */
export function strangerWeight(
  clues: readonly ContactClue[],
  traits: number,
  { trait, others, unknown }: ContactWeights,
): number {
  if (clues.length === 0) return 0
  const weights = clues.some(({ qualities }) => qualities.size > 0) ? others : unknown
  const known = traits & (TRAIT.PHONE | TRAIT.EMAIL)
  return known === 0 ? weights.none : known === trait ? weights.own : (known & trait) === 0 ? weights.other : weights.both // prettier-ignore
}

/**
 * Returns the match weight of Jr, Sr, II and so on. Half of all rows and records leave the suffix out, so a
 * missing one counts little.
 */
export function generationWeight(asked: string | null, traits: number): number {
  const recorded = traits & TRAIT.GENERATIONS
  if (asked === null) return recorded === 0 ? 0 : GENERATION.onlyRecord
  if (recorded === 0) return GENERATION.onlyRow
  return (recorded & (GENERATIONS[asked] ?? 0)) === 0 ? GENERATION.different : GENERATION.same
}

/** Returns the people whose known birth date is the packed date `date`, which must have a day. */
export function peopleBornOn({ columns }: Index, date: number): Uint32Array {
  const { birth_people, person_birth } = columns
  const from = firstBornFrom(birth_people, person_birth, date)
  return birth_people.subarray(from, firstBornFrom(birth_people, person_birth, date + 1))
}

function firstBornFrom(people: Uint32Array, births: Uint32Array, date: number): number {
  let low = 0
  let high = people.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (births[people[middle]!]! % DEAD < date) low = middle + 1
    else high = middle
  }
  return low
}

function compareDates(asked: number, record: number): { weight: number; agreement: BirthAgreement } {
  const [year, otherYear] = [Math.trunc(asked / 10_000), Math.trunc(record / 10_000)]
  const [day, otherDay] = [asked % 10_000, record % 10_000]
  const isWhole = day % 100 > 0 && otherDay % 100 > 0
  if (year === otherYear) {
    if (day === otherDay) return { weight: isWhole ? BIRTH.day : day > 0 ? BIRTH.month : BIRTH.year, agreement: 'same' } // prettier-ignore
    // January 1 often stands for a date of which only the year is known.
    if (day === 0 || otherDay === 0 || day === 101 || otherDay === 101)
      return { weight: BIRTH.year, agreement: 'same' }
    const isMonth = Math.trunc(day / 100) === Math.trunc(otherDay / 100)
    if (isMonth && !isWhole) return { weight: BIRTH.month, agreement: 'same' }
    if (isMonth) return { weight: BIRTH.otherDay, agreement: 'near' }
    if (day === (otherDay % 100) * 100 + Math.trunc(otherDay / 100)) return { weight: BIRTH.swapped, agreement: 'near' } // prettier-ignore
    return { weight: BIRTH.sameYear, agreement: 'other' }
  }
  if (day === otherDay && isWhole) return { weight: BIRTH.otherYear, agreement: 'near' }
  return { weight: BIRTH.other, agreement: 'other' }
}

/** Returns the match weight of the row's birth date, or age, for a person born on the date `packed`. */
export function compareBirth(
  { birth, age }: ReadClues,
  packed: number,
  today: number,
): { weight: number; agreement: BirthAgreement } {
  const record = packed >= DEAD ? packed - DEAD : packed
  if (record === 0 || (birth === 0 && age === null)) return { weight: 0, agreement: 'unknown' }
  if (birth > 0) return compareDates(birth, record)
  const recordAge = ageAt(record, today)
  if (recordAge === null) return { weight: 0, agreement: 'unknown' }
  const difference = Math.abs(recordAge - age!)
  if (difference <= 1) return { weight: BIRTH.age, agreement: 'same' }
  return difference <= 2
    ? { weight: BIRTH.nearAge, agreement: 'near' }
    : { weight: BIRTH.other, agreement: 'other' }
}
