import { expect, test } from 'vitest'
import { ScheduleLedger } from '../../src/state/schedule-ledger.ts'
import { withState } from './support.ts'

const START = Date.parse('2026-08-14T12:00:00Z')
const at = (ms: number): Date => new Date(START + ms)
const HOUR = 3_600_000

async function withLedger(body: (ledger: ScheduleLedger) => void): Promise<void> {
  await withState(async ({ db }) => body(new ScheduleLedger(db)))
}

test('a job belongs to one process for a minute from its last word', async () => {
  await withLedger((ledger) => {
    const run_id = ledger.begin('nightly', 'here', at(0), at(0))
    expect(run_id).toBe(1)
    expect(ledger.begin('nightly', 'there', at(1), at(59_999))).toBeNull()
    ledger.renew('nightly', 'there', at(50_000))
    ledger.renew('nightly', 'here', at(30_000))
    expect(ledger.begin('nightly', 'there', at(1), at(89_999))).toBeNull()
    expect(ledger.lastServed('nightly', at(89_999))).toEqual(at(0))
    // The lease was not renewed for a minute, so the run is lost and another process repeats it.
    expect(ledger.lastServed('nightly', at(90_000))).toEqual(new Date(0))
    expect(ledger.begin('nightly', 'there', at(0), at(90_000))).toBe(2)
    expect(ledger.last(9)).toMatchObject([
      { run_id: 2, status: 'running', finished_at: null },
      { run_id: 1, status: 'lost', finished_at: at(90_000).toISOString() },
    ])
  })
})

test('a lease that a clock ahead has left holds nobody up', async () => {
  await withLedger((ledger) => {
    ledger.begin('nightly', 'ahead', at(0), at(60_001))
    // A clock that was set back a little leaves an end of at most twice the lease.
    expect(ledger.begin('nightly', 'here', at(0), at(1))).toBeNull()
    expect(ledger.begin('nightly', 'here', at(0), at(0))).toBe(2)
  })
})

test('a run that has ended frees the job, and is made once', async () => {
  await withLedger((ledger) => {
    const first = ledger.begin('nightly', 'here', at(0), at(5))!
    ledger.end(first, 'here', 'done', 'snapshot 1', at(10))
    expect(ledger.last(1)).toEqual([
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
    expect(ledger.begin('nightly', 'there', at(0), at(11))).toBeNull()
    expect(ledger.begin('nightly', 'there', at(1), at(11))).toBe(first + 1)
  })
})

test('a run that waits is begun again under its number', async () => {
  await withLedger((ledger) => {
    const run_id = ledger.begin('nightly', 'here', at(0), at(0))!
    ledger.end(run_id, 'here', 'waiting', 'the warehouse is in use', at(5))
    expect(ledger.begin('nightly', 'here', at(0), at(100))).toBe(run_id)
    expect(ledger.last(9)).toMatchObject([{ run_id, status: 'running', started_at: at(100).toISOString(), finished_at: null, detail: null }]) // prettier-ignore
  })
})

test('a job that never ran is not behind; one that was stopped is from the beginning', async () => {
  await withLedger((ledger) => {
    expect(ledger.lastServed('nightly', at(0))).toBeNull()
    const run_id = ledger.begin('nightly', 'here', at(0), at(0))!
    ledger.end(run_id, 'here', 'stopped', null, at(1))
    expect(ledger.lastServed('nightly', at(1))).toEqual(new Date(0))
    expect(ledger.lastServed('other', at(1))).toBeNull()
  })
})

test('a clock is plausible when a run began between 12 and 48 hours before', async () => {
  await withLedger((ledger) => {
    ledger.note('prune', at(0), at(1), 'done', null)
    expect([12 * HOUR - 1, 12 * HOUR, 48 * HOUR, 48 * HOUR + 1].map((ms) => ledger.isPlausible(at(ms)))).toEqual([false, true, true, false]) // prettier-ignore
  })
})

test('runs of the future are listed and forgotten; old ones are forgotten, but for the last of a job', async () => {
  await withLedger((ledger) => {
    for (const hour of [1, 2, 30])
      ledger.note('prune', at(hour * HOUR), at(hour * HOUR), 'done', `hour ${hour}`)
    expect(ledger.dueAfter(at(3 * HOUR)).map(({ detail }) => detail)).toEqual(['hour 30'])
    expect(ledger.forgetFuture(at(3 * HOUR))).toBe(1)
    expect(ledger.prune(at(9 * HOUR))).toBe(1)
    expect(ledger.last(9)).toMatchObject([{ job: 'prune', detail: 'hour 2', finished_at: at(2 * HOUR).toISOString() }]) // prettier-ignore
  })
})
