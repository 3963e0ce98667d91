import { setTimeout as delay } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { movePointer } from '../../../src/publish/pointer.ts'
import type { RoundResult } from './load.ts'
import { ask, type Server, used } from './processes.ts'

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

/** Changes the snapshot every two seconds under full load: no request may fail, no answer be of two snapshots. */
export async function runSwaps({ app, load, snapshots, versions, paths, seconds }: Swapping): Promise<void> {
  const done = new AbortController()
  const mixed = watchForMixed(app, paths, done.signal)
  const round = { port: app.port, key: app.key, paths, seconds, connections: 32, rate: null }
  const loaded = ask(load, round).finally(() => done.abort()) as Promise<RoundResult>
  const resident: number[] = []
  let swaps = 0
  while (!done.signal.aborted) {
    await movePointer(snapshots, versions[swaps % 2] ?? '')
    swaps += 1
    await delay(EVERY_MS)
    resident.push((await used(app)).rss)
  }
  const { requests, perSecond, notOk, p99 } = await loaded
  const third = Math.ceil(resident.length / 3)
  console.log(`a new snapshot every 2 s for ${seconds} s under full load: ${swaps} changes`)
  console.log(
    `  ${requests} requests (${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms), ${notOk} failed; ${await mixed}`,
  )
  console.log(
    `  memory, mean of the first and of the last third: ${mean(resident.slice(0, third))} and ${mean(resident.slice(-third))} MiB`,
  )
}

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
