import { AppError } from '../errors.ts'
import type { EventRegions } from '../events/event-regions.ts'
import type { Regions } from '../normalize/regions.ts'
import type { Jurisdiction } from './test-events.ts'

const LOOKUP_URL = '/v1/regions/states'

/** A region with deed events, in the form that subscriptions store. */
export interface SubscribedRegion {
  readonly region: string
  /** The code of a state (`TX`), or the FIPS code of a county (`48453`). */
  readonly area: string
}

/**
 * Reads the region of a subscription: `state:tx`, `county:tx.travis` or `county:48453`.
 * @throws `unknown_region` for a text that names no region, and for a region without deed events.
 */
export function readSubscribedRegion(
  regions: Regions,
  eventRegions: EventRegions,
  text: string,
): SubscribedRegion {
  const reading = regions.read(text)
  if (reading.kind === 'malformed') {
    throw refusal('must be state:tx, county:tx.travis or county:48453', LOOKUP_URL)
  }
  if (reading.kind === 'unknown') {
    const { state_code } = reading
    const lookup_url = state_code === null ? LOOKUP_URL : `${LOOKUP_URL}/${state_code}/counties`
    throw refusal(`must be an existing state or county: ${lookup_url} lists them`, lookup_url)
  }
  const { state_code, fips_code } = reading.region
  if (!eventRegions.has(state_code)) {
    const { states } = eventRegions
    throw refusal(
      states.length === 0
        ? 'must be a region with deed events: no deed events are published yet'
        : `must be in ${states.join(', ')}: other states have no deed events`,
      LOOKUP_URL,
    )
  }
  return { region: text.trim().toLowerCase(), area: fips_code ?? state_code }
}

/** Returns the county of a subscription's area; for a state, its first county. */
export function jurisdictionOf(regions: Regions, area: string): Jurisdiction {
  const state = regions.stateOf(area) ?? area
  const counties = regions.counties(state) ?? []
  const county = counties.find(({ fips_code }) => fips_code === area) ?? counties[0]
  return { county: county?.name ?? '', state, fips_code: county?.fips_code ?? '' }
}

function refusal(reason: string, lookup_url: string): AppError {
  return new AppError('unknown_region', `body -> region: ${reason}`, {
    details: { field: 'region', validation_error: reason, lookup_url },
  })
}
