import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { EventLedger, firstReleasedDate, type Origin } from '../../src/events/ledger.ts'
import { migrate } from '../../src/state/migrate.ts'
import { eventId } from '../support/deed-events.ts'

const AT = new Date('2026-01-07T08:00:00Z')

function withLedger(body: (ledger: EventLedger, db: DatabaseSync) => void): void {
  const db = new DatabaseSync(':memory:')
  try {
    migrate(db, () => AT)
    body(new EventLedger(db), db)
  } finally {
    db.close()
  }
}

/** Returns a release of events with these numbers and recorded dates. */
function releaseOf(snapshot_version: string, days: Record<number, string>, origins: Origin[] = []) {
  const events = Object.entries(days).map(([n, recorded_on]) => ({
    event_id: eventId(Number(n)),
    recorded_on,
  }))
  return {
    snapshot_version,
    events,
    origins,
    event_count: events.length,
    delivery_count: 0,
    history_count: 0,
  }
}

test('the first day of news is newsDays before today, from the first to the last millisecond of the day', () => {
  expect(firstReleasedDate(new Date('2026-01-07T00:00:00.000Z'), 400)).toBe('2024-12-03')
  expect(firstReleasedDate(new Date('2026-01-07T23:59:59.999Z'), 400)).toBe('2024-12-03')
  expect(firstReleasedDate(new Date('2026-01-08T00:00:00.000Z'), 400)).toBe('2024-12-04')
})

test('a release is noted with its events and origins', () => {
  withLedger((ledger) => {
    const travis = { county_fips: '48453', told_by: 'roll' }
    expect(ledger.isReleased('a')).toBe(false)
    expect(ledger.forgottenBefore()).toBe('')
    ledger.add(releaseOf('a', { 1: '2026-01-05', 2: '2026-01-06' }, [travis]), AT)
    expect([ledger.isReleased('a'), ledger.isReleased('b')]).toEqual([true, false])
    expect(ledger.known([3, 2, 1].map(eventId))).toEqual(new Set([2, 1].map(eventId)))
    expect(ledger.origins()).toEqual(new Set(['48453 roll']))
    expect(ledger.isEmptied()).toBe(false)
  })
})

test('pruning forgets what lies before the first day of news, and keeps that day', () => {
  withLedger((ledger) => {
    expect(ledger.prune(AT, 10)).toBe(0)
    ledger.add(releaseOf('a', { 1: '2025-12-27', 2: '2025-12-28', 3: '2026-01-07' }), AT)
    expect(ledger.prune(AT, 10)).toBe(1)
    expect(ledger.forgottenBefore()).toBe('2025-12-28')
    expect(ledger.known([1, 2, 3].map(eventId))).toEqual(new Set([2, 3].map(eventId)))
    // Pruned events are not missing.
    expect(ledger.isEmptied()).toBe(false)
  })
})

test('a ledger that lost events says so, also after pruning, until the next release', () => {
  withLedger((ledger, db) => {
    ledger.add(releaseOf('a', { 1: '2025-12-01', 2: '2026-01-06', 3: '2026-01-07' }), AT)
    db.exec(`delete from known_events where recorded_on = '2026-01-06'`)
    expect(ledger.isEmptied()).toBe(true)
    expect(ledger.prune(AT, 10)).toBe(1)
    expect(ledger.isEmptied()).toBe(true)
    ledger.add(releaseOf('b', { 2: '2026-01-06' }), AT)
    expect(ledger.isEmptied()).toBe(false)
  })
})
