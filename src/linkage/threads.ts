import { Worker } from 'node:worker_threads'
import {
  mergedEdges,
  mergedPatterns,
  type ScoreInput,
  type ScoreResult,
  scoreRanges,
  type ScoreTask,
} from './score.ts'

/** Below this many blocks a thread costs more than it saves. */
const LEAST_BLOCKS = 20_000
const RANGES_PER_THREAD = 64

/** What a worker thread is started with. */
export interface ThreadInput {
  readonly input: ScoreInput
  readonly task: ScoreTask
  /** One shared counter: the next range that nobody has taken. */
  readonly counter: Int32Array
  readonly rangeSize: number
}

/** Does a task over all blocks on up to `threads` threads; the result is the same for any number of them. */
export async function scoreBlocks(
  input: ScoreInput,
  task: ScoreTask,
  threads: number,
  leastBlocks = LEAST_BLOCKS,
): Promise<ScoreResult> {
  const { count } = input.blocks
  const wanted = count < leastBlocks ? 1 : threads
  const rangeSize = Math.max(1, Math.ceil(count / (wanted * RANGES_PER_THREAD)))
  const counter = new Int32Array(new SharedArrayBuffer(4))
  const started: ThreadInput = { input, task, counter, rangeSize }
  const others = Array.from({ length: wanted - 1 }, () => resultOf(started))
  const own = scoreRanges(input, task, rangesOf(started))
  return mergedResult([own, ...(await Promise.all(others))])
}

/** Ranges of blocks, taken from the shared counter. */
export function rangesOf({
  input,
  counter,
  rangeSize,
}: ThreadInput): () => readonly [number, number] | undefined {
  return () => {
    const from = Atomics.add(counter, 0, 1) * rangeSize
    if (from >= input.blocks.count) return undefined
    return [from, Math.min(input.blocks.count, from + rangeSize)]
  }
}

async function resultOf(started: ThreadInput): Promise<ScoreResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('score-thread.ts', import.meta.url), { workerData: started })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

function mergedResult(results: readonly ScoreResult[]): ScoreResult {
  const pairs = results.reduce((total, result) => total + result.pairs, 0)
  const patterns = results.flatMap((result) => result.patterns ?? [])
  const edges = results.flatMap((result) => result.edges ?? [])
  return {
    pairs,
    ...(patterns.length > 0 ? { patterns: mergedPatterns(patterns) } : {}),
    ...(edges.length > 0 ? { edges: mergedEdges(edges) } : {}),
  }
}
