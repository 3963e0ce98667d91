import { expect } from 'vitest'

/** Messages of refusals that many routes share. */
export const REFUSED_KEY = expect.stringMatching(
  /^The header (?:X-Api-Key|Authorization) is missing/,
) as string
export const RATE_LIMITED = expect.stringMatching(/^Too many .* Retry-After, then try again\.$/) as string
