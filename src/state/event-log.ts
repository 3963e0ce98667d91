import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { type AccessEvent, billedOf } from './access-events.ts'

const FLUSH_AFTER_MS = 200
const RETRY_AFTER_MS = 1_000
const LAST_ATTEMPTS = 3
// About 300 MB. Only reached when writes fail for minutes under full load.
const MOST_UNWRITTEN = 1_000_000

/** Writes batches of access events. */
export interface EventWriter {
  /** Resolves when the batch is written whole; rejects when nothing of it is. */
  write(batch: readonly AccessEvent[]): Promise<void>
  close(): Promise<void>
}

/**
 * Collects access events and writes them to the state in batches. A batch that fails is retried until it is written. `close`
 * writes the rest. A killed process loses the events of its last 200 ms.
 */
export class EventLog {
  readonly #writer: EventWriter
  readonly #log: Log
  #waiting: AccessEvent[] = []
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #isClosing = false
  #refusedCount = 0

  constructor(writer: EventWriter, log: Log) {
    this.#writer = writer
    this.#log = log
  }

  /** Adds an event to the current batch without waiting. */
  record(event: AccessEvent): void {
    if (this.#waiting.length >= MOST_UNWRITTEN) {
      this.#refusedCount += 1
      return
    }
    this.#waiting.push(event)
    if (this.#timer === null && this.#writing === null) this.#startTimer()
  }

  /** Number of events that wait for the next batch. */
  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Resolves when every event recorded before the call is in the file. */
  async flush(): Promise<void> {
    while (this.#writing !== null || this.#waiting.length > 0) {
      this.#stopTimer()
      this.#writing ??= this.#writeWaiting()
      await this.#writing
    }
  }

  /** Writes the waiting events at the end of a service. A batch that fails three times is dropped and logged. */
  async finish(): Promise<void> {
    this.#isClosing = true
    await this.flush()
  }

  async close(): Promise<void> {
    try {
      await this.finish()
    } finally {
      this.#stopTimer()
      await this.#writer.close()
    }
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#writing ??= this.#writeWaiting()
    }, FLUSH_AFTER_MS)
    // The timer must not keep a process alive that has nothing else to do; closing the state writes the events.
    this.#timer.unref()
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  async #writeWaiting(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      await this.#writeUntilDone(batch)
      if (this.#refusedCount > 0) {
        this.#log.error(
          { events: this.#refusedCount },
          'access events were lost: too many were waiting to be written',
        )
        this.#refusedCount = 0
      }
    } catch (cause) {
      this.#log.error(
        { ...summaryOf(batch), reason: messageOf(cause) },
        'access events were lost: they could not be written before the process ended',
      )
    } finally {
      this.#writing = null
      if (this.#waiting.length > 0 && !this.#isClosing) this.#startTimer()
    }
  }

  async #writeUntilDone(batch: readonly AccessEvent[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#writer.write(batch)
        return
      } catch (cause) {
        if (this.#isClosing && attempt >= LAST_ATTEMPTS) throw cause
        this.#log.error(
          { events: batch.length, attempt, reason: messageOf(cause) },
          'access events could not be written and will be written again',
        )
        await delay(RETRY_AFTER_MS)
      }
    }
  }
}

/** Summarizes a batch for the log: number of events, time range, and billed requests by key. */
function summaryOf(batch: readonly AccessEvent[]): object {
  const billed_by_key: Record<string, number> = {}
  for (const event of batch)
    billed_by_key[event.api_key_id] = (billed_by_key[event.api_key_id] ?? 0) + billedOf(event)
  const [from, to] = [batch[0], batch.at(-1)].map((event) => new Date(event?.event_ts ?? 0).toISOString())
  return { events: batch.length, from, to, billed_by_key }
}
