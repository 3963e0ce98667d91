import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Regions } from '../normalize/regions.ts'

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

  /** The names of the reachable states for messages, such as `Texas, New York, Florida`; `none yet` when there are none. */
  get names(): string {
    const names = new Map(this.#regions.states.map((state) => [state.state_code, state.name]))
    if (this.states.length === 0) return 'none yet'
    return this.states.map((code) => names.get(code) ?? code).join(', ')
  }
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
