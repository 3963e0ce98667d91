import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { parseArgs } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../api/app.ts'
import { formatMetrics } from '../../api/metrics.ts'
import { serveMetrics } from '../../api/metrics-server.ts'
import { openFilesLimit } from '../../api/open-files-limit.ts'
import { type SnapshotOptions, Snapshots } from '../../api/snapshots.ts'
import type { Config } from '../../config.ts'
import { AppError, messageOf } from '../../errors.ts'
import { openEventArchive, searchOptions } from '../../events/archive.ts'
import { type Log, openLog } from '../../log.ts'
import { currentSnapshot, loadLookup } from '../../lookup/index.ts'
import { SnapshotVerifier } from '../../lookup/index.ts'
import type { Fetching } from '../../replicate/start-fetching.ts'
import { withheldVersion } from '../../replicate/status.ts'
import { openState, type State } from '../../state/open.ts'
import type { CommandIo } from '../io.ts'
import {
  checkPortIsFree,
  followOrders,
  disconnectFromFirst,
  outliveFirstProcess,
  OWN_LISTENER,
  startWorkers,
  verifyInFirst,
} from '../workers.ts'
import { wholeNumber } from '../whole-number.ts'

export const summary = 'answers API requests from the current snapshot'
export const usage =
  'platbook serve [--port 3000] [--host 127.0.0.1] [--workers 1] [--metrics-port N] [--snapshots s3://BUCKET/PREFIX|DIR] [--data DIR]\n\n--snapshots fetches each snapshot that another installation uploads there (SNAPSHOT_STORE), and serves it.'

export interface ServeOptions {
  readonly port: number
  readonly host: string
  /** The number of processes that serve the same data folder; 1 if it is not given. */
  readonly processCount?: number
  /** The store that snapshots are fetched from; without it, another process publishes them in the data folder. */
  readonly fetchFrom?: string | undefined
  /** Called once with the address on which the service listens. */
  readonly onListening?: (address: string) => void | Promise<void>
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      workers: { type: 'string', default: '1' },
      'metrics-port': { type: 'string' },
      snapshots: { type: 'string' },
    },
  })
  const { config } = io
  const port = portOf('port', values.port) ?? config.PORT
  const metricsPort = portOf('metrics-port', values['metrics-port']) ?? config.METRICS_PORT
  const workers = wholeNumber('workers', values.workers, 1, 256)
  const fetchFrom = values.snapshots
  if (fetchFrom !== undefined && existsSync(config.paths.warehouse))
    throw new AppError(
      'bad_usage',
      `--snapshots needs a data folder of its own, because ${config.paths.root} has a warehouse whose nightly run publishes there: serve it without --snapshots, or name another folder with --data`,
    )
  const options = { port, host: values.host ?? config.HOST, fetchFrom }
  // Links in notifications contain PORT, so it is set to the actual port.
  const given: CommandIo = { ...io, config: { ...config, PORT: port, METRICS_PORT: metricsPort } }
  if (cluster.isWorker) return serveAsWorker(given, { ...options, processCount: workers })
  return workers === 1 ? serve(given, options) : serveByWorkers(given, options, workers)
}

/**
 * Serves until `io.signal` is aborted. Then it finishes the current requests (ten seconds at most) and writes the remaining access
 * events. Resolves to the exit code.
 */
export async function serve(io: CommandIo, options: ServeOptions): Promise<number> {
  const { onListening = (address) => io.out(`listening on ${address}`) } = options
  const verifier = openVerifier(io.config)
  const fetching = await fetchInBackground(io, options)
  const verify = verifyAndFetchAgain(verifier, fetching)
  const serving = withService(io, { ...options, verify }, async (app, address, log) => {
    const closeMetrics = await openMetrics(io, async () => formatMetrics([app.reading()], 0))
    try {
      await onListening(address)
      if (!io.signal.aborted) await once(io.signal, 'abort')
      log.info({}, 'stopping: requests under way are finished')
    } finally {
      await closeMetrics()
    }
  })
  return serving.finally(async () => {
    await fetching?.stop()
    await verifier.close()
  })
}

type Verify = NonNullable<SnapshotOptions['verify']>

function openVerifier({ SNAPSHOT_VERIFY_MINUTES }: Config): SnapshotVerifier {
  return new SnapshotVerifier({ againAfterMs: SNAPSHOT_VERIFY_MINUTES * 60_000 })
}

async function fetchInBackground(
  { config, now }: CommandIo,
  { fetchFrom }: ServeOptions,
): Promise<Fetching | null> {
  if (fetchFrom === undefined) return null
  // The state file must exist before the first snapshot does: a data folder with snapshots alone has lost its state file.
  const state = await openState(config.paths.state, { now, snapshots: config.paths.snapshots })
  await state.close()
  const { startFetching } = await import('../../replicate/start-fetching.ts')
  return startFetching(fetchFrom, config, openLog(config))
}

/** Verifies snapshots. Files that are damaged on the local disk are fetched again. */
function verifyAndFetchAgain(verifier: SnapshotVerifier, fetching: Fetching | null): Verify {
  return async (folder) => {
    const problems = await verifier.verify(folder)
    if (problems.length > 0) fetching?.suspect(basename(folder))
    return problems
  }
}

/** Runs in a worker process: serves on the common port until the first process or a signal stops it. */
async function serveAsWorker(io: CommandIo, options: ServeOptions): Promise<number> {
  const stop = new AbortController()
  outliveFirstProcess()
  try {
    return await withService(io, { ...options, verify: verifyInFirst() }, async (app, address) => {
      followOrders(app, address, () => stop.abort())
      const signal = AbortSignal.any([io.signal, stop.signal])
      if (!signal.aborted) await once(signal, 'abort')
    })
  } finally {
    disconnectFromFirst()
  }
}

async function serveByWorkers(io: CommandIo, options: ServeOptions, count: number): Promise<number> {
  const { port, host } = options
  const log = openLog(io.config)
  await checkPortIsFree(host, port).catch((cause: unknown) => {
    throw cannotListen(host, port, cause)
  })
  // The first process migrates the state file before the workers start, because only one process may migrate.
  const state = await openState(io.config.state, {
    now: io.now,
    log,
    snapshots: io.config.paths.snapshots,
  })
  try {
    await publishTestData(state, io.config.paths.testSnapshots, io.signal, log)
  } finally {
    await state.close()
  }
  const verifier = openVerifier(io.config)
  const fetching = await fetchInBackground(io, options)
  const verify = verifyAndFetchAgain(verifier, fetching)
  const workers = await startWorkers(count, { verify }, log).catch(async (cause: unknown) => {
    await fetching?.stop()
    throw cause
  })
  let closeMetrics: (() => Promise<void>) | null = null
  try {
    closeMetrics = await openMetrics(io, async () =>
      formatMetrics(await workers.read(), workers.replacedCount),
    )
    io.out(`listening on ${await workers.listening} with ${count} workers`)
    if (!io.signal.aborted) await once(io.signal, 'abort')
    log.info({}, 'stopping: requests under way are finished')
  } finally {
    await workers.stop().finally(() => closeMetrics?.())
    await fetching?.stop()
    await verifier.close()
  }
  return 0
}

async function withService(
  { config, now, signal }: CommandIo,
  { port, host, processCount = 1, fetchFrom, verify }: ServeOptions & { readonly verify: Verify },
  body: (app: FastifyInstance, address: string, log: Log) => Promise<void>,
): Promise<number> {
  const log = openLog(config)
  const { snapshots } = config.paths
  // Workers count their requests together, so they are one server for the rates.
  const server = cluster.isWorker ? { server: `${hostname()} ${process.ppid}` } : {}
  const state = await openState(config.state, { now, log, processCount, snapshots, ...server })
  // The first process publishes the data of test keys for its workers.
  const publishing = cluster.isWorker ? null : publishTestData(state, config.paths.testSnapshots, signal, log)
  try {
    const reading = {
      open: loadLookup,
      openEvents: (folder: string) => openEventArchive(folder, searchOptions(config)),
      current: currentSnapshot,
      suppressions: state.suppressions,
      log,
    }
    const app = await buildApp({
      config,
      state,
      now,
      log,
      filesLimit: openFilesLimit(),
      openSnapshots: () =>
        Snapshots.open({
          ...reading,
          folder: config.paths.snapshots,
          verify,
          ...(fetchFrom === undefined ? {} : { notFetched: withheldVersion, absent: NOT_FETCHED }),
        }),
      openTestSnapshots: () =>
        Snapshots.open({
          ...reading,
          folder: config.paths.testSnapshots,
          suppressions: NOBODY_SUPPRESSED,
          absent: 'The data for test keys is not published yet. Try again in a minute.',
        }),
    })
    try {
      const listener = { port, host, ...(cluster.isWorker ? OWN_LISTENER : {}) }
      const address = await app.listen(listener).catch((cause: unknown) => {
        throw cannotListen(host, port, cause)
      })
      await body(app, address, log)
    } finally {
      await app.close()
    }
  } finally {
    await publishing
    await state.close()
  }
  return 0
}

function cannotListen(host: string, port: number, cause: unknown, why = ''): AppError {
  const message = `cannot listen on ${host} port ${port}${why}: ${messageOf(cause)}`
  return new AppError('bad_config', message, { cause })
}

// Runs while the service already answers live keys.
async function publishTestData(state: State, folder: string, signal: AbortSignal, log: Log): Promise<void> {
  if (!(await state.accounts.list()).some(({ kind }) => kind === 'test')) return
  try {
    const { publishScenarios } = await import('../../scenarios/publish-scenarios.ts')
    if (await publishScenarios(folder, signal)) log.info({ folder }, 'data of test keys published')
  } catch (cause) {
    if (!signal.aborted)
      log.error({ folder, reason: messageOf(cause) }, 'the data of test keys is not published')
  }
}

const NOT_FETCHED =
  'No data is here yet, because no snapshot has been fetched from the store. Try again later.'

// The people of test keys are invented, so none of them is suppressed.
const NOBODY_SUPPRESSED = { changeCount: async () => 0, list: async () => [] }

async function openMetrics(io: CommandIo, read: () => Promise<string>): Promise<() => Promise<void>> {
  const { METRICS_PORT: port, HOST: host } = io.config
  if (port === undefined) return async () => {}
  const metrics = await serveMetrics({ host, port, read }).catch((cause: unknown) => {
    throw cannotListen(host, port, cause, ' for metrics')
  })
  io.out(`metrics on ${metrics.address}`)
  return metrics.close
}

/** Returns the port that an option has; undefined when the option is not given. */
export function portOf(name: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(name, text, 0, 65_535)
}
