import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../errors.ts'
import { type FileProblem, MANIFEST_FILE, readManifest } from '../format/manifest.ts'
import type { VerifyAnswer, VerifyTask } from './verify-thread.ts'

export interface VerifierOptions {
  /** After this time a snapshot is hashed again even if no file has another size or date. */
  readonly againAfterMs: number
  /** The highest reading speed, which leaves the disk time for requests. */
  readonly bytesPerSecond?: number
}

interface Verdict {
  /** Size and times of every file at the time of reading. */
  readonly stamp: string
  readonly readAt: number
  readonly problems: Promise<FileProblem[]>
}

// 10 GB take 40 seconds.
const BYTES_PER_SECOND = 256 * 2 ** 20
// How often a snapshot is read when a difference was found but its files were replaced meanwhile.
const MAX_READS = 3

/**
 * Finds files of a snapshot that differ from what was published. A thread hashes the files once. The result
 * holds until a file has another size or date, or until `againAfterMs` have passed. Concurrent callers share
 * one reading.
 */
export class SnapshotVerifier {
  readonly #options: Required<VerifierOptions>
  readonly #verdicts = new Map<string, Verdict>()
  readonly #threads = new Set<Worker>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: VerifierOptions) {
    this.#options = { bytesPerSecond: BYTES_PER_SECOND, ...options }
  }

  /** Returns the files that differ. @throws `bad_snapshot` when there is no manifest to compare with. */
  async verify(folder: string): Promise<readonly FileProblem[]> {
    const stamp = await stampOf(folder)
    const known = this.#verdicts.get(folder)
    if (known?.stamp === stamp && performance.now() - known.readAt < this.#options.againAfterMs)
      return known.problems
    const problems = this.#readBehindOthers(folder, stamp)
    const verdict = { stamp, readAt: performance.now(), problems }
    this.#verdicts.set(folder, verdict)
    problems.catch(() => {
      if (this.#verdicts.get(folder) === verdict) this.#verdicts.delete(folder)
    })
    return problems
  }

  /** Stops all readings. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map(async (thread) => thread.terminate()))
  }

  // Reads a snapshot after those that are being read or waiting, so that only one is read at a time.
  async #readBehindOthers(folder: string, stamp: string): Promise<FileProblem[]> {
    const reading = this.#last.then(async () => this.#read(folder, stamp, MAX_READS))
    this.#last = reading.catch(() => undefined)
    return reading
  }

  async #read(folder: string, stamp: string, reads: number): Promise<FileProblem[]> {
    const task: VerifyTask = { folder, bytesPerSecond: this.#options.bytesPerSecond }
    const thread = new Worker(new URL('./verify-thread.ts', import.meta.url), { workerData: task })
    thread.unref()
    this.#threads.add(thread)
    try {
      const [answer] = (await Promise.race([once(thread, 'message'), endOf(thread)])) as [VerifyAnswer]
      if (answer.failure !== null) throw new AppError('bad_snapshot', answer.failure)
      if (answer.problems.length === 0 || reads === 1) return answer.problems
      const now = await stampOf(folder)
      return now === stamp ? answer.problems : await this.#read(folder, now, reads - 1)
    } finally {
      this.#threads.delete(thread)
    }
  }
}

async function endOf(thread: Worker): Promise<never> {
  const [code] = (await once(thread, 'exit')) as [number]
  throw new AppError('stopped', `reading the snapshot ended with code ${code}`)
}

// Includes the time of the last status change (ctime), because copying tools can set the modification time
// but not this one.
async function stampOf(folder: string): Promise<string> {
  const files = [MANIFEST_FILE, ...Object.keys(readManifest(folder).files)]
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await stat(join(folder, file)).catch(() => null)
      return found === null
        ? `${file} -`
        : `${file} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
    }),
  )
  return stamps.join('\n')
}
