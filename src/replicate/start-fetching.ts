import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { openStore } from '../store/open.ts'
import type { FetchOrder, FetchTask } from './fetch-thread.ts'

/** A store is asked for a new snapshot this often. The request has no body, and no answer while nothing has changed. */
const POLL_MS = 3_000
const RESTART_AFTER_MS = 10_000
/** A thread that hashes a large file notices the order to stop late. Killing it is safe, because a killed fetch goes on later. */
const STOP_WITHIN_MS = 3_000

/** A thread that fetches snapshots. */
export interface Fetching {
  /** Compares the local files of a version with its manifest, and fetches damaged ones again. */
  suspect(version: string): void
  stop(): Promise<void>
}

/**
 * Starts a thread that brings each new snapshot of the store at `place` to the folder of snapshots. Restarts the thread if it ends
 * unexpectedly.
 * @throws `bad_usage` when `place` is no store
 */
export async function startFetching(place: string, config: Config, log: Log): Promise<Fetching> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION } =
    config
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, LOG_LEVEL } = config
  const task: FetchTask = {
    place,
    settings: {
      AWS_ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY,
      AWS_SESSION_TOKEN,
      AWS_REGION,
      AWS_DEFAULT_REGION,
      AWS_ENDPOINT_URL_S3,
      AWS_ENDPOINT_URL,
      LOG_LEVEL,
    },
    snapshots: config.paths.snapshots,
    keep: config.SNAPSHOT_KEEP_COUNT,
    pollMs: POLL_MS,
  }
  // Opened once here, so that a wrong place or a missing package is an error of the command.
  const store = await openStore(place, { settings: config, signal: new AbortController().signal })
  store.close()
  let isStopping = false
  let thread: Worker
  let restart: NodeJS.Timeout | null = null
  const start = (): void => {
    thread = new Worker(new URL('./fetch-thread.ts', import.meta.url), { workerData: task })
    thread.unref()
    thread.on('error', (cause) => log.error({ reason: messageOf(cause) }, 'fetching snapshots failed'))
    thread.on('exit', () => {
      if (!isStopping) restart = setTimeout(start, RESTART_AFTER_MS).unref()
    })
  }
  start()
  const send = (order: FetchOrder): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
    thread.postMessage(order)
  }
  return {
    suspect: (version) => send({ suspect: version }),
    async stop() {
      isStopping = true
      if (restart !== null) clearTimeout(restart)
      if (thread.threadId === -1) return
      // A thread that only waits does not keep the process; a thread that stops does.
      thread.ref()
      const ended = once(thread, 'exit')
      send('stop')
      const late = setTimeout(() => void thread.terminate(), STOP_WITHIN_MS)
      await ended
      clearTimeout(late)
    },
  }
}
