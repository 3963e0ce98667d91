import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config.ts'
import { AppError } from '../../src/errors.ts'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot } from '../../src/lookup/open.ts'
import { parsePhone } from '../../src/normalize/phone.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { query, quotedLiteral } from '../../src/warehouse/query.ts'
import { publish } from '../../src/publish/publish.ts'
import { fillPublished } from './published-world.ts'
import type { Round, RoundResult } from './api/load.ts'

const CONNECTIONS = 32
const ROUNDS = 3
const SECONDS = 3
const SAMPLED = 2_000
const MADE_UP = 100_000

interface Server {
  readonly child: ChildProcess
  readonly port: number
  readonly key: string
}

/**
 * Requests a second of one server process against a bare Fastify route with a body of the same length, in turns, loaded
 * by another process. Takes the snapshots of `PLATBOOK_BENCH_SNAPSHOTS`, else of the data folder, else makes some.
 */
export async function run(
  snapshots: string = process.env['PLATBOOK_BENCH_SNAPSHOTS'] ?? loadConfig(process.env).paths.snapshots,
): Promise<void> {
  if ((await currentSnapshot(snapshots)) !== null) {
    await runOn(snapshots)
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  try {
    await publishMadeUp(folder)
    await runOn(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function publishMadeUp(snapshots: string): Promise<void> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '2GB', threads: 2 })
  try {
    await fillPublished(warehouse.db, MADE_UP)
    await publish({
      db: warehouse.db,
      snapshots,
      now: systemClock,
      log: silentLog,
      signal: new AbortController().signal,
      keep: 1,
      sources: [],
      checks: null,
    })
  } finally {
    await warehouse.close()
  }
}

async function runOn(snapshots: string): Promise<void> {
  const current = await currentSnapshot(snapshots)
  if (current === null) throw new AppError('no_snapshot', `there is no snapshot in ${snapshots}`)
  const sample = await samplePeople(current.folder)
  console.log(
    `snapshot ${current.version}, ${sample.people} people; ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s`,
  )
  const state = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  const app = await startServer('app', snapshots, join(state, 'state.sqlite'))
  const bare = await startServer('bare')
  const load = await startChild('load.ts')
  try {
    await compare(
      'person by id',
      50,
      { app, bare, load },
      sample.ids.map((id) => `/v2/person/${id}`),
    )
    await compare('name + state', 30, { app, bare, load }, sample.searches)
    await compare(
      'phone',
      null,
      { app, bare, load },
      sample.phones.map((phone) => `/v2/phone/${phone}`),
    )
  } finally {
    for (const child of [app.child, bare.child, load]) child.kill()
    await rm(state, { recursive: true, force: true })
  }
}

interface Processes {
  readonly app: Server
  readonly bare: Server
  readonly load: ChildProcess
}

async function compare(
  name: string,
  target: number | null,
  { app, bare, load }: Processes,
  paths: string[],
): Promise<void> {
  const bytes = await meanLength(app, paths)
  await ask(bare.child, { bodyBytes: bytes })
  const fire = (server: Server, seconds: number): Promise<Measured> => measure(load, server, paths, seconds)
  await fire(app, 2)
  await fire(bare, 2)
  const ours: Measured[] = []
  const theirs: Measured[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await fire(app, SECONDS))
    theirs.push(await fire(bare, SECONDS))
  }
  const ratio = median(
    ours.map((round, index) => (100 * round.perSecond) / (theirs[index]?.perSecond ?? Number.NaN)),
  )
  const cpuRatio = (100 * median(theirs.map(({ cpu }) => cpu))) / median(ours.map(({ cpu }) => cpu))
  console.log(`${name}, answers of ${bytes} bytes`)
  console.log(`  platbook ${describe(ours)}`)
  console.log(`  bare     ${describe(theirs)}`)
  console.log(
    `  ${ratio.toFixed(0)} % of the bare route's requests/s${target === null ? '' : ` (target ${target} %)`}; by processor time alone ${cpuRatio.toFixed(0)} %`,
  )
}

interface Measured extends RoundResult {
  /** Processor time of the server a request, microseconds (its event writer's thread included). */
  readonly cpu: number
}

async function measure(
  load: ChildProcess,
  server: Server,
  paths: string[],
  seconds: number,
): Promise<Measured> {
  const before = await cpuOf(server)
  const round: Round = { port: server.port, key: server.key, paths, seconds, connections: CONNECTIONS }
  const result = (await ask(load, round)) as RoundResult
  if (result.notOk > 0)
    throw new AppError('bad_snapshot', `${result.notOk} of ${result.requests} answers were not 200`)
  return { ...result, cpu: ((await cpuOf(server)) - before) / result.requests }
}

function describe(rounds: Measured[]): string {
  const of = (figure: keyof Measured): number => median(rounds.map((round) => round[figure]))
  return (
    `${of('perSecond').toFixed(0)} requests/s, p50 ${of('p50').toFixed(2)} ms, p99 ${of('p99').toFixed(2)} ms, ` +
    `${of('cpu').toFixed(1)} µs of processor a request`
  )
}

async function cpuOf(server: Server): Promise<number> {
  return ((await ask(server.child, 'cpu')) as { cpu: number }).cpu
}

async function meanLength(server: Server, paths: string[]): Promise<number> {
  const some = paths.slice(0, 300)
  let bytes = 0
  for (const path of some) {
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { 'x-api-key': server.key },
    })
    if (!reply.ok) throw new AppError('bad_snapshot', `a sampled request was answered with ${reply.status}`)
    bytes += (await reply.arrayBuffer()).byteLength
  }
  return Math.round(bytes / some.length)
}

interface Sample {
  readonly people: number
  readonly ids: string[]
  readonly searches: string[]
  readonly phones: string[]
}

// People drawn at random, so that common names are searched as often as people bear them.
async function samplePeople(folder: string): Promise<Sample> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '2GB', threads: 2 })
  const table = (name: string): string =>
    `read_parquet(${quotedLiteral(join(folder, 'tables', `${name}.parquet`))})`
  try {
    const rows = await query(
      warehouse.db,
      `select person_id, first_name, last_name, state, phone
       from ${table('people')} as people
       join ${table('person_addresses')} as lives using (person_id)
       join ${table('addresses')} as addresses using (address_id)
       left join ${table('person_phones')} as phones using (person_id)
       where is_current and first_name is not null and last_name is not null and state is not null
       qualify row_number() over (partition by person_id order by address_id, phone) = 1
       order by hash(person_id) limit ${SAMPLED}`,
      z.object({
        person_id: z.string(),
        first_name: z.string(),
        last_name: z.string(),
        state: z.string(),
        phone: z.string().nullable(),
      }),
    )
    const [count] = await query(
      warehouse.db,
      `select count(*)::integer as people from ${table('people')}`,
      z.object({ people: z.number() }),
    )
    return {
      people: count?.people ?? 0,
      ids: rows.map((row) => row.person_id),
      searches: rows.map(
        (row) =>
          `/v2/person/?${new URLSearchParams({ name: `${row.first_name} ${row.last_name}`, state_code: row.state }).toString()}`,
      ),
      phones: rows
        .map(({ phone }) => phone)
        .filter((phone): phone is string => phone !== null && parsePhone(phone) !== null),
    }
  } finally {
    await warehouse.close()
  }
}

async function startServer(...argv: string[]): Promise<Server> {
  const child = startProcess('server.ts', argv)
  const [ready] = (await once(child, 'message')) as [{ port: number; key: string }]
  return { child, ...ready }
}

async function startChild(file: string): Promise<ChildProcess> {
  const child = startProcess(file, [])
  await once(child, 'message')
  return child
}

function startProcess(file: string, argv: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(`./api/${file}`, import.meta.url)), argv, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

async function ask(child: ChildProcess, message: object | string): Promise<unknown> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    const answer = Promise.race([
      once(child, 'message', { signal }).then(([reply]: unknown[]) => reply),
      once(child, 'exit', { signal }).then(() => {
        throw new AppError('bad_usage', 'a process of the bench has ended early')
      }),
    ])
    child.send(message)
    return await answer
  } finally {
    waiting.abort()
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
