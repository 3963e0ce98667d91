import {
  openLookup,
  sharedColumns,
  type SnapshotColumns,
  type Suppressed,
  type Suppression,
} from '../../lookup/index.ts'
import { ThreadPool } from '../../threads.ts'
import { ChunkMatcher, type ChunkResult, type ChunkSettings, type ChunkTask } from './chunks.ts'
import type { WorkerStart } from './worker.ts'

/** Matches chunks, in a pool of threads or in the calling thread. */
export interface Threads {
  readonly count: number
  run(task: ChunkTask): Promise<ChunkResult>
  close(): Promise<void>
}

/** Matches in the calling thread, which finishes short inputs before threads would have started. */
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

// Limits of a thread's heap in MB. With V8's defaults each thread would keep about 100 MiB of garbage.
const LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1024 } as const

export async function openThreads(
  snapshot: string,
  settings: ChunkSettings,
  suppressions: readonly Suppression[],
  count: number,
): Promise<Threads> {
  const columns = sharedColumns(snapshot)
  const suppressed = await suppressedOf(snapshot, columns, suppressions)
  const pool = new ThreadPool<ChunkTask, ChunkResult>({
    module: new URL('./worker.ts', import.meta.url),
    does: 'matches rows',
    size: count,
    workerData: { snapshot, columns, suppressed, settings } satisfies WorkerStart,
    resourceLimits: LIMITS,
  })
  try {
    pool.start(count)
  } catch (error) {
    await pool.close()
    throw error
  }
  return { count, run: async (task) => pool.run(task), close: async () => pool.close() }
}

/** Resolves the suppressions to people once for all threads. */
async function suppressedOf(
  snapshot: string,
  columns: SnapshotColumns,
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
