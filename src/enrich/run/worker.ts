import { workerData } from 'node:worker_threads'
import { openLookup, type SnapshotColumns, type Suppressed } from '../../lookup/index.ts'
import { serveTasks } from '../../threads.ts'
import { ChunkMatcher, type ChunkResult, type ChunkSettings, type ChunkTask } from './chunks.ts'

/** The data that a thread starts with. The snapshot's columns are in memory that all threads share. */
export interface WorkerStart {
  readonly snapshot: string
  readonly columns: SnapshotColumns
  readonly suppressed: Suppressed | null
  readonly settings: ChunkSettings
}

const { snapshot, columns, suppressed, settings } = workerData as WorkerStart
const lookup = openLookup(snapshot, columns, suppressed)
const matcher = new ChunkMatcher(lookup, settings)

// The pool closes threads by a message. Terminating a thread while it reads the store would crash the process.
serveTasks((task: ChunkTask): ChunkResult => matcher.run(task), {
  transfer: ({ bytes }) => [bytes.buffer],
  close: () => lookup.close(),
})
