import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { systemClock } from '../../src/clock.ts'
import { AppError } from '../../src/errors.ts'
import { silentLog } from '../../src/log.ts'
import { publish } from '../../src/publish/publish.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { quotedLiteral } from '../../src/warehouse/query.ts'
import { withServing } from './api/command.ts'
import type { Round, RoundResult } from './api/load.ts'
import { startPostgres } from './api/postgres.ts'
import { PREFIX } from './api/postgres-routes.ts'
import { ask, type Server, used, withProcesses } from './api/processes.ts'
import { drawQuestions, FUZZY, type Question } from './api/questions.ts'
import { runSwaps, SECOND } from './api/swaps.ts'
import { fillPublished } from './published-world.ts'

const CONNECTIONS = 32
const ROUNDS = 3
const SECONDS = 3
const COMPARED = 200
const PEOPLE = Number(process.env['BENCH_PEOPLE'] ?? 100_000)
const PARTS = new Set((process.env['BENCH_PARTS'] ?? 'latency,queries,workers,swaps').split(','))
// Long enough that one pause of the machine is no hundredth of it.
const LATENCY_SECONDS = 10
const SWAP_SECONDS = Number(process.env['BENCH_SWAP_SECONDS'] ?? 120)

/**
 * Requests a second of one server process, of a bare Fastify route with a body of the same length, and of PostgreSQL
 * behind the same Fastify, in turns, loaded by another process; before that, with nothing else on the machine, latency at half
 * of the top; two workers against one; a new snapshot every two seconds. `BENCH_PEOPLE` sets the size, `BENCH_PARTS`
 * (`latency,queries,workers,swaps`) leaves some of it out.
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
    if (PARTS.has('latency')) await measureLatency(folder, questions)
    if (PARTS.has('queries')) await compareAll(folder, warehouse.db, questions, first)
    if (PARTS.has('workers')) await compareWorkers(folder, questions)
    if (!PARTS.has('swaps')) return
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
  const postgres = await startPostgres(db, join(snapshots, version, 'tables'))
  console.log(
    postgres === null
      ? 'no PostgreSQL is installed: not compared'
      : `PostgreSQL ${postgres.version}, over a socket, 8 connections`,
  )
  try {
    await withProcesses(async (start) => {
      const app = await start.server('app', snapshots, join(folder, 'state.sqlite'))
      const bare = await start.server('bare')
      const ours = [snapshots, join(folder, 'other.sqlite')] as const
      const other = postgres === null ? null : await start.server('app', ...ours, postgres.folder)
      const load = await start.load()
      if (other !== null) await compareAnswers(other, questions)
      console.log('| query | answer | Platbook | bare route | share | PostgreSQL | times |')
      console.log('| --- | --- | --- | --- | --- | --- | --- |')
      for (const question of questions) await compare(question, { app, bare, other, load })
    })
  } finally {
    await postgres?.stop()
  }
}

async function measureLatency(folder: string, questions: Question[]): Promise<void> {
  await withProcesses(async (start) => {
    const app = await start.server('app', join(folder, 'snapshots'), join(folder, 'latency.sqlite'))
    const load = await start.load()
    for (const { name, paths } of questions) {
      await measure(load, app, paths, { seconds: 2 })
      const top = await measure(load, app, paths, { seconds: SECONDS })
      const rate = Math.floor(top.perSecond / 2)
      const half = await measure(load, app, paths, { seconds: LATENCY_SECONDS, rate })
      console.log(
        `${name}: ${rate}/s, half of the top, for ${LATENCY_SECONDS} s: p50 ${half.p50.toFixed(1)} ms, p99 ${half.p99.toFixed(1)} ms (wanted 20)`,
      )
    }
  })
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
  const pathsOf = (server: Server): string[] =>
    server === other ? paths.map((path) => PREFIX + path) : paths
  for (const server of servers) await measure(load, server, pathsOf(server), { seconds: 2 })
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries())
      rounds[index]?.push(await measure(load, server, pathsOf(server), { seconds: SECONDS }))
  }
  const middle = (of: keyof Measured): number[] =>
    rounds.map((measured) => median(measured.map((round) => round[of])))
  const [ours = 0, theirs = 0, postgres] = middle('perSecond')
  const [ourMain = 0, theirMain = 0] = middle('main')
  const [ourCpu = 0] = middle('cpu')
  const [asking = 0, askingBare = 0] = middle('share')
  const cells = [
    name,
    `${bytes} B`,
    `${ours.toFixed(0)}/s, ${ourMain.toFixed(1)} µs (${ourCpu.toFixed(1)} with the event writer), asked by ${percent(asking)} of a core`,
    `${theirs.toFixed(0)}/s, ${theirMain.toFixed(1)} µs, asked by ${percent(askingBare)}`,
    `${percent(ours / theirs)} (wanted ${ofBare}); by processor ${percent(theirMain / ourMain)}`,
    postgres === undefined ? '' : `${postgres.toFixed(0)}/s`,
    postgres === undefined ? '' : `${(ours / postgres).toFixed(1)} × (wanted ${timesPostgres})`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

interface Measured extends RoundResult {
  /** Processor time of the server a request, microseconds: all of it (with the threads that write events and compile). */
  readonly cpu: number
  /** Of the thread that answers. */
  readonly main: number
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
  const after = await used(server)
  const each = (of: 'cpu' | 'main'): number => (after[of] - before[of]) / result.requests
  return { ...result, cpu: each('cpu'), main: each('main') }
}

/** PostgreSQL must answer what Platbook answers; only whom a fuzzy search finds is another kind of likeness. */
async function compareAnswers(server: Server, questions: Question[]): Promise<void> {
  for (const { name, paths } of questions.filter((question) => question.name !== FUZZY)) {
    for (const path of paths.slice(0, COMPARED)) {
      const [ours, theirs] = await Promise.all([answer(server, path), answer(server, PREFIX + path)])
      if (!isDeepStrictEqual(JSON.parse(ours), JSON.parse(theirs)))
        throw new AppError('bad_snapshot', `PostgreSQL answers ${path} (${name}) otherwise:\n${theirs}\nand not\n${ours}`) // prettier-ignore
    }
  }
  console.log(`${COMPARED} answers of each query but the fuzzy one are the same`)
}

async function answer({ port, key }: Server, path: string): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })
  if (!reply.ok) throw new AppError('bad_snapshot', `a sampled request was answered with ${reply.status}`)
  return reply.text()
}

async function meanLength(server: Server, paths: string[]): Promise<number> {
  const some = paths.slice(0, 300)
  let bytes = 0
  for (const path of some) bytes += Buffer.byteLength(await answer(server, path))
  return Math.round(bytes / some.length)
}

// Fuzzy search costs the server much and the load tool little, which leaves the cores to the workers.
async function compareWorkers(folder: string, questions: Question[]): Promise<void> {
  const paths = questions.find(({ name }) => name === FUZZY)?.paths ?? []
  const perSecond: number[] = []
  const shares: number[] = []
  await withProcesses(async (start) => {
    const load = await start.load()
    for (const workers of [1, 2]) {
      await withServing(folder, workers, async ({ port, key }) => {
        const asked: Round = { port, key, paths, seconds: SECONDS, connections: CONNECTIONS, rate: null }
        const rounds: RoundResult[] = []
        for (let round = 0; round <= ROUNDS; round += 1) rounds.push((await ask(load, asked)) as RoundResult)
        perSecond.push(median(rounds.slice(1).map((round) => round.perSecond)))
        shares.push(median(rounds.slice(1).map(({ share }) => share)))
      })
    }
  })
  const [one = 0, two = 0] = perSecond
  const [, share = 0] = shares
  const cores = availableParallelism()
  // The tool leaves one worker a core of its own, two of them what it doesn't take itself.
  const most = Math.min(2, cores - share)
  console.log(
    `fuzzy search by one worker ${one.toFixed(0)}/s, by two ${two.toFixed(0)}/s: ${(two / one).toFixed(2)} × (wanted 1.7); asking took ${percent(share)} of a core, so ${cores} cores leave ${most.toFixed(2)} × at most: ${percent(two / one / most)} of it, so ${((2 * two) / one / most).toFixed(2)} × if asking took nothing`,
  )
}

async function swap(folder: string, questions: Question[], versions: [string, string]): Promise<void> {
  const snapshots = join(folder, 'snapshots')
  const paths = questions.find(({ name }) => name === 'name + state')?.paths ?? []
  await withProcesses(async (start) => {
    const app = await start.server('app', snapshots, join(folder, 'swaps.sqlite'))
    const load = await start.load()
    await runSwaps({ app, load, snapshots, versions, paths, seconds: SWAP_SECONDS })
  })
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
