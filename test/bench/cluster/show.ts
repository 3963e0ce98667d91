import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { currentSnapshot } from '../../../src/lookup/format/current.ts'
import { installedSpark } from '../../spark/install-spark.ts'
import { type SparkWorker, startSparkCluster } from '../../spark/spark-cluster.ts'
import { CLI } from '../../support/command.ts'
import { MOTO_ENV, startMoto } from '../../support/moto.ts'
import { newSchema, startPostgres } from '../../support/postgres.ts'
import { machineLine } from '../machine.ts'

// An installation on several machines against an embedded one, on the same files: `node show.ts PEOPLE`. The records of
// two days are linked on a Spark master and two workers, and published to an S3-compatible store; PostgreSQL has the state of two services. A worker and a service are killed on the way. The
// answers to 1,000 requests must be equal. Everything runs on loopback.
const REQUESTS = 1000
const [people = '3000'] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'platbook-show-'))
const closing: (() => Promise<unknown> | void)[] = [async () => rm(folder, { recursive: true, force: true })]
const seconds: [step: string, seconds: number][] = []
try {
  await show()
  console.log(machineLine())
  for (const [step, took] of seconds) console.log(`${String(Math.round(took)).padStart(6)} s  ${step}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  for (const close of closing.reverse()) await close()
}

async function show(): Promise<void> {
  const files = join(folder, 'files')
  await timed(`${people} invented people`, async () =>
    platbook(['generate', '--people', people, '--days', '2', '--seed', '31', '--out', files], {}),
  )
  const embedded = join(folder, 'embedded')
  const machine = join(folder, 'machine')
  const postgres = await startPostgres()
  closing.push(async () => postgres.stop())
  const moto = await startMoto()
  if (moto === null) throw new Error('moto needs Python')
  closing.push(() => moto.stop())
  const store = `${await moto.newBucket()}/snapshots`
  const shared = { PLATBOOK_STATE: await newSchema(postgres.socket), AWS_ENDPOINT_URL: moto.url, ...MOTO_ENV }
  const sparkHome = await installedSpark()
  const cluster = await startSparkCluster(sparkHome, join(folder, 'spark'))
  closing.push(async () => cluster.close())
  const worker = await cluster.addWorker()
  await cluster.addWorker()
  const work = join(folder, 'work')
  const engine = [
    '--engine',
    'spark',
    '--master',
    cluster.master,
    '--work',
    join(folder, 'work'),
    '--units',
    '4',
  ]
  await mkdir(join(folder, 'work'))
  for (const day of ['day-1', 'day-2']) {
    for (const data of [embedded, machine]) {
      await cp(join(files, day), join(data, 'landing', day), { recursive: true })
    }
    await timed(`${day}, embedded`, async () => platbook(['nightly', '--data', embedded], {}))
    const env = { ...shared, SNAPSHOT_STORE: store, SPARK_HOME: sparkHome }
    for (const step of ['ingest', 'normalize'])
      await timed(`${day}, ${step}`, async () => platbook([step, '--data', machine], env))
    // The first day has no model yet: the run trains it on one machine.
    const linked = timed(`${day}, link on Spark`, async () =>
      platbook(['link', '--data', machine, ...engine], env),
    )
    if (day === 'day-2') await Promise.race([linked, killWhenPairing(work, worker)])
    await linked
    await timed(`${day}, publish`, async () => platbook(['publish', '--data', machine], env))
  }
  const one = await served(embedded, {}, [])
  const key = await newKey(embedded, {})
  const replicas = []
  for (const name of ['replica-1', 'replica-2'])
    replicas.push(await served(join(folder, name), shared, ['--snapshots', store]))
  const sharedKey = await newKey(join(folder, 'replica-1'), shared)
  await compare({ one, key, replicas, sharedKey, embedded })
}

/** Kills a worker while units of the stage `pairs` run. */
async function killWhenPairing(work: string, worker: SparkWorker): Promise<void> {
  for (;;) {
    for (const run of await readdir(work)) {
      if (!existsSync(join(work, run, '_finished', 'to_pair.json'))) continue
      await delay(2000)
      await worker.kill()
      console.log(
        `a worker was killed; ${existsSync(join(work, run, 'edges')) ? 'the pairs were found before' : 'units of pairs were running'}`,
      )
      return
    }
    await delay(50)
  }
}

interface Service {
  readonly url: string
  readonly child: ChildProcess
}

interface Compared {
  readonly one: Service
  readonly key: string
  readonly replicas: readonly Service[]
  readonly sharedKey: string
  readonly embedded: string
}

async function compare({ one, key, replicas, sharedKey, embedded }: Compared): Promise<void> {
  const paths = await requestsOf(embedded)
  let equal = 0
  let lost = 0
  const different: string[] = []
  for (const [at, path] of paths.entries()) {
    if (at === paths.length / 2) replicas[0]!.child.kill('SIGKILL')
    const expected = await answerOf(one.url + path, key)
    // As a load balancer does: one service after the other, and the next one when a service does not answer.
    const order = at % 2 === 0 ? replicas : replicas.toReversed()
    let found: string | undefined
    for (const { url } of order) {
      found = await answerOf(url + path, sharedKey).catch(() => undefined)
      if (found !== undefined) break
      lost++
    }
    if (found === expected) equal++
    else different.push(path)
  }
  console.log(`${equal} of ${paths.length} answers are equal; ${lost} requests went on to the other service`)
  if (different.length > 0) throw new Error(`other answers: ${different.slice(0, 5).join(', ')}`)
}

async function answerOf(url: string, key: string): Promise<string> {
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  const body = (await response.text()).replaceAll(/"request_id":"[^"]*"/g, '')
  return `${response.status} ${body}`
}

async function requestsOf(data: string): Promise<string[]> {
  const snapshot = await currentSnapshot(join(data, 'snapshots'))
  const db = await (await DuckDBInstance.create(':memory:')).connect()
  const table = (name: string) => `read_parquet('${join(snapshot!.folder, 'tables', `${name}.parquet`)}')`
  const quarter = REQUESTS / 4
  const rows = await db.runAndReadAll(`
    (select '/v2/person/' || person_id || '/' as path from ${table('people')} order by hash(person_id) limit ${quarter})
    union all (select '/v2/phone/' || phone from ${table('phones')} order by hash(phone) limit ${quarter})
    union all (select '/v2/person/?name=' || replace(first_name || '+' || last_name, ' ', '+')
      from ${table('person_names')} where first_name <> '' order by hash(person_id) limit ${quarter})
    union all (select '/v2/property/' || property_id || '/' from ${table('properties')} order by hash(property_id) limit ${quarter})`)
  return rows.getRows().map(([path]) => encodeURI(String(path)))
}

async function newKey(data: string, env: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = []
  await platbook(
    ['keys', 'create', '--name', 'show', '--rate', '10000', '--burst', '10000', '--json', '--data', data],
    env,
    (line) => lines.push(line),
  )
  return (/pk_[\w-]+/.exec(lines.join(' ')) ?? [''])[0]
}

async function served(
  data: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[],
): Promise<Service> {
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--data', data, ...flags], {
    env: { ...process.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  closing.push(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    const look = (line: string): void => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
      if (found !== undefined) resolve(found)
    }
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', look)
    child.on('exit', (code) => reject(new Error(`a service ended with code ${code}`)))
  })
  for (let isReady = false; !isReady;) {
    isReady = (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true
    if (!isReady) await delay(200)
  }
  return { url, child }
}

async function platbook(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => undefined,
): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const tail: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      onLine(line)
      tail.push(line)
      if (tail.length > 40) tail.shift()
    })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`platbook ${args.join(' ')} ended with ${code}:\n${tail.join('\n')}`)
}

async function timed(step: string, body: () => Promise<void>): Promise<void> {
  const started = performance.now()
  await body()
  seconds.push([step, (performance.now() - started) / 1000])
}
