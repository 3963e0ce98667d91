import { ThreadPool } from '../../threads.ts'

/** With fewer records, all work runs on the calling thread: starting another thread would cost more time than it saves. */
const LEAST_RECORDS = 30_000
/** The units of a work are divided into this many ranges per thread, so that no thread waits long for the others. */
const RANGES_PER_THREAD = 64

/** Returns the next range of units, as its first unit and the unit after its last; undefined when no range is left. */
export type NextRange = () => readonly [number, number] | undefined

/** A function that a run calls after each step. `rows` is the number of records, blocks, pairs or edges that the step made. */
export type OnStep = (step: string, rows: number) => void

/**
 * A function that several threads run on the same input, each on the ranges that its `next` hands out. All arrays of the input are shared
 * memory. The joined results must not depend on which thread takes which range.
 */
export interface Work<Input, Result> {
  /** URL of the module that exports `run` by its name: `import.meta.url`. */
  readonly module: string
  readonly run: (input: Input, next: NextRange) => Result
}

export interface Amount {
  /** Number of units of the work. A unit is the smallest part of the work that one thread takes. */
  readonly units: number
  /** Number of records that the work reads. It decides how many threads take part. */
  readonly records: number
}

/** The message that starts a work on a worker thread. `counter` is shared memory: the number of the next range that no thread has taken. */
export interface ThreadTask {
  readonly module: string
  readonly name: string
  readonly input: unknown
  readonly units: number
  readonly rangeSize: number
  readonly counter: Int32Array
}

/**
 * Runs works on `count` threads, the calling thread included. The worker threads start with the first work that has at least `leastRecords`
 * records.
 */
export class LinkThreads {
  readonly #pool: ThreadPool<ThreadTask, unknown>
  readonly #count: number
  readonly #leastRecords: number

  constructor(count: number, leastRecords = LEAST_RECORDS) {
    this.#count = count
    this.#leastRecords = leastRecords
    const module = new URL('link-thread.ts', import.meta.url)
    this.#pool = new ThreadPool({ module, does: 'links records', size: Math.max(1, count - 1) })
  }

  /** Runs a work on all threads, and returns one result per thread. Which ranges a result covers differs from run to run. */
  async run<Input, Result>(
    { module, run }: Work<Input, Result>,
    input: Input,
    { units, records }: Amount,
  ): Promise<Result[]> {
    const threads = records < this.#leastRecords ? 1 : this.#count
    const counter = new Int32Array(new SharedArrayBuffer(4))
    const rangeSize = Math.max(1, Math.floor(units / (threads * RANGES_PER_THREAD)))
    const task: ThreadTask = { module, name: run.name, input, units, rangeSize, counter }
    const others = Array.from({ length: threads - 1 }, async () => this.#pool.run(task) as Promise<Result>)
    const own = async (): Promise<Result> => run(input, rangesOf(task))
    const working = [own(), ...others]
    // Wait for all threads, even when one fails: the caller may reuse memory that the other threads still read.
    await Promise.allSettled(working)
    return Promise.all(working)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** Runs `body` with `count` threads, and closes the threads when `body` ends or fails. */
export async function withThreads<T>(count: number, body: (threads: LinkThreads) => Promise<T>): Promise<T> {
  const threads = new LinkThreads(count)
  try {
    return await body(threads)
  } finally {
    await threads.close()
  }
}

/** Returns a function that takes the next range of a task's units from its shared counter. */
export function rangesOf({
  units,
  rangeSize,
  counter,
}: Pick<ThreadTask, 'units' | 'rangeSize' | 'counter'>): NextRange {
  return () => {
    const from = Atomics.add(counter, 0, 1) * rangeSize
    if (from >= units) return undefined
    return [from, Math.min(units, from + rangeSize)]
  }
}
