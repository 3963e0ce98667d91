import { referenceRows } from '../../normalize/reference.ts'

/** FIPS codes by `NAME|ST`, upper case: `TRAVIS|TX`. */
export function countyCodes(): Map<string, string> {
  return new Map(
    referenceRows('counties.csv').map(([fips, name, state]) => [`${name!.toUpperCase()}|${state!}`, fips!]),
  )
}
