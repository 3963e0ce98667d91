/**
 * How strong a match is, 1 to 99: 60 % how well the input matches and 40 % how complete and well-corroborated the record is.
 * How well the input matches is the mean of the qualities of what was asked, by these weights.
 */
export const WEIGHTS = { name: 4, phone: 3, email: 3, address: 2, age: 1 } as const
export type AskedFor = keyof typeof WEIGHTS

/** In the order in which `matched_by` names them. */
export const ASKED_FOR = ['name', 'phone', 'email', 'address', 'age'] as const satisfies readonly AskedFor[]

/** Exact matches score from here on, fuzzy ones below, so that one order shows exact ones first. */
const EXACT_FLOOR = 50

/** `match` and `completeness` from 0 to 1. */
export function matchScore(match: number, completeness: number, isExact: boolean): number {
  const score = 60 * match + 40 * completeness
  if (isExact) return Math.min(99, Math.max(EXACT_FLOOR, Math.round(score)))
  return Math.min(EXACT_FLOOR - 1, Math.max(1, Math.round(score / 2)))
}

/** A phone or e-mail that is a person's with a score of 0 still is half a match. */
export function contactQuality(score: number): number {
  return 0.5 + score / 200
}
