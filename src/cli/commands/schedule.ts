import { parseArgs } from 'node:util'
import { scheduledJobs } from '../../../pipelines/jobs.ts'
import { runSchedule } from '../../../pipelines/schedule.ts'
import { type Log, openLog } from '../../log.ts'
import { openState, type State } from '../../state/open.ts'
import { ScheduleLedger } from '../../state/schedule-ledger.ts'
import { openWebhooks } from '../../webhooks/open.ts'
import { chosenEngine, ENGINE_OPTIONS, ENGINE_USAGE } from '../engine.ts'
import type { CommandIo } from '../io.ts'

export const summary = 'makes nightly runs, usage roll-up, webhook deliveries and pruning when they are due'
export const usage = `platbook schedule [--data DIR] [--engine NAME]

The options of the engine are those of \`platbook nightly\`; each nightly run gets them.
${ENGINE_USAGE}`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({ args: argv, options: ENGINE_OPTIONS })
  const { config, now, signal } = io
  // A wrong option is an error now, and not at night.
  await chosenEngine(values, { config, signal, progress: () => undefined })
  const log = openLog(config)
  const state = await openState(config.state, { now, log, snapshots: config.paths.snapshots })
  try {
    io.out(
      `nightly runs start at ${config.SCHEDULE_NIGHTLY_AT} ${config.SCHEDULE_ZONE}; \`platbook doctor\` shows the last runs`,
    )
    await schedule(io, state, log, argv)
  } finally {
    await state.close()
  }
  return 0
}

/**
 * Runs the schedule until `signal` is aborted, then stops the running jobs and waits until they have ended.
 * `nightlyArguments` are the options of the engine of nightly runs.
 */
export async function schedule(
  { config, now, signal }: CommandIo,
  state: State,
  log: Log,
  nightlyArguments: readonly string[] = [],
): Promise<void> {
  const webhooks = await openWebhooks({ state, config, now })
  const ledger = new ScheduleLedger(state.db)
  try {
    const jobs = scheduledJobs({ config, state, webhooks, ledger, now, log, nightlyArguments })
    await runSchedule({ jobs, ledger, now, log }, signal)
  } finally {
    await webhooks.close()
  }
}
