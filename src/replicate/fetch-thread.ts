// The thread that fetches snapshots. It is a thread because hashing one chunk takes as long as about a hundred lookups.
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { openLog } from '../log.ts'
import { openStore } from '../store/open.ts'
import type { S3Settings } from '../store/s3.ts'
import { SnapshotFetcher } from './fetch.ts'

export interface FetchTask {
  readonly place: string
  readonly settings: S3Settings & Pick<Config, 'LOG_LEVEL'>
  readonly snapshots: string
  readonly keep: number
  readonly pollMs: number
}

/** A version whose local files are damaged, or the order to stop. */
export type FetchOrder = { readonly suspect: string } | 'stop'

if (parentPort !== null) {
  const { place, settings, snapshots, keep, pollMs } = workerData as FetchTask
  const stop = new AbortController()
  const { signal } = stop
  const store = await openStore(place, { settings, signal })
  const fetcher = new SnapshotFetcher({
    store,
    snapshots,
    keep,
    now: systemClock,
    log: openLog(settings),
    signal,
  })
  parentPort.on('message', (order: FetchOrder) => {
    if (order === 'stop') stop.abort()
    else fetcher.suspect(order.suspect)
  })
  while (!signal.aborted) {
    await fetcher.check()
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  store.close()
  parentPort.close()
}
