import { expect, test } from 'vitest'
import { ScheduleLedger } from '../../src/state/schedule-ledger.ts'
import { withState } from './support.ts'

const START = Date.parse('2026-08-14T12:00:00Z')
const at = (ms: number): Date => new Date(START + ms)
const HOUR = 3_600_000

async function withLedger(body: (ledger: ScheduleLedger) => Promise<void>): Promise<void> {
  await withState(async ({ db }) => body(new ScheduleLedger(db)))
}

test('a job belongs to one process for a minute from its last word', async () => {
  await withLedger(async (ledger) => {
    const run_id = await ledger.begin('nightly', 'here', at(0), at(0))
    expect(run_id).toBe(1)
    expect(await ledger.begin('nightly', 'there', at(1), at(59_999))).toBeNull()
    await ledger.renew('nightly', 'there', at(50_000))
    await ledger.renew('nightly', 'here', at(30_000))
    expect(await ledger.begin('nightly', 'there', at(1), at(89_999))).toBeNull()
    expect(await ledger.lastServed('nightly', at(89_999))).toEqual(at(0))
    // The lease was not renewed for a minute, so the run is lost and another process repeats it.
    expect(await ledger.lastServed('nightly', at(90_000))).toEqual(new Date(0))
    expect(await ledger.begin('nightly', 'there', at(0), at(90_000))).toBe(2)
    expect(await ledger.last(9)).toMatchObject([
      { run_id: 2, status: 'running', finished_at: null },
      { run_id: 1, status: 'lost', finished_at: at(90_000).toISOString() },
    ])
  })
})

test('a lease that a clock ahead has left holds nobody up', async () => {
  await withLedger(async (ledger) => {
    await ledger.begin('nightly', 'ahead', at(0), at(60_001))
    // A clock that was set back a little leaves an end of at most twice the lease.
    expect(await ledger.begin('nightly', 'here', at(0), at(1))).toBeNull()
    expect(await ledger.begin('nightly', 'here', at(0), at(0))).toBe(2)
  })
})

test('a run that has ended frees the job, and is made once', async () => {
  await withLedger(async (ledger) => {
    const first = (await ledger.begin('nightly', 'here', at(0), at(5)))!
    await ledger.end(first, 'here', 'done', 'snapshot 1', at(10))
    expect(await ledger.last(1)).toEqual([
      {
        run_id: first,
        job: 'nightly',
        due_at: at(0).toISOString(),
        started_at: at(5).toISOString(),
        finished_at: at(10).toISOString(),
        status: 'done',
        detail: 'snapshot 1',
      },
    ])
    expect(await ledger.begin('nightly', 'there', at(0), at(11))).toBeNull()
    expect(await ledger.begin('nightly', 'there', at(1), at(11))).toBe(first + 1)
  })
})

test('a run that waits is begun again under its number', async () => {
  await withLedger(async (ledger) => {
    const run_id = (await ledger.begin('nightly', 'here', at(0), at(0)))!
    await ledger.end(run_id, 'here', 'waiting', 'the warehouse is in use', at(5))
    expect(await ledger.begin('nightly', 'here', at(0), at(100))).toBe(run_id)
    expect(await ledger.last(9)).toMatchObject([{ run_id, status: 'running', started_at: at(100).toISOString(), finished_at: null, detail: null }]) // prettier-ignore
  })
})

test('a job that never ran is not behind; one that was stopped is from the beginning', async () => {
  await withLedger(async (ledger) => {
    expect(await ledger.lastServed('nightly', at(0))).toBeNull()
    const run_id = (await ledger.begin('nightly', 'here', at(0), at(0)))!
    await ledger.end(run_id, 'here', 'stopped', null, at(1))
    expect(await ledger.lastServed('nightly', at(1))).toEqual(new Date(0))
    expect(await ledger.lastServed('other', at(1))).toBeNull()
  })
})

test('a clock is plausible when a run began between 12 and 48 hours before', async () => {
  await withLedger(async (ledger) => {
    await ledger.note('prune', at(0), at(1), 'done', null)
    const times = [12 * HOUR - 1, 12 * HOUR, 48 * HOUR, 48 * HOUR + 1]
    expect(await Promise.all(times.map((ms) => ledger.isPlausible(at(ms))))).toEqual([false, true, true, false]) // prettier-ignore
  })
})

test('runs of the future are listed and forgotten; old ones are forgotten, but for the last of a job', async () => {
  await withLedger(async (ledger) => {
    for (const hour of [1, 2, 30])
      await ledger.note('prune', at(hour * HOUR), at(hour * HOUR), 'done', `hour ${hour}`)
    expect((await ledger.dueAfter(at(3 * HOUR))).map(({ detail }) => detail)).toEqual(['hour 30'])
    expect(await ledger.forgetFuture(at(3 * HOUR))).toBe(1)
    expect(await ledger.prune(at(9 * HOUR))).toBe(1)
    expect(await ledger.last(9)).toMatchObject([{ job: 'prune', detail: 'hour 2', finished_at: at(2 * HOUR).toISOString() }]) // prettier-ignore
  })
})
