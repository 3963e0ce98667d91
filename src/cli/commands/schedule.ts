import { parseArgs } from 'node:util'
import { scheduledJobs } from '../../../pipelines/jobs.ts'
import { runSchedule } from '../../../pipelines/schedule.ts'
import { type Log, openLog } from '../../log.ts'
import { openState, type State } from '../../state/open.ts'
import { ScheduleLedger } from '../../state/schedule-ledger.ts'
import { openWebhooks } from '../../webhooks/open.ts'
import type { CommandIo } from '../io.ts'

export const summary = 'makes nightly runs, usage roll-up, webhook deliveries and pruning when they are due'
export const usage = 'platbook schedule [--data DIR]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  parseArgs({ args: argv, options: {} })
  const { config, now } = io
  const log = openLog(config)
  const state = await openState(config.state, { now, log, snapshots: config.paths.snapshots })
  try {
    io.out(
      `nightly runs start at ${config.SCHEDULE_NIGHTLY_AT} ${config.SCHEDULE_ZONE}; \`platbook doctor\` shows the last runs`,
    )
    await schedule(io, state, log)
  } finally {
    await state.close()
  }
  return 0
}

/** Runs the schedule until `signal` is aborted, then stops the running jobs and waits until they have ended. */
export async function schedule({ config, now, signal }: CommandIo, state: State, log: Log): Promise<void> {
  const webhooks = await openWebhooks({ state, config, now })
  const ledger = new ScheduleLedger(state.db)
  try {
    const jobs = scheduledJobs({ config, state, webhooks, ledger, now, log })
    await runSchedule({ jobs, ledger, now, log }, signal)
  } finally {
    await webhooks.close()
  }
}
