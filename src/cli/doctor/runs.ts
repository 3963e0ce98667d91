import { RERUN } from '../../notify/service-conditions.ts'
import { RunLedger, type RunStep } from '../../state/run-ledger.ts'
import { count } from '../progress.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Reports the steps of the last two runs, and checks which steps failed in their last run. */
export async function checkRuns({ state, warehouse }: DoctorContext): Promise<Finding> {
  if (state.db === null) return { fields: { runs: [] }, lines: ['runs       none'], complaints: [] }
  const ledger = new RunLedger(state.db)
  // A run keeps the warehouse open. If no process has it open, a step recorded as `running` was killed.
  const seen = (steps: readonly RunStep[]): RunStep[] =>
    steps.map((step) =>
      step.outcome === 'running' && !warehouse.isInUse
        ? { ...step, outcome: 'killed', reason: 'its process ended without recording a result' }
        : step,
    )
  const runs = seen(await ledger.last(2))
  const failed = seen(await ledger.latest()).filter(
    ({ outcome }) =>
      outcome === 'failed' ||
      outcome === 'killed' ||
      // The check of sources reports these failures in detail, unless the warehouse cannot be read.
      (outcome === 'done_with_failures' && warehouse.db === null),
  )
  return {
    fields: { runs },
    lines: runs.length === 0 ? ['runs       none'] : ['', 'runs', ...runs.map(lineOf)],
    complaints: failed.map(
      ({ step, outcome, run_id, started_at, reason }) =>
        `${step} ${shown(outcome)} in run ${run_id} of ${started_at.slice(0, 16)}Z: ${(reason ?? 'no reason recorded').replace(/\.$/, '')}; ${outcome === 'killed' ? 'run' : 'correct the cause, then run'} \`${RERUN[step]}\``,
    ),
  }
}

function lineOf({ run_id, step, started_at, ended_at, outcome, row_count, reason }: RunStep): string {
  const seconds = ended_at === null ? null : (Date.parse(ended_at) - Date.parse(started_at)) / 1000
  const notes = [
    shown(outcome),
    ...(row_count === null || row_count === 0 ? [] : [`${count(row_count)} rows`]),
    ...(seconds === null ? [] : [`${seconds.toFixed(1)} s`]),
    ...(reason === null ? [] : [reason]),
  ]
  return `  ${String(run_id).padEnd(4)} ${step.padEnd(10)} ${started_at.slice(0, 16)} ${notes.join(', ')}`
}

function shown(outcome: RunStep['outcome']): string {
  return outcome.replaceAll('_', ' ')
}
