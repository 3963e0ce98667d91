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

/** Is called after each step of a run, with the number of rows (records, blocks, pairs or edges) that the step made. */
export type OnStep = (step: string, rows: number) => void

/** Threads that do jobs together, this one among them; they start with the first job that is worth it. */
export class LinkThreads {
  readonly #count: number
  readonly #leastRecords: number
  #workers: TaskWorker[] = []

  constructor(count: number, leastRecords = LEAST_RECORDS) {
    this.#count = count
    this.#leastRecords = leastRecords
  }

  /** Starts the threads that a job about so many records will want, so that they are there when it comes. */
  start(records: number): void {
    const wanted = this.#wantedFor(records)
    while (this.#workers.length < wanted - 1) {
      this.#workers.push(new TaskWorker())
    }
  }

  /**
   * Does a job on all threads, this one among them, and returns one result per thread, in no particular order.
   */
  async run<Kind extends JobKind>(job: JobOf<Kind> & Job): Promise<JobResults[Kind][]> {
    const { units, records } = unitsOf(job)
    const wanted = this.#wantedFor(records)
    this.start(records)
    const counter = new Int32Array(new SharedArrayBuffer(4))
    const rangeSize = Math.max(1, Math.floor(units / (wanted * RANGES_PER_THREAD)))
    const task: ThreadTask = { job, counter, rangeSize }
    const others = this.#workers.slice(0, wanted - 1).map(async (worker) => worker.resultOf(task))
    const own = async (): Promise<JobResults[JobKind]> => runJob(job, rangesOf(task))
    const working = [own(), ...others]
    // When one fails, the others end before that is told: none goes on with what its caller takes back.
    await Promise.allSettled(working)
    return (await Promise.all(working)) as JobResults[Kind][]
  }

  #wantedFor(records: number): number {
    return records < this.#leastRecords ? 1 : this.#count
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(async (worker) => worker.close()))
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

interface Waiting {
  readonly resolve: (result: JobResults[JobKind]) => void
  readonly reject: (cause: Error) => void
}

/** A thread that does tasks in the order in which it was given them. */
class TaskWorker {
  readonly #worker = new Worker(new URL('./link-thread.ts', import.meta.url))
  #waiting: Waiting[] = []
  /** Why it is no more: it may have died before it was asked anything. */
  #death: Error | undefined

  constructor() {
    this.#worker.on('message', (result: JobResults[JobKind]) => {
      this.#waiting.shift()!.resolve(result)
      if (this.#waiting.length === 0) this.#worker.unref()
    })
    this.#worker.on('error', (cause: Error) => this.#die(cause))
    this.#worker.on('exit', (code) => this.#die(new Error(`a thread of the linkage ended with ${code}`)))
    this.#worker.unref()
  }

  #die(cause: Error): void {
    this.#death ??= cause
    for (const { reject } of this.#waiting) reject(this.#death)
    this.#waiting = []
  }

  async resultOf(task: ThreadTask): Promise<JobResults[JobKind]> {
    if (this.#death !== undefined) throw this.#death
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin.
      this.#worker.postMessage(task)
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
