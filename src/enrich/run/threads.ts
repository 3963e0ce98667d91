import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  type Columns,
  openLookup,
  sharedColumns,
  type Suppressed,
  type Suppression,
} from '../../lookup/index.ts'
import { AppError } from '../../errors.ts'
import { ChunkMatcher, type ChunkResult, type ChunkSettings, type ChunkTask } from './chunks.ts'
import type { WorkerReply, WorkerStart } from './worker.ts'

/** What matches chunks: threads, each one at a time, or this very thread. */
export interface Threads {
  readonly count: number
  run(task: ChunkTask): Promise<ChunkResult>
  close(): Promise<void>
}

/** Matches in this thread: a short list is done before threads have started. */
export async function openHere(
  snapshot: string,
  settings: ChunkSettings,
  suppressions: readonly Suppression[],
): Promise<Threads> {
  const lookup = openLookup(snapshot)
  await lookup.suppress(suppressions)
  const matcher = new ChunkMatcher(lookup, settings)
  return {
    count: 1,
    run: async (task) => matcher.run(task),
    async close() {
      lookup.close()
    },
  }
}

// Nothing of a row outlives its chunk: with V8's own limits each thread keeps a hundred MiB of what it has thrown away.
const LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1024 } as const

export async function openThreads(
  snapshot: string,
  settings: ChunkSettings,
  suppressions: readonly Suppression[],
  count: number,
): Promise<Threads> {
  const columns = sharedColumns(snapshot)
  const suppressed = await suppressedOf(snapshot, columns, suppressions)
  const start: WorkerStart = { snapshot, columns, suppressed, settings }
  const threads = new WorkerThreads(start)
  try {
    while (threads.count < count) threads.add()
    return threads
  } catch (error) {
    await threads.close()
    throw error
  }
}

class WorkerThreads implements Threads {
  readonly #start: WorkerStart
  readonly #all: Worker[] = []
  readonly #exits: Promise<unknown>[] = []
  readonly #idle: Worker[] = []
  readonly #waiting: PromiseWithResolvers<Worker>[] = []
  #ended: Error | null = null

  constructor(start: WorkerStart) {
    this.#start = start
  }

  get count(): number {
    return this.#all.length
  }

  add(): void {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#start,
      resourceLimits: LIMITS,
    })
    this.#all.push(worker)
    this.#exits.push(new Promise((resolve) => worker.once('exit', resolve)))
    // It may die while it has nothing to do, too.
    worker.on('error', (error) => this.#end(error))
    this.#idle.push(worker)
  }

  async run(task: ChunkTask): Promise<ChunkResult> {
    if (this.#ended !== null) throw this.#ended
    const worker = this.#idle.pop() ?? (await this.#turn())
    if (this.#ended !== null) throw this.#ended
    const replied = once(worker, 'message') as Promise<[WorkerReply]>
    worker.postMessage(task, [])
    const [{ result, error }] = await replied
    this.#release(worker)
    if (error !== undefined) throw Object.assign(new Error(error.message), { stack: error.stack })
    return result
  }

  // Not terminated: a thread that is stopped within the store takes the process with it.
  async close(): Promise<void> {
    this.#end(new AppError('stopped', 'the threads were closed'))
    for (const worker of this.#all) worker.postMessage(null, [])
    await Promise.all(this.#exits)
  }

  async #turn(): Promise<Worker> {
    const mine = Promise.withResolvers<Worker>()
    this.#waiting.push(mine)
    return mine.promise
  }

  #release(worker: Worker): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(worker)
    else next.resolve(worker)
  }

  // Whoever waits for a thread hears that there won't be one; so does who asks later.
  #end(error: Error): void {
    this.#ended ??= error
    for (const next of this.#waiting.splice(0)) next.reject(this.#ended)
  }
}

/** Looked for once, for all threads. */
async function suppressedOf(
  snapshot: string,
  columns: Columns,
  suppressions: readonly Suppression[],
): Promise<Suppressed | null> {
  if (suppressions.length === 0) return null
  const lookup = openLookup(snapshot, columns)
  try {
    const { people, ids, phones, names, counts } = (await lookup.suppress(suppressions))!
    return { people, ids, phones, names, counts }
  } finally {
    lookup.close()
  }
}
