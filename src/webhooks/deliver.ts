import { type KeyObject, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { isBusy, isConflict } from '../state/faults.ts'
import type { Attempt, Claim, DueSubscription, Outcome } from './deliveries.ts'
import { type Lane, Lanes, ROUNDS_AHEAD } from './lanes.ts'
import { notificationOf } from './notification.ts'
import type { Webhooks } from './open.ts'
import { pauseAfter } from './retries.ts'
import { messageId, signedHeaders, signingKey } from './signing.ts'

export interface DeliverOptions {
  readonly webhooks: Webhooks
  readonly signal: AbortSignal
  readonly log: Log
  /** Returns a number from 0 to 1, which moves each retry within its range (tests replace it). */
  readonly random?: () => number
}

export type DeliveryCounts = Readonly<Record<Outcome, number>>

// Subscriptions take turns. One turn takes at least this many deliveries, because a statement per delivery is slow.
const LEAST_SHARE = 8
const LOOK_EVERY_MS = 1_000
const SETTLE_AFTER_MS = 50
const RETRY_WRITE_AFTER_MS = 250

/**
 * Delivers due deliveries until none is due or `signal` is aborted. After an abort it starts no new attempt and finishes those
 * in progress (15 s at most). Several processes may deliver from one state file at once: each delivery has a lease, so no two
 * processes try it at the same time. The deliveries of a killed process are due again when its lease ends.
 */
export async function deliverDue(options: DeliverOptions): Promise<DeliveryCounts> {
  const { webhooks } = options
  const round = new Round(options)
  // Usually nothing is due. Then no transaction is needed.
  const at = webhooks.now().getTime()
  const nextDueAt = await webhooks.deliveries.nextDueAt(at)
  if (nextDueAt === null || nextDueAt > at) return round.counts
  for (;;) {
    const claims = await round.write()
    for (const claim of claims) round.start(claim)
    if (round.isDone()) return round.counts
    await round.someFinished()
  }
}

/** Delivers until `signal` is aborted, checking for due deliveries every second. Returns the counts by outcome. */
export async function deliverContinually(options: DeliverOptions): Promise<DeliveryCounts> {
  const { signal, log } = options
  const sum = { delivered: 0, retried: 0, failed: 0 }
  while (!signal.aborted) {
    const counts = await deliverDue(options)
    for (const outcome of ['delivered', 'retried', 'failed'] as const) sum[outcome] += counts[outcome]
    if (counts.delivered + counts.retried + counts.failed > 0) log.info(counts, 'notifications delivered')
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  return sum
}

/** Milliseconds of a lease: a lane's attempts in sequence, each as slow as allowed, plus one in reserve. */
export function leaseMs(answerWithinMs: number): number {
  return (ROUNDS_AHEAD + 2) * answerWithinMs
}

/** A subscription in a round, with its signing keys and the lane of its host. */
interface Recipient extends DueSubscription {
  readonly lane: Lane
  readonly keys: readonly KeyObject[]
}

/** The state of one call of `deliverDue`: which subscriptions are next, which attempts are in progress or wait to be written. */
class Round {
  readonly counts: Record<Outcome, number> = { delivered: 0, retried: 0, failed: 0 }
  readonly #options: DeliverOptions
  readonly #lease = randomUUID()
  readonly #lanes: Lanes
  readonly #recipients = new Map<string, Recipient>()
  /** By subscription: the end of the pause that its endpoint asked for. Needed before the pause is written to the file. */
  readonly #quietUntil = new Map<string, number>()
  /** Subscriptions that had due deliveries at the last check, in the order of their turns. */
  #turns: Recipient[] = []
  readonly #finished: Attempt[] = []
  readonly #handedBack: Claim[] = []
  #underWay = 0
  #fault: unknown = null
  #foundNothing = false
  #wake: (() => void) | null = null

  constructor(options: DeliverOptions) {
    this.#options = options
    this.#lanes = new Lanes(options.webhooks.perHost)
  }

  /** Returns whether no attempt is in progress, none waits to be written, and the last check found none to take. */
  isDone(): boolean {
    const isIdle = this.#underWay === 0 && this.#finished.length === 0 && this.#handedBack.length === 0
    return isIdle && (this.#foundNothing || this.#options.signal.aborted)
  }

  /**
   * Writes the finished attempts and takes further deliveries in one transaction, so both share one commit to disk. While
   * another process has locked the file, it tries again until the lock is free.
   */
  async write(): Promise<Claim[]> {
    const { webhooks, log } = this.#options
    for (;;) {
      if (this.#fault !== null) throw this.#fault
      // Attempts that finish during the transaction are for the next one.
      const finished = this.#finished.splice(0)
      const handedBack = this.#handedBack.splice(0)
      const turns = this.#turns
      try {
        const { claims, outcomes } = await webhooks.db.transaction(
          async () => {
            this.#turns = turns
            const at = this.#options.webhooks.now().getTime()
            for (const claim of handedBack) await webhooks.deliveries.handBack(claim, at)
            const written: Outcome[] = []
            for (const attempt of finished) written.push(await webhooks.deliveries.settle(attempt))
            const hasLooked = await this.#look(at)
            const taken = await this.#take(at)
            this.#foundNothing = hasLooked && taken.length === 0
            return { outcomes: written, claims: taken }
          },
          { isolation: 'read committed' },
        )
        for (const outcome of outcomes) this.counts[outcome] += 1
        return claims
      } catch (cause) {
        this.#finished.unshift(...finished)
        this.#handedBack.unshift(...handedBack)
        this.#turns = turns
        if (!isBusy(cause) && !isConflict(cause)) throw cause
        log.warn(
          { attempts: finished.length, reason: messageOf(cause) },
          'delivery attempts could not be written and will be written again',
        )
        await delay(RETRY_WRITE_AFTER_MS)
      }
    }
  }

  start(claim: Claim): void {
    const recipient = this.#recipients.get(claim.subscription_id)
    if (recipient === undefined) return
    this.#underWay += 1
    const end = (note: () => void): void => {
      this.#underWay -= 1
      note()
      this.#wake?.()
    }
    void recipient.lane
      .run(() => this.#attempt(claim, recipient))
      .then(
        (attempt) =>
          end(() => (attempt === null ? this.#handedBack.push(claim) : this.#finished.push(attempt))),
        // The sender never rejects, so a rejection is a bug. `write` throws it, and no failed attempt is recorded.
        (fault: unknown) => end(() => (this.#fault = fault)),
      )
  }

  /**
   * Resolves when attempts wait to be written. It waits up to 50 ms longer, until half of the attempts have finished. So one
   * transaction writes many of them while the other half is in progress.
   */
  async someFinished(): Promise<void> {
    const settled = (): number => this.#finished.length + this.#handedBack.length
    await this.#until(() => settled() > 0 || this.#fault !== null)
    const stop = new AbortController()
    await Promise.race([
      this.#until(() => settled() >= this.#underWay),
      delay(SETTLE_AFTER_MS, undefined, { signal: stop.signal }).catch(() => {}),
    ])
    stop.abort()
  }

  #until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        if (!condition()) return
        this.#wake = null
        resolve()
      }
      this.#wake()
    })
  }

  /** Makes one attempt. Returns null when it was not made: the process stops, the lease ends too soon, or the endpoint has a pause. */
  async #attempt(claim: Claim, { url, keys, lane }: Recipient): Promise<Attempt | null> {
    const { webhooks, signal, random = Math.random } = this.#options
    const at = webhooks.now()
    const endsTooSoon = at.getTime() + webhooks.sender.answerWithinMs > claim.due_at
    if (signal.aborted || endsTooSoon || this.#isQuiet(claim.subscription_id, at.getTime())) return null
    const body = JSON.stringify(notificationOf(claim, webhooks.baseUrl))
    const message_id = messageId(claim.subscription_id, claim.event_id)
    const response = await webhooks.sender.post(url, signedHeaders(message_id, at, body, keys), body)
    lane.note(response)
    const pause = response.status_code === 410 ? Number.POSITIVE_INFINITY : pauseAfter(response)
    if (pause > 0) this.#quietUntil.set(claim.subscription_id, webhooks.now().getTime() + pause)
    return { claim, attempted_at: at.getTime(), response, random: random() }
  }

  #isQuiet(subscription_id: string, at: number): boolean {
    return (this.#quietUntil.get(subscription_id) ?? 0) > at
  }

  /** Reads the subscriptions with due deliveries, unless some of the last reading still wait. Returns whether it has read them. */
  async #look(at: number): Promise<boolean> {
    if (this.#turns.length > 0) return false
    const turns: Recipient[] = []
    for (const due of await this.#options.webhooks.deliveries.due(at)) turns.push(await this.#recipient(due))
    this.#turns = turns
    return true
  }

  async #recipient(due: DueSubscription): Promise<Recipient> {
    // The subscription has changed and may have been activated again, which ends its pause.
    if (this.#recipients.get(due.subscription_id)?.updated_at !== due.updated_at) {
      this.#quietUntil.delete(due.subscription_id)
    }
    const { webhooks } = this.#options
    const { host } = new URL(due.url)
    const lane = this.#lanes.of(host)
    const keys = (await webhooks.subscriptions.secrets(due.subscription_id)).map(signingKey)
    const recipient = { ...due, lane, keys }
    this.#recipients.set(due.subscription_id, recipient)
    return recipient
  }

  // Takes deliveries in turns, so that a subscription with many deliveries does not delay one with few.
  async #take(at: number): Promise<Claim[]> {
    const { webhooks, signal } = this.#options
    if (signal.aborted) return []
    const lease = leaseMs(webhooks.sender.answerWithinMs)
    const claims: Claim[] = []
    const served: Recipient[] = []
    const waiting: Recipient[] = []
    const capacity = this.#lanes.capacity()
    const share = Math.max(LEAST_SHARE, Math.ceil(capacity.total / Math.max(1, this.#turns.length)))
    for (const recipient of this.#turns) {
      if (this.#isQuiet(recipient.subscription_id, at)) continue
      const most = Math.min(share, capacity.of(recipient.lane))
      if (most <= 0) {
        waiting.push(recipient)
        continue
      }
      const more = await webhooks.deliveries.claim(recipient, at, this.#lease, lease, most)
      claims.push(...more)
      capacity.take(recipient.lane, more.length)
      if (more.length === most) served.push(recipient)
    }
    this.#turns = [...waiting, ...served]
    return claims
  }
}
