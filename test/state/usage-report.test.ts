import { expect, test } from 'vitest'
import type { State } from '../../src/state/open.ts'
import { accessEvent, givenKey, withState } from './support.ts'

function record(state: State, at: string, changes: { status_code?: number; api_key_id?: string } = {}): void {
  state.events.record(accessEvent({ event_ts: Date.parse(at), billable: false, ...changes }))
}

test('a report runs from the first day with requests to today, days without any among them', async () => {
  await withState(async (state, { at }) => {
    await givenKey(state, 'key_a', 'acct_a')
    await givenKey(state, 'key_b', 'acct_b')
    record(state, '2026-08-11T23:59:59Z')
    record(state, '2026-08-13T00:00:00Z')
    record(state, '2026-08-13T01:00:00Z', { status_code: 404 })
    record(state, '2026-08-13T01:00:00Z', { api_key_id: 'key_b' })
    await state.events.flush()
    expect(await state.report.days('acct_a', '2026-08-01', '2026-08-31', at())).toEqual([
      { date: '2026-08-11', request_count: 1 },
      { date: '2026-08-12', request_count: 0 },
      { date: '2026-08-13', request_count: 2 },
      { date: '2026-08-14', request_count: 0 },
    ])
    expect(await state.report.days('acct_a', '2026-08-12', '2026-08-13', at())).toEqual([
      { date: '2026-08-13', request_count: 2 },
    ])
    expect(await state.report.days('acct_c', '2026-08-01', '2026-08-31', at())).toEqual([])
  })
})

test('the running day is in the report, as it was at the last refresh; that is half an hour ago at most', async () => {
  await withState(async (state, { at, pass }) => {
    await givenKey(state, 'key_a', 'acct_a')
    record(state, '2026-08-14T11:00:00Z')
    await state.events.flush()
    const count = async (): Promise<number | undefined> =>
      (await state.report.days('acct_a', '2026-08-14', '2026-08-14', at()))[0]?.request_count
    expect(await count()).toBe(1)
    record(state, '2026-08-14T12:00:00Z', { status_code: 500 })
    await state.events.flush()
    pass(29 * 60_000)
    expect(await count()).toBe(1)
    pass(60_000)
    expect(await count()).toBe(2)
  })
})

test('the first refresh after midnight completes the day before', async () => {
  await withState(async (state, { at, pass }) => {
    await givenKey(state, 'key_a', 'acct_a')
    await state.report.refresh(at())
    record(state, '2026-08-14T23:59:59Z')
    record(state, '2026-08-15T00:00:01Z')
    await state.events.flush()
    pass(12.5 * 3_600_000)
    expect(await state.report.days('acct_a', '2026-08-14', '2026-08-15', at())).toEqual([
      { date: '2026-08-14', request_count: 1 },
      { date: '2026-08-15', request_count: 1 },
    ])
  })
})

test('a report that was made while the clock was ahead is made anew once the clock is right', async () => {
  await withState(async (state, { at, pass }) => {
    await givenKey(state, 'key_a', 'acct_a')
    record(state, '2026-08-14T11:00:00Z')
    await state.events.flush()
    pass(24 * 3_600_000)
    await state.report.refresh(at())
    pass(-24 * 3_600_000)
    record(state, '2026-08-14T12:00:00Z')
    await state.events.flush()
    expect(await state.report.days('acct_a', '2026-08-14', '2026-08-14', at())).toEqual([
      { date: '2026-08-14', request_count: 2 },
    ])
  })
})

test('a day that ends before its last events are written is complete in a later report', async () => {
  await withState(async (state, { at, pass }) => {
    await givenKey(state, 'key_a', 'acct_a')
    record(state, '2026-08-12T10:00:00Z')
    await state.events.flush()
    await state.report.refresh(at())
    record(state, '2026-08-12T23:59:59Z')
    await state.events.flush()
    pass(30 * 60_000)
    expect(await state.report.days('acct_a', '2026-08-12', '2026-08-12', at())).toEqual([
      { date: '2026-08-12', request_count: 2 },
    ])
  })
})
