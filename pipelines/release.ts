import type { Clock } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { isEventState } from '../src/events/event-regions.ts'
import { EventLedger } from '../src/events/ledger.ts'
import { newEvents } from '../src/events/news.ts'
import type { Log } from '../src/log.ts'
import type { State } from '../src/state/open.ts'
import { inTransaction } from '../src/state/transaction.ts'
import { releaseEvents } from '../src/webhooks/release.ts'

export interface ReleaseOptions {
  readonly state: Pick<State, 'db'>
  /** The snapshot that is current. */
  readonly snapshot: { readonly version: string; readonly folder: string }
  /** Events outside these states are noted as known, and nobody is notified of them. */
  readonly eventStates: Config['EVENT_STATES']
  /** Events recorded longer ago are history, whenever they come. */
  readonly newsDays: number
  readonly now: Clock
  readonly log: Log
}

export interface Released {
  readonly event_count: number
  readonly delivery_count: number
  /** Events taken in as history: nobody is told of them. */
  readonly history_count: number
}

/**
 * Tells subscribers what is new in the current snapshot: events, their deliveries and the note of the release are
 * written in one transaction, so a process that is killed has told all or nothing, and the next run goes on. A
 * snapshot is released once; null when it has been.
 */
export async function releaseNews(options: ReleaseOptions): Promise<Released | null> {
  const { state, snapshot, eventStates, newsDays, now, log } = options
  const ledger = new EventLedger(state.db)
  if (ledger.isReleased(snapshot.version)) return null
  if (ledger.isEmptied()) {
    log.warn(
      { snapshot: snapshot.version },
      'the ledger of events was emptied: all events of this snapshot are history, and nobody is notified of them',
    )
  }
  const at = now()
  const { events, history, origins } = await newEvents(snapshot.folder, ledger, { now: at, newsDays })
  const reachable = events.filter((event) => isEventState(eventStates, event.state))
  const released = inTransaction(state.db, () => {
    const { event_count, delivery_count } = releaseEvents(state.db, reachable, at)
    const counts = { event_count, delivery_count, history_count: history.length }
    const known = [...events, ...history].map(({ event_id, recorded_date }) => ({
      event_id,
      recorded_on: recorded_date,
    }))
    ledger.add({ snapshot_version: snapshot.version, events: known, origins, ...counts }, at)
    return counts
  })
  log.info({ snapshot: snapshot.version, ...released }, 'news released')
  return released
}
