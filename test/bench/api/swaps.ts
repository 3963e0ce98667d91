import { setTimeout as delay } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { movePointer } from '../../../src/publish/pointer.ts'
import type { RoundResult } from './load.ts'
import { ask, live, type Live, type Server, type Used, used } from './processes.ts'

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

/**
 * Changes the snapshot every two seconds under full load: no request may fail, no answer be of two snapshots. After each quarter
 * the load pauses for a collection: what is left then must not grow.
 */
export async function runSwaps({ app, load, snapshots, versions, paths, seconds }: Swapping): Promise<void> {
  const done = new AbortController()
  const mixed = watchForMixed(app, paths, done.signal)
  // Its failure is told behind the load, or not at all when that fails first.
  mixed.catch(() => undefined)
  const round = { port: app.port, key: app.key, paths, seconds: seconds / 4, connections: 32, rate: null }
  const quarters: Quarter[] = []
  const left: Live[] = []
  let swaps = 0
  try {
    left.push(await live(app))
    while (quarters.length < 4) {
      const over = new AbortController()
      const loaded = ask(load, round).finally(() => over.abort()) as Promise<RoundResult>
      loaded.catch(() => undefined)
      const memory: Memory[] = []
      while (!over.signal.aborted) {
        await movePointer(snapshots, versions[swaps % 2] ?? '')
        swaps += 1
        await delay(EVERY_MS)
        memory.push({ ...(await used(app)), own: ownMemory(app.child) })
      }
      quarters.push({ ...(await loaded), memory })
      left.push(await live(app))
    }
  } finally {
    done.abort()
  }
  const sum = (of: 'requests' | 'notOk'): number => quarters.reduce((all, quarter) => all + quarter[of], 0)
  const slowest = Math.max(...quarters.map(({ p99 }) => p99))
  console.log(`a new snapshot every 2 s for ${seconds} s under full load: ${swaps} changes`)
  console.log(
    `  ${sum('requests')} requests (p99 of the slowest quarter ${slowest.toFixed(1)} ms), ${sum('notOk')} failed; ${await mixed}`,
  )
  console.log('  memory, MiB, means of the quarters of the time:')
  for (const part of ['own', 'heapUsed', 'external', 'rss'] as const) {
    const means = quarters.map(({ memory }) => mean(memory.map((each) => each[part])))
    console.log(`    ${MEMORY_NAMES[part]}: ${means.join(', ')}`)
  }
  const after = left.map(({ heapUsed, external }) => heapUsed + external)
  const growth = (after[4]! - after[1]!) / ((3 * swaps) / 4) / 1024
  console.log(
    `  left after a collection, before and after each quarter: ${after.map((bytes) => mean([bytes])).join(', ')}; a change leaves ${growth.toFixed(1)} KiB, from the second quarter on`,
  )
}

interface Quarter extends RoundResult {
  readonly memory: Memory[]
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
  if (seen.first === 0 || seen.second === 0)
    throw new Error(`only one of the two snapshots was served: ${JSON.stringify(seen)}`)
  return `of the answers looked into ${seen.first} were of the first snapshot, ${seen.second} of the second, ${seen.mixed} of both`
}
