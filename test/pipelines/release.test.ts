import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Released, releaseNews } from '../../pipelines/release.ts'
import { EventLedger } from '../../src/events/ledger.ts'
import { silentLog } from '../../src/log.ts'
import { openState, type State } from '../../src/state/open.ts'
import { deedEvent, eventId } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { IN_POSTGRES, newStatePlace } from '../support/state-place.ts'
import { givenPublished } from '../support/published.ts'
import { type Cell, withWarehouse } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const NOW = new Date('2026-01-07T08:00:00Z')

/** The tables of a snapshot that a release looks at. */
async function snapshotOf(folder: string, version: string, events: Row[], properties: Row[] = []) {
  const tables = join(folder, version, 'tables')
  await mkdir(tables, { recursive: true })
  await withWarehouse(async (db) => {
    await givenPublished(db, { deed_events: events, properties })
    for (const name of ['deed_events', 'properties']) {
      await db.run(`copy published.${name} to '${join(tables, `${name}.parquet`)}' (format parquet)`)
    }
  })
  return { version, folder: join(folder, version) }
}

async function withState(body: (state: State, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const state = await openState(await newStatePlace(folder), { now: () => NOW })
    try {
      await body(state, folder)
    } finally {
      await state.close()
    }
  })
}

function release(
  state: State,
  snapshot: { version: string; folder: string },
  now = NOW,
): Promise<Released | null> {
  return releaseNews({
    state,
    snapshot,
    eventStates: ['TX', 'FL'],
    newsDays: 400,
    now: () => now,
    log: silentLog,
  })
}

const released = async (state: State): Promise<unknown[]> =>
  (await state.db.all('select event_id from released_events order by event_id')).map((row) => row['event_id'])

test('what the first night finds is history; what the next finds beside it is told, once', async () => {
  await withState(async (state, folder) => {
    const first = await snapshotOf(folder, 'a', [deedEvent(1), deedEvent(2)])
    expect(await release(state, first)).toEqual({ event_count: 0, delivery_count: 0, history_count: 2 })
    const second = await snapshotOf(folder, 'b', [deedEvent(1), deedEvent(2), deedEvent(3)])
    expect(await release(state, second)).toEqual({ event_count: 1, delivery_count: 0, history_count: 0 })
    expect(await release(state, second)).toBeNull()
    expect(await released(state)).toEqual([eventId(3)])
  })
})

test('an event that a night left out and the next has again is told once', async () => {
  await withState(async (state, folder) => {
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1)]))
    await release(state, await snapshotOf(folder, 'b', [deedEvent(1), deedEvent(2)]))
    await release(state, await snapshotOf(folder, 'c', [deedEvent(1)]))
    expect(await release(state, await snapshotOf(folder, 'd', [deedEvent(1), deedEvent(2)]))).toMatchObject({
      event_count: 0,
    })
  })
})

test("a county's first deeds are its history, although others have been told of for long", async () => {
  await withState(async (state, folder) => {
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1)]))
    const grown = [
      deedEvent(1),
      deedEvent(2, { county_fips: '48453' }),
      deedEvent(3, { told_by: 'assessor' }),
    ]
    expect(await release(state, await snapshotOf(folder, 'b', grown))).toMatchObject({
      event_count: 0,
      history_count: 2,
    })
    const more = [...grown, deedEvent(4, { county_fips: '48453' })]
    expect(await release(state, await snapshotOf(folder, 'c', more))).toMatchObject({ event_count: 1 })
  })
})

test('in a county known by its roll, what the second roll tells apart is news', async () => {
  await withState(async (state, folder) => {
    const parcels = [{ property_id: 'R0000000001', county_fips: '48453' }]
    await release(state, await snapshotOf(folder, 'a', [], parcels))
    const changed = [deedEvent(1, { county_fips: '48453', told_by: 'roll' })]
    expect(await release(state, await snapshotOf(folder, 'b', changed, parcels))).toMatchObject({
      event_count: 1,
    })
  })
})

test('a deed of long ago is told to nobody, whenever it comes', async () => {
  await withState(async (state, folder) => {
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1)]))
    const old = [
      deedEvent(1),
      deedEvent(2, { recorded_date: '2024-12-01' }),
      deedEvent(3, { recorded_date: null }),
    ]
    expect(await release(state, await snapshotOf(folder, 'b', old))).toEqual({
      event_count: 0,
      delivery_count: 0,
      history_count: 0,
    })
  })
})

test('an event is news up to and with the day that is newsDays ago', async () => {
  await withState(async (state, folder) => {
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1)]))
    const events = [
      deedEvent(1),
      deedEvent(2, { recorded_date: '2024-12-03' }),
      deedEvent(3, { recorded_date: '2024-12-02' }),
    ]
    expect(await release(state, await snapshotOf(folder, 'b', events))).toMatchObject({ event_count: 1 })
    expect(await released(state)).toEqual([eventId(2)])
  })
})

test.skipIf(IN_POSTGRES)(
  'a release that fails in the middle has told nothing, and the next tells all',
  async () => {
    await withState(async (state, folder) => {
      await release(state, await snapshotOf(folder, 'a', [deedEvent(1)]))
      const snapshot = await snapshotOf(folder, 'b', [deedEvent(1), deedEvent(2), deedEvent(3)])
      // The last thing that a release writes.
      await state.db.exec(
        `create trigger full_disk before insert on event_releases begin select raise(abort, 'the disk is full'); end`,
      )
      await expect(release(state, snapshot)).rejects.toThrow('the disk is full')
      expect(await released(state)).toEqual([])
      await state.db.exec('drop trigger full_disk')
      expect(await release(state, snapshot)).toMatchObject({ event_count: 2 })
    })
  },
)

test('events of a state outside EVENT_STATES are noted as known, and nobody is notified of them', async () => {
  await withState(async (state, folder) => {
    const newYork = { county_fips: '36061' }
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1), deedEvent(2, newYork)]))
    const grown = [deedEvent(1), deedEvent(2, newYork), deedEvent(3), deedEvent(4, newYork)]
    await release(state, await snapshotOf(folder, 'b', grown))
    expect(await released(state)).toEqual([eventId(3)])
    const known = await state.db.get('select count(*) as n from known_events')
    expect(known).toEqual({ n: 4 })
  })
})

test('pruning while the clock is ahead forgets nothing that is told again when it is right', async () => {
  await withState(async (state, folder) => {
    const old = deedEvent(1, { recorded_date: '2025-03-01' })
    await release(state, await snapshotOf(folder, 'a', [old, deedEvent(2)]))
    expect(await new EventLedger(state.db).prune(new Date('2027-06-01T05:30:00Z'), 400)).toBe(0)
    const next = await snapshotOf(folder, 'b', [old, deedEvent(2), deedEvent(3)])
    expect(await release(state, next)).toMatchObject({ event_count: 1, history_count: 0 })
    expect(await released(state)).toEqual([eventId(3)])
  })
})

test('what was pruned stays history, also while the clock is behind', async () => {
  await withState(async (state, folder) => {
    const old = deedEvent(1, { recorded_date: '2024-12-10' })
    await release(state, await snapshotOf(folder, 'a', [old, deedEvent(2)]))
    const later = new Date('2026-01-20T08:00:00Z')
    const newer = deedEvent(3, { recorded_date: '2026-01-19' })
    await release(state, await snapshotOf(folder, 'b', [old, deedEvent(2), newer]), later)
    expect(await new EventLedger(state.db).prune(later, 400)).toBe(1)
    const behind = await snapshotOf(folder, 'c', [old, deedEvent(2), newer])
    expect(await release(state, behind, NOW)).toMatchObject({ event_count: 0, history_count: 0 })
  })
})

test('a ledger that was emptied makes everything history once, and news goes on', async () => {
  await withState(async (state, folder) => {
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1), deedEvent(2)]))
    await state.db.exec('delete from known_events')
    const next = await snapshotOf(folder, 'b', [deedEvent(1), deedEvent(2), deedEvent(3)])
    expect(await release(state, next)).toMatchObject({ event_count: 0, history_count: 3 })
    expect(await released(state)).toEqual([])
    const more = await snapshotOf(folder, 'c', [deedEvent(1), deedEvent(2), deedEvent(3), deedEvent(4)])
    expect(await release(state, more)).toMatchObject({ event_count: 1, history_count: 0 })
  })
})

test('what a first release took in while the clock was ahead is no news once it is right', async () => {
  await withState(async (state, folder) => {
    const events = [deedEvent(1), deedEvent(2)]
    const ahead = new Date('2028-01-01T08:00:00Z')
    expect(await release(state, await snapshotOf(folder, 'a', events), ahead)).toMatchObject({
      history_count: 2,
    })
    const next = await snapshotOf(folder, 'b', [...events, deedEvent(3)])
    expect(await release(state, next)).toMatchObject({ event_count: 1, history_count: 0 })
  })
})

test('a deed dated more than a week ahead is no news', async () => {
  await withState(async (state, folder) => {
    await release(state, await snapshotOf(folder, 'a', [deedEvent(1)]))
    const events = [
      deedEvent(1),
      deedEvent(2, { recorded_date: '2026-01-14' }),
      deedEvent(3, { recorded_date: '2026-01-15' }),
    ]
    // The last millisecond of the day: a week ahead is a date, whatever the time of day.
    const now = new Date('2026-01-07T23:59:59.999Z')
    expect(await release(state, await snapshotOf(folder, 'b', events), now)).toMatchObject({ event_count: 1 })
    expect(await released(state)).toEqual([eventId(2)])
  })
})
