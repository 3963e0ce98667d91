import { AppError } from '../errors.ts'

export interface SlotLimits {
  readonly account: number
  readonly total: number
}

/** Limits the simultaneous requests that wait for something outside the service, per account and in total. */
export class Slots {
  readonly #what: string
  readonly #limits: SlotLimits
  readonly #taken = new Map<string, number>()
  #total = 0

  /** `what`: the name of such requests in errors, such as `uploads`. */
  constructor(what: string, limits: SlotLimits) {
    this.#what = what
    this.#limits = limits
  }

  /**
   * Takes a slot and returns a function that gives the slot back; further calls of the function do nothing.
   * @throws `rate_limited` when the account has no free slot, `overloaded` when the service has none.
   */
  take(account_id: string): () => void {
    const own = this.#taken.get(account_id) ?? 0
    if (own >= this.#limits.account)
      throw new AppError(
        'rate_limited',
        `the account has ${own} ${this.#what} in progress, the most that are allowed: wait until one of them has ended`,
      )
    if (this.#total >= this.#limits.total)
      throw new AppError(
        'overloaded',
        `the service has ${this.#total} ${this.#what} in progress, the most that it allows: try again in a few seconds`,
      )
    this.#taken.set(account_id, own + 1)
    this.#total += 1
    let isTaken = true
    return () => {
      if (isTaken) this.#giveBack(account_id)
      isTaken = false
    }
  }

  async run<T>(account_id: string, task: () => Promise<T>): Promise<T> {
    const release = this.take(account_id)
    try {
      return await task()
    } finally {
      release()
    }
  }

  #giveBack(account_id: string): void {
    const left = this.#taken.get(account_id)! - 1
    if (left === 0) this.#taken.delete(account_id)
    else this.#taken.set(account_id, left)
    this.#total -= 1
  }
}
