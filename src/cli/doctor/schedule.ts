import { ScheduleLedger, type ScheduleRun } from '../../state/schedule-ledger.ts'
import type { DoctorContext, Finding } from './check.ts'

/** The last runs of each job of the schedule; none where no schedule has run. */
export async function checkSchedule({ state }: DoctorContext): Promise<Finding> {
  const schedule = state.db === null ? [] : new ScheduleLedger(state.db).last(3)
  const lines = schedule.map(
    ({ job, started_at, status, detail }) =>
      `  ${job.padEnd(10)} ${started_at.slice(0, 16)} ${status}${detail === null ? '' : `: ${detail}`}`,
  )
  return {
    fields: { schedule },
    lines: lines.length === 0 ? [] : ['', 'schedule', ...lines],
    complaints: failedJobs(schedule),
  }
}

function failedJobs(runs: readonly ScheduleRun[]): string[] {
  const newest = new Map<string, ScheduleRun>()
  for (const past of runs) if (!newest.has(past.job)) newest.set(past.job, past)
  return [...newest.values()]
    .filter(({ status }) => status === 'failed' || status === 'lost')
    .map(({ job, due_at, status, detail }) =>
      status === 'lost'
        ? `the run of ${job} due at ${due_at} was killed: \`platbook schedule\` runs it again`
        : `the run of ${job} due at ${due_at} failed: ${detail ?? 'no reason recorded'}`,
    )
}
