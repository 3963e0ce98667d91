import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { openSqlite } from '../../src/state/sqlite.ts'
import { EventLog } from '../../src/state/event-log.ts'
import { openEventThread, openState } from '../../src/state/open.ts'
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
    expect(await rowsIn(path, 'select * from access_events order by id')).toEqual([
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
    expect(await rowsIn(path, 'select count(*) as kept from access_events')).toEqual([{ kept: 5_000 }])
  })
})

test('a batch is written on its own soon after an event, without a flush', async () => {
  await withState(async (state, { path }) => {
    state.events.record(accessEvent())
    // Long, because the machine may be busy. The test still fails if the batch never arrives.
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
    expect(await rowsIn(path, 'select * from usage_days order by api_key_id, day')).toEqual([
      { api_key_id: 'key_a', day: '2026-08-14', request_count: 1, billable_count: 1 },
      { api_key_id: 'key_a', day: '2026-08-15', request_count: 2, billable_count: 1 },
      { api_key_id: 'key_b', day: '2026-08-14', request_count: 1, billable_count: 1 },
    ])
  })
})

test("a month's use counts the billable requests that are written, whichever process wrote them", async () => {
  await withState(async (state, { path }) => {
    await givenKey(state, 'key_a', 'acct_a')
    state.events.record(accessEvent())
    state.events.record(accessEvent({ billable: false, status_code: 400 }))
    await state.events.flush()
    const other = await openState(path)
    other.events.record(accessEvent())
    await other.close()
    expect(await state.usage.written('acct_a', '2026-08')).toBe(2)
  })
})

test('use starts from nothing on the first of the month, 00:00 UTC', async () => {
  await withState(async (state) => {
    await givenKey(state, 'key_a', 'acct_a')
    state.events.record(accessEvent({ event_ts: Date.parse('2026-08-31T23:59:59.999Z') }))
    await state.events.flush()
    expect(await state.usage.written('acct_a', '2026-08')).toBe(1)
    expect(await state.usage.written('acct_a', '2026-09')).toBe(0)
  })
})

test('while another process holds the file, events wait and are written after it', async () => {
  await withState(async (state, { path }) => {
    const other = await openSqlite(path)
    await other.exec('begin immediate')
    state.events.record(accessEvent())
    const written = state.events.flush()
    await new Promise((resolve) => setImmediate(resolve))
    await other.exec('commit')
    await other.close()
    await written
    expect(await rowsIn(path, 'select count(*) as kept from access_events')).toEqual([{ kept: 1 }])
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
    const [row] = await rowsIn(
      path,
      'select count(*) as kept, count(distinct trace_id) as distinct_kept from access_events',
    )
    expect(Number(row?.['kept'])).toBeGreaterThanOrEqual(known)
    expect(row?.['distinct_kept']).toBe(row?.['kept'])
    expect(await rowsIn(path, 'select sum(request_count) as counted from usage_days')).toEqual([
      { counted: row?.['kept'] },
    ])
  })
})

test('at the end, a batch that fails three times is given up, and the log says what is lost', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'state.sqlite')
    await (await openState(path)).close()
    const db = await openSqlite(path)
    await db.exec('drop table access_events')
    const lines: [object, string][] = []
    const events = new EventLog(openEventThread(path), {
      ...silentLog,
      error: (fields, message) => lines.push([fields, message]),
    })
    events.record(accessEvent({ event_ts: NOON }))
    events.record(accessEvent({ event_ts: NOON + 1, billed: 7 }))
    events.record(accessEvent({ event_ts: NOON + 2, billable: false }))
    events.record(accessEvent({ event_ts: NOON + 3_000, api_key_id: 'key_b' }))
    expect(events.waitingCount).toBe(4)
    await events.close()
    const failed = { events: 4, reason: 'no such table: access_events' }
    expect(lines).toEqual([
      [{ ...failed, attempt: 1 }, 'access events could not be written and will be written again'],
      [{ ...failed, attempt: 2 }, 'access events could not be written and will be written again'],
      [
        {
          ...failed,
          from: '2026-08-14T12:00:00.000Z',
          to: '2026-08-14T12:00:03.000Z',
          billed_by_key: { key_a: 8, key_b: 1 },
        },
        'access events were lost: they could not be written before the process ended',
      ],
    ])
    expect(await db.get('select count(*) as n from usage_days')).toEqual({ n: 0 })
    await db.close()
  })
})

test('events that are written leave nothing in the log', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'state.sqlite')
    await (await openState(path)).close()
    const lines: string[] = []
    const events = new EventLog(openEventThread(path), {
      ...silentLog,
      error: (_, message) => lines.push(message),
    })
    events.record(accessEvent())
    await events.flush()
    events.record(accessEvent())
    await events.close()
    expect(lines).toEqual([])
    expect(await rowsIn(path, 'select count(*) as kept from access_events')).toEqual([{ kept: 2 }])
  })
})

test('an event counts for as many billed rows as it says, and for none when it is not billable', async () => {
  await withState(async (state, { path }) => {
    state.events.record(accessEvent({ billed: 7 }))
    state.events.record(accessEvent({ billed: 9, billable: false }))
    state.events.record(accessEvent())
    await state.events.flush()
    expect(state.events.waitingCount).toBe(0)
    expect(await rowsIn(path, 'select request_count, billable_count from usage_days')).toEqual([
      { request_count: 3, billable_count: 8 },
    ])
  })
})

test('any number of events is written whole: a batch of full statements, and one with a rest', async () => {
  await withState(async (state, { path }) => {
    for (const count of [16, 1, 33]) {
      for (let n = 0; n < count; n += 1)
        state.events.record(
          accessEvent({ duration_ms: n, billable: n % 2 === 0, api_key_id: `key_${n % 3}` }),
        )
      await state.events.flush()
    }
    expect(
      await rowsIn(path, 'select duration_ms, billable, api_key_id from access_events order by id'),
    ).toEqual(
      [16, 1, 33].flatMap(
        (count) =>
        Array.from({ length: count }, (_, n) => ({ duration_ms: n, billable: n % 2 === 0 ? 1 : 0, api_key_id: `key_${n % 3}` })), // prettier-ignore
      ),
    )
    expect(await rowsIn(path, 'select sum(request_count) as all_of_them, sum(billable_count) as billable from usage_days')).toEqual([{ all_of_them: 50, billable: 26 }]) // prettier-ignore
  })
})
