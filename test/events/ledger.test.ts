import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Database } from '../../src/state/database.ts'
import { SqliteDatabase } from '../../src/state/sqlite.ts'
import { EventLedger, firstReleasedDate, type Origin } from '../../src/events/ledger.ts'
import { migrate } from '../../src/state/migrate.ts'
import { eventId } from '../support/deed-events.ts'

const AT = new Date('2026-01-07T08:00:00Z')

async function withLedger(body: (ledger: EventLedger, db: Database) => Promise<void>): Promise<void> {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  try {
    await migrate(db, () => AT)
    await body(new EventLedger(db), db)
  } finally {
    await db.close()
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

test('a release is noted with its events and origins', async () => {
  await withLedger(async (ledger) => {
    const travis = { county_fips: '48453', told_by: 'roll' }
    expect(await ledger.isReleased('a')).toBe(false)
    expect(await ledger.forgottenBefore()).toBe('')
    await ledger.add(releaseOf('a', { 1: '2026-01-05', 2: '2026-01-06' }, [travis]), AT)
    expect([await ledger.isReleased('a'), await ledger.isReleased('b')]).toEqual([true, false])
    expect(await ledger.known([3, 2, 1].map(eventId))).toEqual(new Set([2, 1].map(eventId)))
    expect(await ledger.origins()).toEqual(new Set(['48453 roll']))
    expect(await ledger.isEmptied()).toBe(false)
  })
})

test('pruning forgets what lies before the first day of news, and keeps that day', async () => {
  await withLedger(async (ledger) => {
    expect(await ledger.prune(AT, 10)).toBe(0)
    await ledger.add(releaseOf('a', { 1: '2025-12-27', 2: '2025-12-28', 3: '2026-01-07' }), AT)
    expect(await ledger.prune(AT, 10)).toBe(1)
    expect(await ledger.forgottenBefore()).toBe('2025-12-28')
    expect(await ledger.known([1, 2, 3].map(eventId))).toEqual(new Set([2, 3].map(eventId)))
    // Pruned events are not missing.
    expect(await ledger.isEmptied()).toBe(false)
  })
})

test('a ledger that lost events says so, also after pruning, until the next release', async () => {
  await withLedger(async (ledger, db) => {
    await ledger.add(releaseOf('a', { 1: '2025-12-01', 2: '2026-01-06', 3: '2026-01-07' }), AT)
    await db.exec(`delete from known_events where recorded_on = '2026-01-06'`)
    expect(await ledger.isEmptied()).toBe(true)
    expect(await ledger.prune(AT, 10)).toBe(1)
    expect(await ledger.isEmptied()).toBe(true)
    await ledger.add(releaseOf('b', { 2: '2026-01-06' }), AT)
    expect(await ledger.isEmptied()).toBe(false)
  })
})
