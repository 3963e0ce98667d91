import { expect, test } from 'vitest'
import { AccessEvents } from '../../src/state/access-events.ts'
import { accessEvent, withState } from './support.ts'

const NOON = Date.parse('2026-08-14T12:00:00Z')

test('pages of 1,000 hold every event of the range once, with its start and without its end', async () => {
  await withState(async (state) => {
    // Two events have the same time, so a page may end between them.
    for (let index = -2; index < 2_001; index += 1) {
      const event_ts = NOON + Math.floor(index / 2)
      state.events.record(accessEvent({ event_ts, trace_id: String(index), api_key_id: `key_${index & 1}` }))
    }
    await state.events.flush()
    const read = new AccessEvents(state.db)
    const range = { start: NOON, end: NOON + 1_000 }
    const first = await read.page(range)
    expect(first.events).toHaveLength(1_000)
    expect(first.next).toEqual({ event_ts: NOON + 499, id: first.events[999]!.id })
    const second = await read.page({ ...range, after: first.next! })
    expect([...first.events, ...second.events].map(({ trace_id }) => trace_id)).toEqual(
      Array.from({ length: 2_000 }, (_, index) => String(index)),
    )
    // The page is full and is also the end of the range.
    expect(second.next).toBeNull()
    const ofOne = await read.page({ ...range, end: NOON + 2, api_key_id: 'key_1' })
    expect(ofOne.events.map(({ trace_id }) => trace_id)).toEqual(['1', '3'])
    expect(ofOne.next).toBeNull()
  })
})
