import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Columns, openLookup, sharedColumns, type Suppressed, type Suppression } from '../lookup/open.ts'
import { AppError } from '../errors.ts'
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
  const idle = Array.from(
    { length: count },
    () => new Worker(new URL('./worker.ts', import.meta.url), { workerData: start, resourceLimits: LIMITS }),
  )
  const all = [...idle]
  const exits = all.map(async (worker) => new Promise((resolve) => worker.once('exit', resolve)))
  const waiting: PromiseWithResolvers<Worker>[] = []
  let ended: Error | null = null
  // Whoever waits for a thread hears that there won't be one; so does who asks later.
  const end = (error: Error): void => {
    ended ??= error
    for (const next of waiting.splice(0)) next.reject(ended)
  }
  // A thread may die while it has nothing to do, too.
  for (const worker of all) worker.on('error', end)

  const turn = async (): Promise<Worker> => {
    const mine = Promise.withResolvers<Worker>()
    waiting.push(mine)
    return mine.promise
  }
  const release = (worker: Worker): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(worker)
    else next.resolve(worker)
  }
  return {
    count,
    async run(task) {
      if (ended !== null) throw ended
      const worker = idle.pop() ?? (await turn())
      if (ended !== null) throw ended
      const replied = once(worker, 'message') as Promise<[WorkerReply]>
      worker.postMessage(task, [])
      const [{ result, error }] = await replied
      release(worker)
      if (error !== undefined) throw Object.assign(new Error(error.message), { stack: error.stack })
      return result
    },
    // Not terminated: a thread that is stopped within the store takes the process with it.
    async close() {
      end(new AppError('stopped', 'the threads were closed'))
      for (const worker of all) worker.postMessage(null, [])
      await Promise.all(exits)
    },
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
