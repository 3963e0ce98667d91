import { setTimeout as delay } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { movePointer } from '../../../src/publish/pointer.ts'
import type { RoundResult } from './load.ts'
import { ask, type Server, type Used, used } from './processes.ts'

const EVERY_MS = 2_000
const MEBIBYTE = 2 ** 20

/** The mark that the people of the second snapshot carry. */
export const SECOND = 'The Second Snapshot'

interface Swapping {
  readonly app: Server
  readonly load: ChildProcess
  readonly snapshots: string
  readonly versions: readonly [string, string]
  readonly paths: string[]
  readonly seconds: number
}

const mean = (values: number[]): string =>
  (values.reduce((sum, value) => sum + value, 0) / values.length / MEBIBYTE).toFixed(0)

/** What the process itself has allocated: of what is resident, the pages of mapped snapshots are the operating system's cache. */
function ownMemory({ pid = 0 }: ChildProcess): number {
  const [, kilobytes = '0'] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Changes the snapshot every two seconds under full load: no request may fail, no answer be of two snapshots. */
export async function runSwaps({ app, load, snapshots, versions, paths, seconds }: Swapping): Promise<void> {
  const done = new AbortController()
  const mixed = watchForMixed(app, paths, done.signal)
  const round = { port: app.port, key: app.key, paths, seconds, connections: 32, rate: null }
  const loaded = ask(load, round).finally(() => done.abort()) as Promise<RoundResult>
  const memory: Memory[] = []
  let swaps = 0
  while (!done.signal.aborted) {
    await movePointer(snapshots, versions[swaps % 2] ?? '')
    swaps += 1
    await delay(EVERY_MS)
    memory.push({ ...(await used(app)), own: ownMemory(app.child) })
  }
  const { requests, perSecond, notOk, p99 } = await loaded
  console.log(`a new snapshot every 2 s for ${seconds} s under full load: ${swaps} changes`)
  console.log(
    `  ${requests} requests (${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms), ${notOk} failed; ${await mixed}`,
  )
  console.log('  memory, MiB, means of the quarters of the time:')
  const from = (at: number): number => Math.floor((at * memory.length) / 4)
  for (const part of ['own', 'heapUsed', 'external', 'rss'] as const) {
    const means = [0, 1, 2, 3].map((at) =>
      mean(memory.slice(from(at), Math.max(from(at) + 1, from(at + 1))).map((each) => each[part])),
    )
    console.log(`    ${MEMORY_NAMES[part]}: ${means.join(', ')}`)
  }
}

interface Memory extends Used {
  readonly own: number
}

const MEMORY_NAMES = {
  own: 'allocated by the process',
  heapUsed: 'of it the heap',
  external: 'of it buffers',
  rss: 'resident, mapped snapshots included',
} as const

// Beside the load, which doesn't look into answers.
async function watchForMixed(app: Server, paths: string[], signal: AbortSignal): Promise<string> {
  const seen = { first: 0, second: 0, mixed: 0 }
  for (let n = 0; !signal.aborted; n += 1) {
    const reply = await fetch(`http://127.0.0.1:${app.port}${paths[n % paths.length]}`, {
      headers: { 'x-api-key': app.key },
    })
    const { results } = (await reply.json()) as { results: { company_name: string | null }[] }
    const marked = results.filter(({ company_name }) => company_name === SECOND).length
    if (marked === 0) seen.first += 1
    else if (marked === results.length) seen.second += 1
    else seen.mixed += 1
    await delay(5)
  }
  return `of the answers looked into ${seen.first} were of the first snapshot, ${seen.second} of the second, ${seen.mixed} of both`
}
