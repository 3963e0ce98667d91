import pLimit, { type LimitFunction } from 'p-limit'
import type { Answer } from './sender.ts'

/** Over all hosts. A connection with TLS costs some 100 kB. */
const MOST_UNDER_WAY = 512
/** On hosts that are slow, or not known yet: the others must have room beside any number of dead ones. */
const MOST_ON_SLOW_HOSTS = 256
/** Of a host that answers at once this many rounds are taken ahead, so that it doesn't wait for the file. */
export const ROUNDS_AHEAD = 4
const QUICK_MS = 1_000

/** The attempts on one host: so many at a time, the others in line. */
export class Lane {
  readonly #limit: LimitFunction
  /** Whether its last answer came at once. */
  isQuick = false

  constructor(perHost: number) {
    this.#limit = pLimit(perHost)
  }

  /** Attempts under way and in line. */
  get count(): number {
    return this.#limit.activeCount + this.#limit.pendingCount
  }

  run<T>(body: () => Promise<T>): Promise<T> {
    return this.#limit(body)
  }

  note({ failure, duration_ms }: Answer): void {
    this.isQuick = failure === null && duration_ms < QUICK_MS
  }
}

/** The hosts of a round of delivery. */
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

  /** What may be taken at this moment: of everything, and of one lane; `take` counts down. */
  room(): { readonly total: number; of(lane: Lane): number; take(lane: Lane, count: number): void } {
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
