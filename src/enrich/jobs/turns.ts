/**
 * Runs tasks, at most `most` at a time. Accounts take turns: an account's second task runs after the first task of
 * every waiting account.
 */
export class Turns {
  #free: number
  /** Waiting tasks by account. The first account is next. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(most: number) {
    this.#free = most
  }

  async run<T>(account_id: string, task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#turn(account_id)
    try {
      return await task()
    } finally {
      this.#next()
    }
  }

  #turn(account_id: string): Promise<void> {
    const turn = Promise.withResolvers<void>()
    const queue = this.#waiting.get(account_id)
    if (queue === undefined) this.#waiting.set(account_id, [turn.resolve])
    else queue.push(turn.resolve)
    return turn.promise
  }

  #next(): void {
    const [first] = this.#waiting
    if (first === undefined) {
      this.#free++
      return
    }
    const [account_id, [start, ...rest]] = first
    this.#waiting.delete(account_id)
    if (rest.length > 0) this.#waiting.set(account_id, rest)
    start!()
  }
}
