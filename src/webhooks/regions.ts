import type { Regions } from '../normalize/regions.ts'
import type { Jurisdiction } from './test-events.ts'

/** Returns the county of a subscription's area; for a state, its first county. */
export function jurisdictionOf(regions: Regions, area: string): Jurisdiction {
  const state = regions.stateOf(area) ?? area
  const counties = regions.counties(state) ?? []
  const county = counties.find(({ fips_code }) => fips_code === area) ?? counties[0]
  return { county: county?.name ?? '', state, fips_code: county?.fips_code ?? '' }
}
