import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/state/database.ts'
import { openState } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { accessEvent, givenKey, rowsIn, withState } from './support.ts'

const NOON = Date.parse('2026-08-14T12:00:00Z')

test('events come to the file in the order of recording, field by field', async () => {
  await withState(async (state, { path }) => {
    state.events.record(accessEvent())
    state.events.record(
      accessEvent({ trace_id: 'b'.repeat(32), status_code: 404, billable: false, duration_ms: 0 }),
    )
    await state.events.flush()
    expect(rowsIn(path, 'select * from access_events order by id')).toEqual([
      { id: 1, ...accessEvent(), billable: 1 },
      { id: 2, ...accessEvent({ trace_id: 'b'.repeat(32), status_code: 404, duration_ms: 0 }), billable: 0 },
    ])
  })
})

test('closing writes what was still waiting', async () => {
  await withState(async (state, { path }) => {
    for (let index = 0; index < 5_000; index += 1)
      state.events.record(accessEvent({ event_ts: NOON + index }))
    await state.close()
    expect(rowsIn(path, 'select count(*) as kept from access_events')).toEqual([{ kept: 5_000 }])
  })
})

test('a batch is written on its own soon after an event, without a flush', async () => {
  await withState(async (state, { path }) => {
    state.events.record(accessEvent())
    // A busy machine may take its time; a batch that never comes fails all the same.
    await expect
      .poll(() => rowsIn(path, 'select count(*) as kept from access_events'), { timeout: 30_000 })
      .toEqual([{ kept: 1 }])
  })
})

test('usage counts requests and billable requests per key and UTC day', async () => {
  await withState(async (state, { path }) => {
    state.events.record(accessEvent({ event_ts: Date.parse('2026-08-14T23:59:59.999Z') }))
    state.events.record(
      accessEvent({ event_ts: Date.parse('2026-08-15T00:00:00Z'), billable: false, status_code: 400 }),
    )
    await state.events.flush()
    state.events.record(accessEvent({ event_ts: Date.parse('2026-08-15T08:00:00Z') }))
    state.events.record(accessEvent({ api_key_id: 'key_b' }))
    await state.events.flush()
    expect(rowsIn(path, 'select * from usage_days order by api_key_id, day')).toEqual([
      { api_key_id: 'key_a', day: '2026-08-14', request_count: 1, billable_count: 1 },
      { api_key_id: 'key_a', day: '2026-08-15', request_count: 2, billable_count: 1 },
      { api_key_id: 'key_b', day: '2026-08-14', request_count: 1, billable_count: 1 },
    ])
  })
})

test("a month's use counts the billable requests that are written, whichever process wrote them", async () => {
  await withState(async (state, { path }) => {
    givenKey(state, 'key_a', 'acct_a')
    state.events.record(accessEvent())
    state.events.record(accessEvent({ billable: false, status_code: 400 }))
    await state.events.flush()
    const other = openState(path)
    other.events.record(accessEvent())
    await other.close()
    expect(state.usage.written('acct_a', '2026-08')).toBe(2)
  })
})

test('use starts from nothing on the first of the month, 00:00 UTC', async () => {
  await withState(async (state) => {
    givenKey(state, 'key_a', 'acct_a')
    state.events.record(accessEvent({ event_ts: Date.parse('2026-08-31T23:59:59.999Z') }))
    await state.events.flush()
    expect(state.usage.written('acct_a', '2026-08')).toBe(1)
    expect(state.usage.written('acct_a', '2026-09')).toBe(0)
  })
})

test('while another process holds the file, events wait and are written after it', async () => {
  await withState(async (state, { path }) => {
    const other = openDatabase(path)
    other.exec('begin immediate')
    state.events.record(accessEvent())
    const written = state.events.flush()
    await new Promise((resolve) => setImmediate(resolve))
    other.exec('commit')
    other.close()
    await written
    expect(rowsIn(path, 'select count(*) as kept from access_events')).toEqual([{ kept: 1 }])
  })
})

test('a killed process loses nothing that it knew to be written', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'state.sqlite')
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./record-forever.ts', import.meta.url)), path],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const lines = createInterface({ input: child.stdout })
    let known = 0
    for await (const line of lines) {
      known = Number(line)
      if (known >= 2_000) break
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [row] = rowsIn(
      path,
      'select count(*) as kept, count(distinct trace_id) as distinct_kept from access_events',
    )
    expect(Number(row?.['kept'])).toBeGreaterThanOrEqual(known)
    expect(row?.['distinct_kept']).toBe(row?.['kept'])
    expect(rowsIn(path, 'select sum(request_count) as counted from usage_days')).toEqual([
      { counted: row?.['kept'] },
    ])
  })
})
