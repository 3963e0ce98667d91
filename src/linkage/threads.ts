import { Worker } from 'node:worker_threads'
import { type Job, type JobKind, type JobOf, type JobResults, runJob, unitsOf } from './jobs.ts'

/** Below so many records another thread costs more than it saves. */
const LEAST_RECORDS = 30_000
const RANGES_PER_THREAD = 64

/** What a thread is sent: a job, and one shared counter: the next range that nobody has taken. */
export interface ThreadTask {
  readonly job: Job
  readonly counter: Int32Array
  readonly rangeSize: number
}

/** Threads that do jobs together, this one among them; they start with the first job that is worth it. */
export class LinkThreads {
  readonly #count: number
  readonly #leastRecords: number
  #workers: Worker[] = []

  constructor(count: number, leastRecords = LEAST_RECORDS) {
    this.#count = count
    this.#leastRecords = leastRecords
  }

  /** Starts the threads that a job about so many records will want, so that they are there when it comes. */
  start(records: number): void {
    const wanted = this.#wantedFor(records)
    while (this.#workers.length < wanted - 1) {
      const worker = new Worker(new URL('link-thread.ts', import.meta.url))
      worker.unref()
      this.#workers.push(worker)
    }
  }

  /** Does a job on all threads; one result per thread, in no order that means anything. */
  async run<Kind extends JobKind>(job: JobOf<Kind> & Job): Promise<JobResults[Kind][]> {
    const { units, records } = unitsOf(job)
    const wanted = this.#wantedFor(records)
    this.start(records)
    const counter = new Int32Array(new SharedArrayBuffer(4))
    const rangeSize = Math.max(1, Math.floor(units / (wanted * RANGES_PER_THREAD)))
    const task: ThreadTask = { job, counter, rangeSize }
    const others = this.#workers.slice(0, wanted - 1).map((worker) => resultOf(worker, task))
    const own = runJob(job, rangesOf(task))
    return [own, ...(await Promise.all(others))] as JobResults[Kind][]
  }

  #wantedFor(records: number): number {
    return records < this.#leastRecords ? 1 : this.#count
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(async (worker) => worker.terminate()))
    this.#workers = []
  }
}

/** Runs `body` with threads that are closed whatever happens. */
export async function withThreads<T>(count: number, body: (threads: LinkThreads) => Promise<T>): Promise<T> {
  const threads = new LinkThreads(count)
  try {
    return await body(threads)
  } finally {
    await threads.close()
  }
}

/** Ranges of a job's units, taken from the shared counter. */
export function rangesOf({
  job,
  counter,
  rangeSize,
}: ThreadTask): () => readonly [number, number] | undefined {
  const { units } = unitsOf(job)
  return () => {
    const from = Atomics.add(counter, 0, 1) * rangeSize
    if (from >= units) return undefined
    return [from, Math.min(units, from + rangeSize)]
  }
}

async function resultOf(worker: Worker, task: ThreadTask): Promise<JobResults[JobKind]> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      worker.off('error', failed)
      worker.off('message', finished)
      worker.unref()
    }
    const failed = (cause: Error): void => {
      done()
      reject(cause)
    }
    const finished = (result: JobResults[JobKind]): void => {
      done()
      resolve(result)
    }
    worker.once('error', failed)
    worker.once('message', finished)
    worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin.
    worker.postMessage(task)
  })
}
