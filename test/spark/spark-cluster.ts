import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const LOOPBACK = '127.0.0.1'
/** Settings that keep each JVM small. */
export const SMALL = {
  'spark.driver.memory': '600m',
  'spark.executor.memory': '480m',
  'spark.executor.cores': '1',
  'spark.sql.shuffle.partitions': '4',
}
const DAEMON_ENV = {
  SPARK_LOCAL_IP: LOOPBACK,
  SPARK_DAEMON_MEMORY: '160m',
  SPARK_DAEMON_JAVA_OPTS: '-XX:+UseSerialGC -XX:TieredStopAtLevel=1',
}
// Kills the group of processes when standard input closes, also when the test was killed.
const GROUP = '"$@" </dev/null & cat >/dev/null; kill -9 -$$'

export interface SparkCluster {
  readonly master: string
  /** Starts a worker with one core. */
  addWorker(): Promise<SparkWorker>
  close(): Promise<void>
}

export interface SparkWorker {
  /** Kills the worker with its executors and their processes. */
  kill(): Promise<void>
}

/** Starts a Spark master without workers. All its ports are on 127.0.0.1. */
export async function startSparkCluster(sparkHome: string, folder: string): Promise<SparkCluster> {
  const groups: ChildProcess[] = []
  const start = async (args: readonly string[], pattern: RegExp) => {
    const env = { ...process.env, ...DAEMON_ENV, SPARK_LOCAL_DIRS: join(folder, 'local') }
    const child = spawn('/bin/sh', ['-c', GROUP, 'sh', join(sparkHome, 'bin', 'spark-class'), ...args], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
      env,
    })
    groups.push(child)
    return { child, found: await logged(child, pattern) }
  }
  const master = await start(
    ['org.apache.spark.deploy.master.Master', '--host', LOOPBACK, '--port', '0', '--webui-port', '0'],
    /'sparkMaster' on port (\d+)/,
  )
  const url = `spark://${LOOPBACK}:${master.found}`
  return {
    master: url,
    async addWorker() {
      const options = [
        '--host',
        LOOPBACK,
        '--port',
        '0',
        '--webui-port',
        '0',
        '--cores',
        '1',
        '--memory',
        '1g',
      ]
      const { child } = await start(
        ['org.apache.spark.deploy.worker.Worker', ...options, '--work-dir', join(folder, 'work'), url],
        /(Successfully registered) with master/,
      )
      return { kill: async () => endGroup(child) }
    },
    async close() {
      await Promise.all(groups.map(endGroup))
    },
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
}

/** Waits for a line of the log, and returns the first group of the pattern. */
async function logged(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`Spark ended:\n${text}`)))
  })
}
