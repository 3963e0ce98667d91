import type { Database } from '../state/database.ts'
import type { Config } from '../config.ts'
import { AFTER_REFUSAL, LinkModels, refusalText } from '../state/link-models.ts'
import { RunLedger, type RunStep } from '../state/run-ledger.ts'
import { ScheduleLedger, type ScheduleRun } from '../state/schedule-ledger.ts'
import { type Condition, withoutValues } from './condition.ts'
import { FINE_FREE_GIB, freeGib, LEAST_FREE_GIB } from './disk.ts'
import { Notices } from './notices.ts'
import { isTooOld, snapshotAge } from './snapshot-age.ts'

const DISK = 'disk'
const GIVEN_UP_WITHIN_MS = 24 * 3_600_000

/** Returns the present problems of the service: failed steps and jobs, a refused link model, an old snapshot, failed deliveries, a nearly full disk. */
export async function serviceConditions(config: Config, db: Database, now: Date): Promise<Condition[]> {
  const steps = failedSteps(await new RunLedger(db).latest())
  // A failed step makes the nightly job fail, so the failure of the job is left out.
  const jobs = (await new ScheduleLedger(db).last(1)).filter(
    ({ job }) => job !== 'nightly' || steps.length === 0,
  )
  return [
    ...steps,
    ...failedJobs(jobs, now),
    ...(await refusedModel(db)),
    ...(await oldSnapshot(config, db, now)),
    ...(await givenUp(db, now)),
    ...diskConditions(await freeGib(config.paths.root), await new Notices(db).isKnown(DISK)),
  ]
}

/** The command that repeats a step. */
export const RERUN: Readonly<Record<RunStep['step'], string>> = {
  ingest: 'platbook nightly',
  normalize: 'platbook nightly',
  link: 'platbook nightly',
  publish: 'platbook publish',
  events: 'platbook publish',
}

function failedSteps(steps: readonly RunStep[]): Condition[] {
  return steps
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'killed')
    .map(({ step, outcome, run_id, started_at, reason }) => ({
      key: `failed_step ${step}`,
      kind: 'failed_step',
      summary: `${step} ${outcome} in run ${run_id} of ${started_at.slice(0, 16)}Z: ${withoutValues(reason ?? 'no reason recorded')}`,
      command: `platbook doctor, then ${RERUN[step]}`,
    }))
}

function failedJobs(runs: readonly ScheduleRun[], now: Date): Condition[] {
  return runs
    .filter(({ status, due_at }) => status === 'failed' && due_at <= now.toISOString())
    .map(({ job, due_at, detail }) => ({
      key: `failed_job ${job}`,
      kind: 'failed_job',
      summary: `the scheduled run of ${job} due at ${due_at} failed: ${withoutValues(detail ?? 'no reason recorded')}`,
      command: 'platbook doctor',
    }))
}

async function refusedModel(db: Database): Promise<Condition[]> {
  const last = await new LinkModels(db).latest()
  if (last?.outcome !== 'refused') return []
  return [
    {
      // The key contains the time, so another refusal is reported again: its reason may differ.
      key: `refused_model ${last.decided_at}`,
      kind: 'refused_model',
      summary: refusalText(last),
      command: AFTER_REFUSAL,
    },
  ]
}

async function oldSnapshot(config: Config, db: Database, now: Date): Promise<Condition[]> {
  const age = await snapshotAge(config, db, now)
  if (age === null || !isTooOld(age)) return []
  const { version, hours, limitHours } = age
  return [
    {
      key: 'old_snapshot',
      kind: 'old_snapshot',
      summary: `snapshot ${version} was last updated ${hours} hours ago, the limit is ${limitHours}`,
      command: 'platbook doctor, then platbook nightly',
      before: limitHours,
      after: hours,
    },
  ]
}

async function givenUp(db: Database, now: Date): Promise<Condition[]> {
  return (
    await db.all(
      `select subscription_id, count(*) as count from deliveries
       where status = 'failed' and finished_at > ? group by subscription_id order by subscription_id`,
      now.getTime() - GIVEN_UP_WITHIN_MS,
    )
  ).map((row) => ({
    key: `given_up ${String(row['subscription_id'])}`,
    kind: 'given_up',
    summary: `deliveries to webhook ${String(row['subscription_id'])} that failed for good within 24 hours: ${String(row['count'])}`,
    command: `platbook webhooks deliveries --webhook ${String(row['subscription_id'])} --status failed`,
    after: Number(row['count']),
  }))
}

/** Returns the condition of a nearly full disk. `free`: GiB. `isKnown`: whether the operator was already notified. */
export function diskConditions(free: number, isKnown: boolean): Condition[] {
  if (free >= (isKnown ? FINE_FREE_GIB : LEAST_FREE_GIB)) return []
  return [
    {
      key: DISK,
      kind: 'disk',
      summary: `the disk of the data folder is nearly full: ${free.toFixed(1)} GiB free, the limit is ${LEAST_FREE_GIB}`,
      command: 'platbook doctor',
      before: LEAST_FREE_GIB,
      after: Math.round(free * 10) / 10,
    },
  ]
}
