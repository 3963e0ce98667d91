import { referenceRows } from '../../normalize/reference.ts'

/** Returns the FIPS codes of counties by `NAME|ST` in upper case: `TRAVIS|TX`. */
export function countyCodes(): Map<string, string> {
  return new Map(
    referenceRows('counties.csv').map(([fips, name, state]) => [`${name!.toUpperCase()}|${state!}`, fips!]),
  )
}
