import { ScheduleLedger, type ScheduleRun } from '../../state/schedule-ledger.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Reports the last runs of each scheduled job, and checks for failed runs and for runs dated in the future. */
export async function checkSchedule({ state, now }: DoctorContext): Promise<Finding> {
  if (state.db === null) return { fields: { schedule: [] }, lines: [], complaints: [] }
  const ledger = new ScheduleLedger(state.db)
  const schedule = await ledger.last(3)
  const lines = schedule.map(
    ({ job, started_at, status, detail }) =>
      `  ${job.padEnd(10)} ${started_at.slice(0, 16)} ${status.replaceAll('_', ' ')}${detail === null ? '' : `: ${detail}`}`,
  )
  const ahead = await ledger.dueAfter(now)
  return {
    fields: { schedule },
    lines: lines.length === 0 ? [] : ['', 'schedule', ...lines],
    complaints: [
      ...failedJobs(schedule.filter(({ due_at }) => due_at <= now.toISOString())),
      ...clockAhead(ahead),
    ],
  }
}

function failedJobs(runs: readonly ScheduleRun[]): string[] {
  const newest = new Map<string, ScheduleRun>()
  for (const past of runs) if (!newest.has(past.job)) newest.set(past.job, past)
  return [...newest.values()]
    .filter(({ status }) => status === 'failed' || status === 'lost')
    .map(({ job, due_at, status, detail }) =>
      status === 'lost'
        ? `the run of ${job} due at ${due_at} was killed: \`platbook schedule\` repeats it`
        : `the run of ${job} due at ${due_at} failed: ${detail ?? 'no reason recorded'}`,
    )
}

function clockAhead(runs: readonly ScheduleRun[]): string[] {
  const last = runs.at(-1)
  if (last === undefined) return []
  return [
    `the schedule has recorded ${runs.length} runs with a due time in the future, the last one of ${last.job} at ${last.due_at}: the clock of this machine was or is wrong (check with \`date\`). The schedule ignores these records, and its job prune removes them`,
  ]
}
