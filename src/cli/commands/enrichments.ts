import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cancelJob, listJobs } from '../../enrich/jobs/jobs.ts'
import { AppError } from '../../errors.ts'
import type { State } from '../../state/open.ts'
import { runStateAct, type StateActs, usageErrors } from '../acts.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { tableLines } from '../table.ts'

export const summary = 'lists and cancels the enrichment jobs that callers sent to the API'
export const usage = `platbook enrichments list [--all]
       platbook enrichments cancel ENRICHMENT_ID
       each with [--data DIR] [--json]

--all also lists jobs that have ended.`

const OPTIONS = {
  json: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
} as const

const badUsage = usageErrors(usage)
const parsed = (argv: string[]) => parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof parsed>['values']

const ACTS: StateActs<Values> = {
  list: { run: list },
  cancel: { run: cancel, argument: 'a job: `platbook enrichments list` shows the ids' },
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runStateAct('enrichments', ACTS, parsed(argv), badUsage, io)
}

async function list(state: State, { all, json }: Values, io: CommandIo): Promise<void> {
  const shown = (await listJobs(state.db, all)).map((job) => ({
    enrichment_id: job.enrichment_id,
    account_id: job.account_id,
    status: job.status,
    created_at: new Date(job.created_at).toISOString(),
    rows: job.row_count,
    bytes: job.byte_count,
  }))
  const rows = shown.map((job) => Object.values(job).map((value) => String(value ?? '?')))
  const header = ['enrichment', 'account', 'state', 'created', 'rows', 'bytes']
  const none = all
    ? 'there are no jobs'
    : 'no job is queued or running; --all also lists jobs that have ended'
  print(io, json, shown, [...tableLines(header, rows), ...(rows.length === 0 ? [none] : [])])
}

async function cancel(state: State, { json }: Values, io: CommandIo, id: string): Promise<void> {
  const job = (await listJobs(state.db, true)).find(({ enrichment_id }) => enrichment_id === id)
  if (job === undefined)
    throw new AppError(
      'unknown_id',
      `there is no enrichment ${id}: \`platbook enrichments list --all\` shows the ids`,
    )
  if (!(await cancelJob(state.db, id, io.now().getTime())))
    throw new AppError(
      'conflict',
      `the enrichment ${id} is ${job.status}: only a queued or running job can be cancelled`,
    )
  if (job.request.max_billable !== null)
    await state.allowances.giveBack(job.account_id, job.created_at, job.request.max_billable)
  // The files of a running job are removed by the process that works on it.
  if (job.status === 'queued')
    await rm(join(io.config.paths.out, 'enrichments', id), { recursive: true, force: true })
  print(io, json, { enrichment_id: id, status: 'cancelled' }, [
    `cancelled ${id}; the server stops working on it within a second, and nothing is billed`,
  ])
}
