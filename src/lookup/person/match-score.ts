/**
 * The weights of the parts of a query. A match score from 1 to 99 consists of 60 % match quality and 40 %
 * completeness of the record. The match quality is the weighted mean of the qualities of the query's parts.
 */
export const WEIGHTS = { name: 4, phone: 3, email: 3, address: 2, age: 1 } as const
export type AskedFor = keyof typeof WEIGHTS

/** The kinds of condition in the order in which `matched_by` lists them. */
export const ASKED_FOR = ['name', 'phone', 'email', 'address', 'age'] as const satisfies readonly AskedFor[]

/** Exact matches score at least this, and fuzzy matches less. So one sort order puts exact matches first. */
const EXACT_FLOOR = 50

/** Returns the match score. `match` and `completeness` are from 0 to 1. */
export function matchScore(match: number, completeness: number, isExact: boolean): number {
  const score = 60 * match + 40 * completeness
  if (isExact) return Math.min(99, Math.max(EXACT_FLOOR, Math.round(score)))
  return Math.min(EXACT_FLOOR - 1, Math.max(1, Math.round(score / 2)))
}

/**
 * Returns the quality of a contact in a search, from 0.5 to 1. `score`, from 0 to 100, says how certain it is
 * that the phone or e-mail address is the person's.
 */
export function contactQuality(score: number): number {
  return 0.5 + score / 200
}
