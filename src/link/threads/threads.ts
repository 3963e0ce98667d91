import { ThreadPool } from '../../threads.ts'

/** With fewer records, the start of another thread costs more than the thread saves. */
const LEAST_RECORDS = 30_000
const RANGES_PER_THREAD = 64

/** Hands out the next range of units, from the first number up to the second; undefined when none is left. */
export type NextRange = () => readonly [number, number] | undefined

/** Is called after each step of a run, with the number of rows (records, blocks, pairs or edges) that the step made. */
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
  /** How many units the work has. */
  readonly units: number
  /** How many records the work is about: it decides how many threads take part. */
  readonly records: number
}

/** What a thread is sent. The counter is shared: it holds the number of the next range that no thread has taken. */
export interface ThreadTask {
  readonly module: string
  readonly name: string
  readonly input: unknown
  readonly units: number
  readonly rangeSize: number
  readonly counter: Int32Array
}

/** Threads that work together, the calling thread among them. The others start with the first work that is large enough. */
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

  /** Does the work on all threads and returns one result per thread, in no particular order. */
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
    // When one thread fails, wait for the others: the caller may reuse memory that they still read.
    await Promise.allSettled(working)
    return Promise.all(working)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** Runs `body` with threads, and closes them when it ends or fails. */
export async function withThreads<T>(count: number, body: (threads: LinkThreads) => Promise<T>): Promise<T> {
  const threads = new LinkThreads(count)
  try {
    return await body(threads)
  } finally {
    await threads.close()
  }
}

/** Takes ranges of a task's units from its shared counter. */
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
