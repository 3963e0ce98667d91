import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import type { SparkAddress } from './spark-address.ts'
import { openSparkSession, type SparkSession } from './spark-connect.ts'

export interface SparkServerOptions {
  /** The folder of Spark, with `bin/spark-submit`. */
  readonly sparkHome: string | undefined
  /** The cluster: `spark://host:7077`, `yarn`, `k8s://…` or `local[2]`. */
  readonly master: string
  /** Settings of Spark besides those in `conf/spark-defaults.conf`, for example `spark.executor.memory`. */
  readonly conf: Readonly<Record<string, string>>
  /** Settings of Spark SQL for the session. */
  readonly settings: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** A Spark Connect server of this run. Only this process can use it: it listens on 127.0.0.1 and asks for a random token. */
export interface SparkServer {
  readonly session: SparkSession
  /** Ends the session and the server. */
  close(): Promise<void>
}

const START_SECONDS = 180
const LOOK_MS = 500
const LOG_LINES = 30
const LOOPBACK = '127.0.0.1'

// The shell reads the token from standard input, because other users can see arguments. It ends the server when standard
// input closes, also when this process was killed.
const SCRIPT = `
read -r SPARK_CONNECT_AUTHENTICATE_TOKEN; export SPARK_CONNECT_AUTHENTICATE_TOKEN
exec 3<&0
"$@" </dev/null 3<&- & server=$!
(cat <&3 >/dev/null; kill "$server"; sleep 15; kill -9 "$server") 2>/dev/null & watch=$!
exec 3<&-
wait "$server"; status=$?
kill "$watch" 2>/dev/null
exit "$status"
`

/**
 * Starts a Connect server that runs its jobs on the cluster `master`, and waits until it answers.
 * @throws `bad_config` without Spark on this machine; `cluster_unreachable` with the end of the server's log
 */
export async function startSparkServer(options: SparkServerOptions): Promise<SparkServer> {
  const submit = submitCommand(options.sparkHome)
  const address: SparkAddress = { host: LOOPBACK, port: await freePort(), isTls: false }
  const token = randomBytes(24).toString('hex')
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', submit, ...submitArguments(options, address.port)], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.write(`${token}\n`)
  const log = lastLines(child)
  try {
    const session = await sessionOf(child, { address, token, settings: options.settings }, options.signal)
    return {
      session,
      async close() {
        await session.close()
        await end(child)
      },
    }
  } catch (error) {
    await end(child)
    if (options.signal.aborted) throw options.signal.reason
    const why = error instanceof AppError ? error.message : 'it ended'
    throw new AppError(
      'cluster_unreachable',
      `the Spark Connect server for ${options.master} did not start: ${why}. Check that the master is reachable and has ` +
        `free cores. The end of its log:\n${log()}`,
      { cause: error },
    )
  }
}

function submitCommand(sparkHome: string | undefined): string {
  if (sparkHome === undefined)
    throw new AppError('bad_config', '--master needs Spark on this machine: set SPARK_HOME to its folder, or give --spark sc://host:port') // prettier-ignore
  const submit = join(sparkHome, 'bin', 'spark-submit')
  if (!existsSync(submit))
    throw new AppError('bad_config', `SPARK_HOME is ${sparkHome}, but this folder has no bin/spark-submit: set it to the folder of Spark 4`) // prettier-ignore
  return submit
}

function submitArguments({ master, conf }: SparkServerOptions, port: number): string[] {
  const settings: Record<string, string> = {
    'spark.connect.grpc.binding.address': LOOPBACK,
    'spark.connect.grpc.binding.port': String(port),
    'spark.ui.enabled': 'false',
    // Executors of another machine must reach the driver, so Spark chooses its address there.
    ...(isLocal(master) ? { 'spark.driver.host': LOOPBACK, 'spark.driver.bindAddress': LOOPBACK } : {}),
    ...conf,
  }
  return [
    '--master',
    master,
    '--name',
    'platbook',
    '--class',
    'org.apache.spark.sql.connect.service.SparkConnectServer',
    ...Object.entries(settings).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
    'spark-internal',
  ]
}

function isLocal(master: string): boolean {
  return /^local\b|^spark:\/\/(?:127\.0\.0\.1|localhost)(?::|$)/.test(master)
}

/** Returns a session as soon as the server answers. Fails when the server ends before, or takes too long. */
async function sessionOf(
  child: ChildProcess,
  options: Parameters<typeof openSparkSession>[0],
  signal: AbortSignal,
): Promise<SparkSession> {
  const until = Date.now() + START_SECONDS * 1000
  for (;;) {
    try {
      return await openSparkSession(options)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'cluster_unreachable') throw error
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error('the server ended', { cause: error })
      if (Date.now() > until) throw error
    }
    await wait(LOOK_MS, undefined, { signal })
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
}

/** Keeps the end of what the server logs. */
function lastLines(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).split('\n').slice(-LOG_LINES).join('\n')
  })
  return () => text.trim()
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, LOOPBACK)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('a port has a number')
  return address.port
}
