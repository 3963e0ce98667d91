import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { STEPS } from '../../../pipelines/nightly.ts'
import { messageOf } from '../../errors.ts'
import { openLog } from '../../log.ts'
import { currentSnapshot } from '../../lookup/format/current.ts'
import { openState } from '../../state/open.ts'
import { demoKey, demoRequests, SAMPLE_FOLDER } from '../demo.ts'
import type { CommandIo } from '../io.ts'
import { tightenFolder, wantedAccess } from '../permissions.ts'
import { runSteps } from './nightly.ts'
import { schedule } from './schedule.ts'
import { portOf, serve } from './serve.ts'

export const summary = 'loads the sample counties on an empty data folder, then serves and runs the schedule'
export const usage = 'platbook start [--port 3000] [--data DIR]'

/** Generated files of five counties with invented people. */
const SAMPLE = fileURLToPath(new URL('../../../data/sample', import.meta.url))

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { port: { type: 'string' } },
  })
  const { paths } = io.config
  if ((await currentSnapshot(paths.snapshots)) === null) {
    const exitCode = await loadSample(io)
    if (exitCode !== 0) return exitCode
  }
  const port = portOf('port', values.port) ?? io.config.PORT
  // Logs only warnings, so that the printed requests stay visible. Links in notifications contain PORT.
  const quiet: CommandIo = { ...io, config: { ...io.config, LOG_LEVEL: 'warn', PORT: port } }
  const onListening = (address: string) => printRequests(io, address)
  return withSchedule(quiet, (signal) =>
    serve({ ...quiet, signal }, { port, host: io.config.HOST, onListening }),
  )
}

/** Runs `body` and the schedule at the same time, and stops the schedule when `body` ends. */
async function withSchedule<T>(io: CommandIo, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController()
  const signal = AbortSignal.any([io.signal, end.signal])
  const log = openLog(io.config)
  const state = await openState(io.config.state, {
    now: io.now,
    log,
    snapshots: io.config.paths.snapshots,
  })
  const scheduled = schedule({ ...io, signal }, state, log).catch((cause: unknown) =>
    log.error({ reason: messageOf(cause) }, 'the schedule has ended; what is published is still served'),
  )
  try {
    return await body(signal)
  } finally {
    end.abort()
    await scheduled
    await state.close()
  }
}

async function loadSample(io: CommandIo): Promise<number> {
  const { paths } = io.config
  io.out(
    `${paths.root} contains no snapshot: loading the sample counties (invented people) with a first nightly run`,
  )
  await mkdir(paths.landing, { recursive: true })
  await cp(join(SAMPLE, 'day-1'), join(paths.landing, `${SAMPLE_FOLDER}1`), { recursive: true })
  // The copied files have the modes of the checkout, which other accounts may read.
  await tightenFolder(paths.landing, await wantedAccess(paths, io.config.PLATBOOK_SHARED))
  return runSteps([], { ...io, config: { ...io.config, LOG_LEVEL: 'warn' } }, STEPS)
}

async function printRequests(io: CommandIo, address: string): Promise<void> {
  const { paths } = io.config
  const snapshot = await currentSnapshot(paths.snapshots)
  if (snapshot === null) return
  const state = await openState(io.config.state, { snapshots: paths.snapshots })
  const key = await demoKey(state, paths.state).finally(() => state.close())
  io.out(`\nserving snapshot ${snapshot.version} on ${address}; demo key ${key}\nrequests to try:\n`)
  for (const line of await demoRequests(snapshot.folder, address, key)) io.out(`  ${line}`)
  const landed = await readdir(paths.landing).catch((): string[] => [])
  if (landed.includes(`${SAMPLE_FOLDER}1`) && !landed.includes(`${SAMPLE_FOLDER}2`)) {
    io.out(
      `\nto add the files of the sample's second day: cp -r ${join(SAMPLE, 'day-2')} ${join(paths.landing, `${SAMPLE_FOLDER}2`)}`,
    )
  }
  io.out(
    `\nput new files into ${paths.landing}; \`npm run platbook -- nightly\` loads them now, the nightly run at ${io.config.SCHEDULE_NIGHTLY_AT} ${io.config.SCHEDULE_ZONE} loads them later. Ctrl-C stops the service.`,
  )
}
