import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Region, Regions } from '../normalize/regions.ts'

/**
 * The regions whose deed events callers can reach. Event searches, webhook subscriptions, releases and
 * `supported_webhook_events` all ask this class, so they always agree.
 */
export class EventRegions {
  readonly #wanted: Config['EVENT_STATES']
  readonly #regions: Regions
  readonly #eventCounties: () => ReadonlySet<string>
  #counties: ReadonlySet<string> | null = null
  #states: readonly string[] = []

  /** `eventCounties` returns the FIPS codes of the counties with events in the snapshot that is served now. */
  constructor(wanted: Config['EVENT_STATES'], regions: Regions, eventCounties: () => ReadonlySet<string>) {
    const known = new Set(regions.states.map(({ state_code }) => state_code))
    const strangers = wanted === 'loaded' ? [] : wanted.filter((code) => !known.has(code))
    if (strangers.length > 0) {
      throw new AppError(
        'bad_config',
        `EVENT_STATES has unknown codes: ${strangers.join(', ')}. GET /v1/regions/states lists the codes of states and territories`,
      )
    }
    this.#wanted = wanted
    this.#regions = regions
    this.#eventCounties = eventCounties
  }

  /** The codes of the reachable states, in the order of `EVENT_STATES`; for `loaded`, ordered by code. */
  get states(): readonly string[] {
    if (this.#wanted !== 'loaded') return this.#wanted
    const counties = this.#eventCounties()
    if (counties !== this.#counties) {
      this.#counties = counties
      this.#states = statesOf(counties, this.#regions)
    }
    return this.#states
  }

  has(state_code: string): boolean {
    return this.states.includes(state_code)
  }

  /**
   * Reads `state:tx`, `county:tx.travis` or `county:48453`. `part`: the part of the request, for the message.
   * @throws `invalid_parameter` for a text of another form, `unknown_region` for a region that does not exist or has no events.
   */
  read(text: string, part: 'query' | 'body'): Region {
    const reading = this.#regions.read(text)
    if (reading.kind === 'malformed')
      throw refusal(part, 'must be state:tx, county:tx.travis or county:48453')
    if (reading.kind === 'unknown') {
      const { state_code } = reading
      const lookup_url = state_code === null ? LOOKUP_URL : countiesOf(state_code)
      throw refusal(part, `must be an existing state or county: ${lookup_url} lists them`, lookup_url)
    }
    const { state_code, fips_code } = reading.region
    if (this.has(state_code)) return reading.region
    const reason =
      this.states.length === 0
        ? 'must be a region with deed events: no deed events are published yet'
        : `must be in ${this.states.join(', ')}: other states have no deed events`
    throw refusal(part, reason, fips_code === null ? LOOKUP_URL : countiesOf(state_code))
  }
}

const LOOKUP_URL = '/v1/regions/states'
const countiesOf = (state_code: string): string => `${LOOKUP_URL}/${state_code}/counties`

function refusal(part: string, reason: string, lookup_url?: string): AppError {
  return new AppError(
    lookup_url === undefined ? 'invalid_parameter' : 'unknown_region',
    `${part} -> region: ${reason}`,
    {
      details: { field: 'region', validation_error: reason, ...(lookup_url && { lookup_url }) },
    },
  )
}

/** Returns whether `EVENT_STATES` (`wanted`) includes a state. The snapshot may still have no events of it. */
export function isEventState(wanted: Config['EVENT_STATES'], state_code: string): boolean {
  return wanted === 'loaded' || wanted.includes(state_code)
}

function statesOf(counties: ReadonlySet<string>, regions: Regions): string[] {
  const states = new Set<string>()
  for (const fips_code of counties) {
    const state = regions.stateOf(fips_code)
    if (state !== null) states.add(state)
  }
  return [...states].sort()
}
