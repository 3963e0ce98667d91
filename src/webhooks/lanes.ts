import pLimit, { type LimitFunction } from 'p-limit'
import type { EndpointResponse } from './sender.ts'

/** Most attempts at a time over all hosts. Each open TLS connection takes about 100 kB of memory. */
const MOST_UNDER_WAY = 512
/** Most attempts at a time on slow or unknown hosts, so that dead hosts cannot take all attempts. */
const MOST_ON_SLOW_HOSTS = 256
/** Further rounds of deliveries that are leased in advance for a quick host, so that it does not wait for the next transaction. */
export const ROUNDS_AHEAD = 4
const QUICK_MS = 1_000

/** The attempts on one host: `perHost` at a time, further ones in a queue. */
export class Lane {
  readonly #limit: LimitFunction
  /** Whether the last response arrived within a second. */
  isQuick = false

  constructor(perHost: number) {
    this.#limit = pLimit(perHost)
  }

  /** Attempts in progress and in the queue. */
  get count(): number {
    return this.#limit.activeCount + this.#limit.pendingCount
  }

  run<T>(body: () => Promise<T>): Promise<T> {
    return this.#limit(body)
  }

  note({ failure, duration_ms }: EndpointResponse): void {
    this.isQuick = failure === null && duration_ms < QUICK_MS
  }
}

/** The lanes of a round, one per host. */
export class Lanes {
  readonly #perHost: number
  readonly #lanes = new Map<string, Lane>()

  constructor(perHost: number) {
    this.#perHost = perHost
  }

  of(host: string): Lane {
    const lane = this.#lanes.get(host) ?? new Lane(this.#perHost)
    this.#lanes.set(host, lane)
    return lane
  }

  /** Returns how many deliveries may be taken now, in total and for a lane. `take` subtracts taken ones. */
  capacity(): { readonly total: number; of(lane: Lane): number; take(lane: Lane, count: number): void } {
    const perHost = this.#perHost
    const taken = new Map<Lane, number>()
    let total = MOST_UNDER_WAY
    let slow = MOST_ON_SLOW_HOSTS
    const take = (lane: Lane, count: number): void => {
      total -= count
      if (!lane.isQuick) slow -= count
    }
    for (const lane of this.#lanes.values()) take(lane, lane.count)
    return {
      total,
      of(lane) {
        const most = lane.isQuick ? perHost * (1 + ROUNDS_AHEAD) : perHost
        return Math.min(
          most - lane.count - (taken.get(lane) ?? 0),
          lane.isQuick ? total : Math.min(total, slow),
        )
      },
      take(lane, count) {
        taken.set(lane, (taken.get(lane) ?? 0) + count)
        take(lane, count)
      },
    }
  }
}
