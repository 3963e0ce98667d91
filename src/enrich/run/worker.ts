import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../errors.ts'
import { type Columns, openLookup, type Suppressed } from '../../lookup/index.ts'
import { ChunkMatcher, type ChunkResult, type ChunkSettings, type ChunkTask } from './chunks.ts'

/** What a thread is started with: the snapshot's columns stand in memory that all threads share. */
export interface WorkerStart {
  readonly snapshot: string
  readonly columns: Columns
  readonly suppressed: Suppressed | null
  readonly settings: ChunkSettings
}

export type WorkerReply =
  | { readonly result: ChunkResult; readonly error?: undefined }
  | {
      readonly error: { readonly message: string; readonly stack: string | undefined }
      readonly result?: undefined
    }

const { snapshot, columns, suppressed, settings } = workerData as WorkerStart
const lookup = openLookup(snapshot, columns, suppressed)
const matcher = new ChunkMatcher(lookup, settings)

parentPort!.on('message', (task: ChunkTask | null) => {
  if (task === null) {
    lookup.close()
    parentPort!.close()
    return
  }
  try {
    const result = matcher.run(task)
    parentPort!.postMessage({ result } satisfies WorkerReply, [result.bytes.buffer])
  } catch (error) {
    const stack = error instanceof Error ? error.stack : undefined
    parentPort!.postMessage({ error: { message: messageOf(error), stack } } satisfies WorkerReply, [])
  }
})
