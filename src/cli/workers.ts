import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Reading } from '../api/metrics.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { FileProblem } from '../lookup/format/manifest.ts'
import type { SnapshotVerifier } from '../lookup/index.ts'
import type { RequestCounts } from '../state/key-ring.ts'

/** A message from the first process to a worker. */
type Order =
  | { readonly stop: true }
  | { readonly subtract: RequestCounts }
  | { readonly read: number }
  | ({ readonly verified: number } & Verdict)
/** The damaged files of a snapshot, or the reason why the snapshot could not be compared with its manifest. */
interface Verdict {
  readonly problems: readonly FileProblem[]
  readonly failure: string | null
}
/** A message from a worker to the first process. */
type Report =
  | { readonly listening: string }
  | { readonly took: RequestCounts }
  | { readonly read: number; readonly reading: Reading }
  | { readonly verify: number; readonly folder: string }

// Workers share the requests that they counted per key this often. Until then each of them may exceed a key's rate.
const SHARE_EVERY_MS = 100
// A stopping worker needs at most ten seconds for its requests; the first process kills it after this time.
const STOP_WITHIN_MS = 15_000
const READ_WITHIN_MS = 2_000
const LONGEST_PAUSE_MS = 10_000
const STEADY_AFTER_MS = 10_000

/**
 * The listener options of each worker's server. On Linux every worker has its own listener and the kernel distributes connections
 * (SO_REUSEPORT), so the connections of a killed worker are reset. On other systems the first process accepts all connections; a
 * connection that it passed to a worker just before that worker was killed gets no answer.
 */
export const OWN_LISTENER = process.platform === 'linux' ? { exclusive: true, reusePort: true } : {}

/**
 * Checks that no other process listens on the port. Without this check SO_REUSEPORT would share the port with that process.
 * @throws the error of the operating system
 */
export async function checkPortIsFree(host: string, port: number): Promise<void> {
  if (port === 0) return
  const probe = createServer().listen({ host, port, exclusive: true })
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

/**
 * Starts `count` worker processes that run the same command and share one port. Replaces each worker that ends unexpectedly. `verifier`
 * compares snapshots with their manifests for all workers.
 * @throws `bad_config` when a worker ends before all workers listen; the worker prints the reason to standard error
 */
export async function startWorkers(
  count: number,
  verifier: Pick<SnapshotVerifier, 'verify'>,
  log: Log,
): Promise<Workers> {
  const workers = new Workers(count, verifier, log)
  await workers.listening.catch(async (cause: unknown) => {
    await workers.stop()
    throw cause
  })
  return workers
}

export class Workers {
  /** Resolves to the common address when all workers listen. */
  readonly listening: Promise<string>
  replacedCount = 0
  readonly #log: Log
  readonly #verifier: Pick<SnapshotVerifier, 'verify'>
  readonly #workers = new Set<Worker>()
  readonly #opened = Promise.withResolvers<string>()
  readonly #waiting = new Map<number, (reading: Reading) => void>()
  readonly #count: number
  #notListeningCount: number
  #isStopping = false
  #lastRead = 0

  constructor(count: number, verifier: Pick<SnapshotVerifier, 'verify'>, log: Log) {
    this.#log = log
    this.#verifier = verifier
    this.#count = count
    this.#notListeningCount = count
    this.listening = this.#opened.promise
    this.#add(0)
  }

  /** Returns the metrics of each worker that answers within two seconds. */
  async read(): Promise<Reading[]> {
    const readings = [...this.#workers].map(async (worker) => {
      const id = (this.#lastRead += 1)
      const answer = Promise.withResolvers<Reading>()
      this.#waiting.set(id, answer.resolve)
      send(worker, { read: id })
      const reading = await Promise.race([answer.promise, delay(READ_WITHIN_MS, null, { ref: false })])
      this.#waiting.delete(id)
      return reading
    })
    return (await Promise.all(readings)).filter((reading) => reading !== null)
  }

  /** Resolves when every worker has finished its requests and ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const ended = [...this.#workers].map((worker) => once(worker, 'exit'))
    for (const worker of this.#workers) send(worker, { stop: true })
    const late = setTimeout(() => {
      for (const worker of this.#workers) worker.process.kill('SIGKILL')
    }, STOP_WITHIN_MS)
    await Promise.all(ended)
    clearTimeout(late)
  }

  /** Starts the other workers on the port of the first worker, which may be any free port (`--port 0`). */
  #addOthers(address: string): void {
    const { args = process.argv.slice(2) } = cluster.settings
    cluster.setupPrimary({ args: [...args, '--port', new URL(address).port] })
    for (let worker = 1; worker < this.#count; worker += 1) this.#add(0)
  }

  // `failures` is the number of workers in a row that ended soon after their start; the new worker replaces the last of them.
  #add(failures: number): void {
    const startedAt = performance.now()
    const worker = cluster.fork()
    this.#workers.add(worker)
    worker.on('message', (message: Report) => this.#take(worker, message))
    worker.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      if (this.#isStopping) return
      if (this.#notListeningCount > 0) {
        this.#opened.reject(
          new AppError(
            'bad_config',
            'the workers ended before they could listen; the reason is printed above',
          ),
        )
        return
      }
      this.#log.error(
        { pid: worker.process.pid, code, signal },
        'a worker ended unexpectedly and is replaced',
      )
      const isSteady = performance.now() - startedAt > STEADY_AFTER_MS
      void this.#replace(isSteady ? 0 : failures + 1)
    })
  }

  async #verify(folder: string): Promise<Verdict> {
    try {
      return { problems: await this.#verifier.verify(folder), failure: null }
    } catch (cause) {
      return { problems: [], failure: messageOf(cause) }
    }
  }

  async #replace(failures: number): Promise<void> {
    this.replacedCount += 1
    // The first replacement starts at once. Repeated failures wait longer, so that restarts do not use up the processor.
    const pause = failures <= 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 2 ** failures * 50)
    await delay(pause, undefined, { ref: false })
    if (!this.#isStopping) this.#add(failures)
  }

  #take(worker: Worker, message: Report): void {
    if ('listening' in message) {
      const isFirst = this.#notListeningCount === this.#count
      this.#notListeningCount -= 1
      if (this.#notListeningCount === 0) this.#opened.resolve(message.listening)
      if (isFirst) this.#addOthers(message.listening)
    } else if ('took' in message) {
      for (const other of this.#workers) if (other !== worker) send(other, { subtract: message.took })
    } else if ('verify' in message) {
      void this.#verify(message.folder).then((verdict) =>
        send(worker, { verified: message.verify, ...verdict }),
      )
    } else {
      this.#waiting.get(message.read)?.(message.reading)
    }
  }
}

// A worker that is ending may no longer receive messages. The event `exit` reports its end, so send errors are ignored.
function send(worker: Worker, order: Order): void {
  if (worker.isConnected()) worker.send(order, unheard)
}

function report(message: Report): void {
  if (process.connected) process.send?.(message, unheard)
}

function unheard(): void {}

/** Runs in a worker: executes the orders of the first process, and reports how many requests of each key the worker has counted. */
export function followOrders(app: FastifyInstance, address: string, stop: () => void): void {
  process.on('message', (order: Order) => {
    if ('stop' in order) stop()
    else if ('subtract' in order) app.meter.ring.subtract(order.subtract)
    else if ('read' in order) report({ read: order.read, reading: app.reading() })
  })
  process.once('disconnect', stop)
  const share = (): void => {
    const took = app.meter.ring.newRequestCounts()
    if (Object.keys(took).length > 0) report({ took })
  }
  setInterval(share, SHARE_EVERY_MS).unref()
  report({ listening: address })
}

/** Runs in a worker: returns a function that gets the damaged files of a snapshot from the first process, which reads it once for all workers. */
export function verifyInFirst(): (snapshotFolder: string) => Promise<readonly FileProblem[]> {
  const waiting = new Map<number, PromiseWithResolvers<readonly FileProblem[]>>()
  let last = 0
  process.on('message', (order: Order) => {
    if (!('verified' in order)) return
    const asked = waiting.get(order.verified)
    waiting.delete(order.verified)
    if (order.failure === null) asked?.resolve(order.problems)
    else asked?.reject(new AppError('bad_snapshot', order.failure))
  })
  return async (folder) => {
    const asked = Promise.withResolvers<readonly FileProblem[]>()
    waiting.set((last += 1), asked)
    report({ verify: last, folder })
    return asked.promise
  }
}

/** Runs in a worker: lets it finish its requests when the first process is gone. By default Node ends such a worker at once. */
export function outliveFirstProcess(): void {
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
}

/** Runs in a worker that is done: closes the channel to the first process, which would keep the worker running. */
export function disconnectFromFirst(): void {
  if (process.connected) process.disconnect()
}
