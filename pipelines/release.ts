import type { Clock } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { isEventState } from '../src/events/event-regions.ts'
import { EventLedger } from '../src/events/ledger.ts'
import { newEvents } from '../src/events/new-events.ts'
import type { Log } from '../src/log.ts'
import type { State } from '../src/state/open.ts'
import { releaseEvents } from '../src/webhooks/release.ts'

export interface ReleaseOptions {
  readonly state: Pick<State, 'db'>
  /** The current snapshot. */
  readonly snapshot: { readonly version: string; readonly folder: string }
  /** Events outside these states are recorded as known, and no subscriber is notified. */
  readonly eventStates: Config['EVENT_STATES']
  /** Events that were recorded longer ago are history: no subscriber is notified. */
  readonly newsDays: number
  readonly now: Clock
  readonly log: Log
}

export interface Released {
  readonly event_count: number
  readonly delivery_count: number
  /** Number of events that were recorded as history. */
  readonly history_count: number
}

/**
 * Releases the new events of the current snapshot: subscribers are notified of them. One transaction writes the events, their deliveries and the
 * record of the release, so a killed process has released all or nothing. Returns null when the snapshot was
 * released before.
 */
export async function releaseNews(options: ReleaseOptions): Promise<Released | null> {
  const { state, snapshot, eventStates, newsDays, now, log } = options
  const ledger = new EventLedger(state.db)
  if (await ledger.isReleased(snapshot.version)) return null
  if (await ledger.isEmptied()) {
    log.warn(
      { snapshot: snapshot.version },
      'the ledger of events is empty: all events of this snapshot count as history, and no subscriber is notified',
    )
  }
  const at = now()
  const { events, history, origins } = await newEvents(snapshot.folder, ledger, { now: at, newsDays })
  const reachable = events.filter((event) => isEventState(eventStates, event.state))
  const released = await state.db.transaction(async () => {
    const { event_count, delivery_count } = await releaseEvents(state.db, reachable, at)
    const counts = { event_count, delivery_count, history_count: history.length }
    const known = [...events, ...history].map(({ event_id, recorded_date }) => ({
      event_id,
      recorded_on: recorded_date,
    }))
    await ledger.add({ snapshot_version: snapshot.version, events: known, origins, ...counts }, at)
    return counts
  })
  log.info({ snapshot: snapshot.version, ...released }, 'events released')
  return released
}
