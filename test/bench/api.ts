import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { systemClock } from '../../src/clock.ts'
import { AppError } from '../../src/errors.ts'
import { silentLog } from '../../src/log.ts'
import { openLookup } from '../../src/lookup/open.ts'
import { publish } from '../../src/publish/publish.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { quotedLiteral } from '../../src/warehouse/query.ts'
import { withServing } from './api/command.ts'
import type { Round, RoundResult } from './api/load.ts'
import { startPostgres } from './api/postgres.ts'
import { ask, type Server, startLoad, startServer, used } from './api/processes.ts'
import { drawQuestions, type Question } from './api/questions.ts'
import { runSwaps, SECOND } from './api/swaps.ts'
import { fillPublished } from './published-world.ts'

const CONNECTIONS = 32
const ROUNDS = 3
const SECONDS = 3
const PEOPLE = Number(process.env['BENCH_PEOPLE'] ?? 100_000)
const SWAP_SECONDS = Number(process.env['BENCH_SWAP_SECONDS'] ?? 120)

/**
 * Requests a second of one server process, of a bare Fastify route with a body of the same length, and of PostgreSQL
 * behind the same Fastify, in turns, loaded by another process; latency at half of the top; two workers against one;
 * a new snapshot every two seconds. `BENCH_PEOPLE` sets the size.
 */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '3GB', threads: 2 })
  try {
    const snapshots = join(folder, 'snapshots')
    await fillPublished(warehouse.db, PEOPLE)
    const first = await publishTables(warehouse.db, snapshots)
    const { people, questions } = await drawQuestions(warehouse.db, join(snapshots, first))
    console.log(
      `${people} made-up people; ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    )
    await compareAll(folder, warehouse.db, questions, first)
    await compareWorkers(folder, questions)
    await warehouse.db.run(`update published.people set company_name = ${quotedLiteral(SECOND)}`)
    const second = await publishTables(warehouse.db, snapshots)
    await swap(folder, questions, [first, second])
  } finally {
    await warehouse.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function publishTables(db: DuckDBConnection, snapshots: string): Promise<string> {
  const { signal } = new AbortController()
  const published = await publish({
    db,
    snapshots,
    now: systemClock,
    log: silentLog,
    signal,
    keep: 9,
    sources: [],
    checks: null,
  })
  return published.version
}

async function compareAll(
  folder: string,
  db: DuckDBConnection,
  questions: Question[],
  version: string,
): Promise<void> {
  const snapshots = join(folder, 'snapshots')
  const snapshot = join(snapshots, version)
  const lookup = openLookup(snapshot)
  const postgres = await startPostgres(db, join(snapshot, 'tables'), lookup).finally(() => lookup.close())
  console.log(
    postgres === null
      ? 'no PostgreSQL is installed: not compared'
      : `PostgreSQL ${postgres.version}, over a socket, 8 connections`,
  )
  const app = await startServer('app', snapshots, join(folder, 'state.sqlite'))
  const bare = await startServer('bare')
  const other = postgres === null ? null : await startServer('postgres', postgres.folder)
  const load = await startLoad()
  try {
    console.log('| query | answer | Platbook | bare route | share | p99 at half | PostgreSQL | times |')
    console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
    for (const question of questions) await compare(question, { app, bare, other, load })
  } finally {
    for (const server of [app, bare, other]) server?.child.kill()
    load.kill()
    await postgres?.stop()
  }
}

interface Processes {
  readonly app: Server
  readonly bare: Server
  readonly other: Server | null
  readonly load: ChildProcess
}

async function compare(question: Question, { app, bare, other, load }: Processes): Promise<void> {
  const { name, paths, ofBare, timesPostgres } = question
  const bytes = await meanLength(app, paths)
  await ask(bare.child, { bodyBytes: bytes })
  const servers = other === null ? [app, bare] : [app, bare, other]
  const rounds: Measured[][] = servers.map(() => [])
  for (const server of servers) await measure(load, server, paths, { seconds: 2 })
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries())
      rounds[index]?.push(await measure(load, server, paths, { seconds: SECONDS }))
  }
  const perSecond = rounds.map((measured) => median(measured.map((round) => round.perSecond)))
  const cpu = rounds.map((measured) => median(measured.map((round) => round.cpu)))
  const [ours = 0, theirs = 0, postgres] = perSecond
  const half = await measure(load, app, paths, { seconds: SECONDS, rate: Math.floor(ours / 2) })
  const cells = [
    name,
    `${bytes} B`,
    `${ours.toFixed(0)}/s, ${cpu[0]?.toFixed(1)} µs`,
    `${theirs.toFixed(0)}/s, ${cpu[1]?.toFixed(1)} µs`,
    `${((100 * ours) / theirs).toFixed(0)} % (wanted ${ofBare}); by processor ${((100 * (cpu[1] ?? 0)) / (cpu[0] ?? 1)).toFixed(0)} %`,
    `${half.p99.toFixed(1)} ms (wanted 20)`,
    postgres === undefined ? '' : `${postgres.toFixed(0)}/s`,
    postgres === undefined ? '' : `${(ours / postgres).toFixed(1)} × (wanted ${timesPostgres})`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

interface Measured extends RoundResult {
  /** Processor time of the server a request, microseconds (its event writer's thread included). */
  readonly cpu: number
}

async function measure(
  load: ChildProcess,
  server: Server,
  paths: string[],
  { seconds, rate = null }: { seconds: number; rate?: number | null },
): Promise<Measured> {
  const before = await used(server)
  const round: Round = { port: server.port, key: server.key, paths, seconds, connections: CONNECTIONS, rate }
  const result = (await ask(load, round)) as RoundResult
  if (result.notOk > 0)
    throw new AppError('bad_snapshot', `${result.notOk} of ${result.requests} answers were not 200`)
  return { ...result, cpu: ((await used(server)).cpu - before.cpu) / result.requests }
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

// Fuzzy search costs the server much and the load tool little, which leaves the cores to the workers.
async function compareWorkers(folder: string, questions: Question[]): Promise<void> {
  const paths = questions.find(({ name }) => name === 'fuzzy search')?.paths ?? []
  const load = await startLoad()
  const perSecond: number[] = []
  try {
    for (const workers of [1, 2]) {
      await withServing(folder, workers, async ({ port, key }) => {
        const rounds: number[] = []
        for (let round = 0; round <= ROUNDS; round += 1) {
          const asked: Round = { port, key, paths, seconds: SECONDS, connections: CONNECTIONS, rate: null }
          rounds.push(((await ask(load, asked)) as RoundResult).perSecond)
        }
        perSecond.push(median(rounds.slice(1)))
      })
    }
  } finally {
    load.kill()
  }
  const [one = 0, two = 0] = perSecond
  console.log(
    `fuzzy search by one worker ${one.toFixed(0)}/s, by two ${two.toFixed(0)}/s: ${(two / one).toFixed(2)} × (wanted 1.7)`,
  )
}

async function swap(folder: string, questions: Question[], versions: [string, string]): Promise<void> {
  const snapshots = join(folder, 'snapshots')
  const paths = questions.find(({ name }) => name === 'name + state')?.paths ?? []
  const app = await startServer('app', snapshots, join(folder, 'swaps.sqlite'))
  const load = await startLoad()
  try {
    await runSwaps({ app, load, snapshots, versions, paths, seconds: SWAP_SECONDS })
  } finally {
    app.child.kill()
    load.kill()
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
