import { expect, test } from 'vitest'
import { RunLedger, type RunStep } from '../../src/state/run-ledger.ts'
import { withState } from './support.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 7, 14, 12, minute))
const DONE = { outcome: 'done', row_count: 5, reason: null } as const

function named(steps: readonly RunStep[]): string[] {
  return steps.map(({ run_id, step }) => `${run_id} ${step}`)
}

async function withLedger(body: (ledger: RunLedger) => void): Promise<void> {
  await withState(async ({ db }) => body(new RunLedger(db)))
}

test('a step is there from its beginning, and has its outcome once it has ended', async () => {
  await withLedger((ledger) => {
    const run_id = ledger.begin(at(0))
    ledger.beginStep(run_id, 'ingest', at(1))
    expect(ledger.running()).toEqual([
      {
        run_id,
        step: 'ingest',
        pid: process.pid,
        started_at: at(1).toISOString(),
        ended_at: null,
        outcome: 'running',
        row_count: null,
        reason: null,
      },
    ])
    const reason = 'a'.repeat(2_001)
    ledger.endStep(run_id, 'ingest', { outcome: 'failed', row_count: 7, reason }, at(2))
    expect(ledger.last(1)).toMatchObject([
      { ended_at: at(2).toISOString(), outcome: 'failed', row_count: 7, reason: 'a'.repeat(2_000) },
    ])
    expect(ledger.running()).toEqual([])
  })
})

test('steps are listed in the order of a run, of the last runs or each at its last', async () => {
  await withLedger((ledger) => {
    for (const steps of [['publish', 'ingest'], ['events'], ['ingest', 'publish']] as const) {
      const run_id = ledger.begin(at(0))
      for (const step of steps) {
        ledger.beginStep(run_id, step, at(run_id))
        ledger.endStep(run_id, step, DONE, at(run_id))
      }
    }
    expect(named(ledger.latest())).toEqual(['3 ingest', '3 publish', '2 events'])
    expect(named(ledger.last(2))).toEqual(['3 ingest', '3 publish', '2 events'])
    expect(named(ledger.last(3))).toEqual(['3 ingest', '3 publish', '2 events', '1 ingest', '1 publish'])
    expect(named(ledger.ofProcess(process.pid, at(0)))).toEqual(['3 ingest', '3 publish'])
    expect(ledger.ofProcess(process.pid, at(4))).toEqual([])
    expect(ledger.ofProcess(process.pid + 1, at(0))).toEqual([])
    expect(ledger.prune(at(3))).toBe(2)
    expect(named(ledger.last(9))).toEqual(['3 ingest', '3 publish', '2 events'])
  })
})

test('what a process left running was killed: the next run says so, and so does the end of the process', async () => {
  await withLedger((ledger) => {
    const killed = { outcome: 'killed', reason: 'the process ended without recording an outcome' }
    ledger.beginStep(ledger.begin(at(0)), 'ingest', at(1))
    ledger.beginStep(ledger.begin(at(5)), 'link', at(6))
    expect(ledger.last(9)).toMatchObject([
      { step: 'link', outcome: 'running' },
      { step: 'ingest', ...killed, ended_at: at(5).toISOString() },
    ])
    ledger.noteEnd(process.pid + 1, at(7))
    expect(ledger.running()).toHaveLength(1)
    ledger.noteEnd(process.pid, at(8))
    expect(ledger.last(1)).toMatchObject([{ step: 'link', ...killed, ended_at: at(8).toISOString() }])
  })
})

test('a run that could not begin is noted as failed, with its reason', async () => {
  await withLedger((ledger) => {
    ledger.noteFailure('ingest', 'the warehouse is damaged', at(3))
    expect(ledger.last(9)).toEqual([
      {
        run_id: 1,
        step: 'ingest',
        pid: process.pid,
        started_at: at(3).toISOString(),
        ended_at: at(3).toISOString(),
        outcome: 'failed',
        row_count: null,
        reason: 'the warehouse is damaged',
      },
    ])
  })
})

test('a publication counts from its end on, if it was made or not needed', async () => {
  await withLedger((ledger) => {
    expect(ledger.lastPublishedAt(at(59))).toBeNull()
    for (const [minute, outcome] of [[10, 'done'], [20, 'unchanged'], [30, 'failed']] as const) {
      const run_id = ledger.begin(at(minute))
      ledger.beginStep(run_id, 'publish', at(minute))
      ledger.endStep(run_id, 'publish', { ...DONE, outcome }, at(minute + 1))
    } // prettier-ignore
    expect([15, 20, 21, 59].map((minute) => ledger.lastPublishedAt(at(minute)))).toEqual([at(11), at(11), at(21), at(21)]) // prettier-ignore
  })
})
