import { expect, test } from 'vitest'
import { RunLedger, type RunStep } from '../../src/state/run-ledger.ts'
import { withState } from './support.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 7, 14, 12, minute))
const DONE = { outcome: 'done', row_count: 5, reason: null } as const

function named(steps: readonly RunStep[]): string[] {
  return steps.map(({ run_id, step }) => `${run_id} ${step}`)
}

async function withLedger(body: (ledger: RunLedger) => Promise<void>): Promise<void> {
  await withState(async ({ db }) => body(new RunLedger(db)))
}

test('a step is there from its beginning, and has its outcome once it has ended', async () => {
  await withLedger(async (ledger) => {
    const run_id = await ledger.begin(at(0))
    await ledger.beginStep(run_id, 'ingest', at(1))
    expect(await ledger.running()).toEqual([
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
    await ledger.endStep(run_id, 'ingest', { outcome: 'failed', row_count: 7, reason }, at(2))
    expect(await ledger.last(1)).toMatchObject([
      { ended_at: at(2).toISOString(), outcome: 'failed', row_count: 7, reason: 'a'.repeat(2_000) },
    ])
    expect(await ledger.running()).toEqual([])
  })
})

test('steps are listed in the order of a run, of the last runs or each at its last', async () => {
  await withLedger(async (ledger) => {
    for (const steps of [['publish', 'ingest'], ['events'], ['ingest', 'publish']] as const) {
      const run_id = await ledger.begin(at(0))
      for (const step of steps) {
        await ledger.beginStep(run_id, step, at(run_id))
        await ledger.endStep(run_id, step, DONE, at(run_id))
      }
    }
    expect(named(await ledger.latest())).toEqual(['3 ingest', '3 publish', '2 events'])
    expect(named(await ledger.last(2))).toEqual(['3 ingest', '3 publish', '2 events'])
    expect(named(await ledger.last(3))).toEqual([
      '3 ingest',
      '3 publish',
      '2 events',
      '1 ingest',
      '1 publish',
    ])
    expect(named(await ledger.ofProcess(process.pid, at(0)))).toEqual(['3 ingest', '3 publish'])
    expect(await ledger.ofProcess(process.pid, at(4))).toEqual([])
    expect(await ledger.ofProcess(process.pid + 1, at(0))).toEqual([])
    expect(await ledger.prune(at(3))).toBe(2)
    expect(named(await ledger.last(9))).toEqual(['3 ingest', '3 publish', '2 events'])
  })
})

test('what a process left running was killed: the next run says so, and so does the end of the process', async () => {
  await withLedger(async (ledger) => {
    const killed = { outcome: 'killed', reason: 'the process ended without recording an outcome' }
    await ledger.beginStep(await ledger.begin(at(0)), 'ingest', at(1))
    await ledger.beginStep(await ledger.begin(at(5)), 'link', at(6))
    expect(await ledger.last(9)).toMatchObject([
      { step: 'link', outcome: 'running' },
      { step: 'ingest', ...killed, ended_at: at(5).toISOString() },
    ])
    await ledger.noteEnd(process.pid + 1, at(7))
    expect(await ledger.running()).toHaveLength(1)
    await ledger.noteEnd(process.pid, at(8))
    expect(await ledger.last(1)).toMatchObject([{ step: 'link', ...killed, ended_at: at(8).toISOString() }])
  })
})

test('a run that could not begin is noted as failed, with its reason', async () => {
  await withLedger(async (ledger) => {
    await ledger.noteFailure('ingest', 'the warehouse is damaged', at(3))
    expect(await ledger.last(9)).toEqual([
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
  await withLedger(async (ledger) => {
    expect(await ledger.lastPublishedAt(at(59))).toBeNull()
    for (const [minute, outcome] of [[10, 'done'], [20, 'unchanged'], [30, 'failed']] as const) {
      const run_id = await ledger.begin(at(minute))
      await ledger.beginStep(run_id, 'publish', at(minute))
      await ledger.endStep(run_id, 'publish', { ...DONE, outcome }, at(minute + 1))
    } // prettier-ignore
    const published = await Promise.all([15, 20, 21, 59].map((minute) => ledger.lastPublishedAt(at(minute))))
    expect(published).toEqual([at(11), at(11), at(21), at(21)]) // prettier-ignore
  })
})
