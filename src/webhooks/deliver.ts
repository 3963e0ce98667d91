import { type KeyObject, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { isBusy } from '../state/sqlite-faults.ts'
import { inTransaction } from '../state/transaction.ts'
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
  /** From 0 to 1: moves retries within their range. */
  readonly random?: () => number
}

export type DeliveryCounts = Readonly<Record<Outcome, number>>

// Taking one at a time costs 60 µs a delivery, eight at a time 12.
const LEAST_SHARE = 8
const LOOK_EVERY_MS = 1_000
const SETTLE_AFTER_MS = 50
const RETRY_WRITE_AFTER_MS = 250

/**
 * Delivers what is due until nothing is, or `signal` is aborted: then nothing new is begun, and attempts under way are
 * finished (15 s at most). Any number of processes may do so at once on one state file; each delivery has a lease, so
 * none is tried twice at once, and what a killed process had taken is due again when its lease ends.
 */
export async function deliverDue(options: DeliverOptions): Promise<DeliveryCounts> {
  const { webhooks } = options
  const round = new Round(options)
  // Most looks find nothing, and then need no transaction.
  const at = webhooks.now().getTime()
  const nextDueAt = webhooks.deliveries.nextDueAt(at)
  if (nextDueAt === null || nextDueAt > at) return round.counts
  for (;;) {
    const claims = await round.write()
    for (const claim of claims) round.start(claim)
    if (round.isDone()) return round.counts
    await round.someFinished()
  }
}

/** Delivers what is due, and what becomes due, until `signal` is aborted. Gives what that came to. */
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

/** How long a delivery is nobody else's: what is taken ahead, one slow attempt after the other, and a spare one. */
export function leaseMs(answerWithinMs: number): number {
  return (ROUNDS_AHEAD + 2) * answerWithinMs
}

interface Recipient extends DueSubscription {
  readonly lane: Lane
  readonly keys: readonly KeyObject[]
}

class Round {
  readonly counts: Record<Outcome, number> = { delivered: 0, retried: 0, failed: 0 }
  readonly #options: DeliverOptions
  readonly #lease = randomUUID()
  readonly #lanes: Lanes
  readonly #recipients = new Map<string, Recipient>()
  /** Until when a subscription asked to be left alone: known here before it is written. */
  readonly #quietUntil = new Map<string, number>()
  /** Subscriptions that had something due when it was looked last, in the order of their turns. */
  #turns: Recipient[] = []
  #finished: Attempt[] = []
  #handedBack: Claim[] = []
  #underWay = 0
  #fault: unknown = null
  #foundNothing = false
  #wake: (() => void) | null = null

  constructor(options: DeliverOptions) {
    this.#options = options
    this.#lanes = new Lanes(options.webhooks.perHost)
  }

  /** Nothing under way, nothing to write, and the last look found nothing that may be taken. */
  isDone(): boolean {
    const isIdle = this.#underWay === 0 && this.#finished.length === 0 && this.#handedBack.length === 0
    return isIdle && (this.#foundNothing || this.#options.signal.aborted)
  }

  /**
   * Writes what has finished and takes more, in one transaction: its fsync, 1 to 13 ms, is shared by what finished
   * meanwhile. Another process that holds the file is waited for, for as long as it takes.
   */
  async write(): Promise<Claim[]> {
    const { webhooks, log } = this.#options
    for (;;) {
      if (this.#fault !== null) throw this.#fault
      const finished = this.#finished
      const handedBack = this.#handedBack
      try {
        const { claims, outcomes } = inTransaction(webhooks.db, () => {
          const at = this.#options.webhooks.now().getTime()
          for (const claim of handedBack) webhooks.deliveries.handBack(claim, at)
          const written = finished.map((attempt) => webhooks.deliveries.settle(attempt))
          const hasLooked = this.#look(at)
          const taken = this.#take(at)
          this.#foundNothing = hasLooked && taken.length === 0
          return { outcomes: written, claims: taken }
        })
        this.#finished = []
        this.#handedBack = []
        for (const outcome of outcomes) this.counts[outcome] += 1
        return claims
      } catch (cause) {
        if (!isBusy(cause)) throw cause
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
        // The sender never rejects: this is a fault of ours, which a failed attempt would only hide.
        (fault: unknown) => end(() => (this.#fault = fault)),
      )
  }

  /**
   * Resolves when there is something to write, and a little later while there is more to come: at best when half of
   * what is under way has finished, so that the other half goes on while this half is written.
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

  /** Null: not tried after all. */
  async #attempt(claim: Claim, { url, keys, lane }: Recipient): Promise<Attempt | null> {
    const { webhooks, signal, random = Math.random } = this.#options
    const at = webhooks.now()
    const endsTooSoon = at.getTime() + webhooks.sender.answerWithinMs > claim.due_at
    if (signal.aborted || endsTooSoon || this.#isQuiet(claim.subscription_id, at.getTime())) return null
    const body = JSON.stringify(notificationOf(claim, webhooks.baseUrl))
    const message_id = messageId(claim.subscription_id, claim.event_id)
    const answer = await webhooks.sender.post(url, signedHeaders(message_id, at, body, keys), body)
    lane.note(answer)
    const pause = answer.status_code === 410 ? Number.POSITIVE_INFINITY : pauseAfter(answer)
    if (pause > 0) this.#quietUntil.set(claim.subscription_id, webhooks.now().getTime() + pause)
    return { claim, attempted_at: at.getTime(), answer, random: random() }
  }

  #isQuiet(subscription_id: string, at: number): boolean {
    return (this.#quietUntil.get(subscription_id) ?? 0) > at
  }

  /** Reads which subscriptions have something due, once each has had its turn. Returns whether it has read. */
  #look(at: number): boolean {
    if (this.#turns.length > 0) return false
    this.#turns = this.#options.webhooks.deliveries.due(at).map((due) => this.#recipient(due))
    return true
  }

  #recipient(due: DueSubscription): Recipient {
    // A subscription that was changed may have been made active again.
    if (this.#recipients.get(due.subscription_id)?.updated_at !== due.updated_at) {
      this.#quietUntil.delete(due.subscription_id)
    }
    const { webhooks } = this.#options
    const { host } = new URL(due.url)
    const lane = this.#lanes.of(host)
    const keys = webhooks.subscriptions.secrets(due.subscription_id).map(signingKey)
    const recipient = { ...due, lane, keys }
    this.#recipients.set(due.subscription_id, recipient)
    return recipient
  }

  // Turn by turn, so that a subscription with a hundred thousand deliveries doesn't stand before one with a single one.
  #take(at: number): Claim[] {
    const { webhooks, signal } = this.#options
    if (signal.aborted) return []
    const lease = leaseMs(webhooks.sender.answerWithinMs)
    const claims: Claim[] = []
    const served: Recipient[] = []
    const waiting: Recipient[] = []
    const room = this.#lanes.room()
    const share = Math.max(LEAST_SHARE, Math.ceil(room.total / Math.max(1, this.#turns.length)))
    for (const recipient of this.#turns) {
      if (this.#isQuiet(recipient.subscription_id, at)) continue
      const most = Math.min(share, room.of(recipient.lane))
      if (most <= 0) {
        waiting.push(recipient)
        continue
      }
      const more = webhooks.deliveries.claim(recipient, at, this.#lease, lease, most)
      claims.push(...more)
      room.take(recipient.lane, more.length)
      if (more.length === most) served.push(recipient)
    }
    this.#turns = [...waiting, ...served]
    return claims
  }
}
