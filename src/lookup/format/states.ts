/**
 * Every state code that a query can have. The position in this list, counted from 1, is the state's number in
 * the index.
 */
export const STATES = [
  'AL', 'AK', 'AZ', 'AR', 'AS', 'CA', 'CO', 'CT', 'DE', 'DC', 'FL', 'GA', 'GU', 'HI', 'ID', 'IL', 'IN', 'IA', 'KS', 'KY',
  'LA', 'ME', 'MD', 'MA', 'MI', 'MN', 'MS', 'MO', 'MT', 'NE', 'NV', 'NH', 'NJ', 'NM', 'NY', 'NC', 'ND', 'MP', 'OH', 'OK',
  'OR', 'PA', 'PR', 'RI', 'SC', 'SD', 'TN', 'TX', 'TT', 'UT', 'VT', 'VA', 'VI', 'WA', 'WV', 'WI', 'WY',
] as const // prettier-ignore

const CODES = new Map<string, number>(STATES.map((state, index) => [state, index + 1]))

/** Returns the number of a state, from 1 to 57; 0 for any other text. */
export function stateCode(state: string | null): number {
  return state === null ? 0 : (CODES.get(state.toUpperCase()) ?? 0)
}
