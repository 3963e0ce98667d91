import { AppError } from '../errors.ts'
import { EVENT_STATES, loadRegions, type Regions } from '../normalize/regions.ts'
import type { Jurisdiction } from './test-events.ts'

const LOOKUP_URL = '/v1/regions/states'

/** A region that has deed events, as subscriptions keep it. */
export interface SubscribedRegion {
  readonly region: string
  /** The code of a state (`TX`), or the FIPS code of a county (`48453`). */
  readonly area: string
}

/** The regions that can be subscribed to. */
export class SubscribableRegions {
  readonly #regions: Regions = loadRegions()

  /** Reads `state:tx`, `county:tx.travis` or `county:48453`; an `unknown_region` when it has no deed events. */
  read(text: string): SubscribedRegion {
    const reading = this.#regions.read(text)
    if (reading.kind === 'malformed') {
      throw refusal('must be state:tx, county:tx.travis or county:48453', LOOKUP_URL)
    }
    if (reading.kind === 'unknown') {
      const { state_code } = reading
      const lookup_url = state_code === null ? LOOKUP_URL : `${LOOKUP_URL}/${state_code}/counties`
      throw refusal(`must be a state or county that there is: ${lookup_url} lists them`, lookup_url)
    }
    const { state_code, fips_code } = reading.region
    if (!EVENT_STATES.has(state_code)) {
      throw refusal(
        `must lie in ${[...EVENT_STATES].join(', ')}: there are no deed events elsewhere`,
        LOOKUP_URL,
      )
    }
    return { region: text.trim().toLowerCase(), area: fips_code ?? state_code }
  }

  /** The county of a subscription's area; of a state, its first one. */
  jurisdictionOf(area: string): Jurisdiction {
    const state = this.#regions.stateOf(area) ?? area
    const counties = this.#regions.counties(state) ?? []
    const county = counties.find(({ fips_code }) => fips_code === area) ?? counties[0]
    return { county: county?.name ?? '', state, fips_code: county?.fips_code ?? '' }
  }
}

function refusal(reason: string, lookup_url: string): AppError {
  return new AppError('unknown_region', `body -> region: ${reason}`, {
    details: { field: 'region', validation_error: reason, lookup_url },
  })
}
