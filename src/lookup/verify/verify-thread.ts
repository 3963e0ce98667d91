// The thread that compares a snapshot with its manifest. It is a thread because hashing one chunk takes as
// long as about a hundred lookups.
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../errors.ts'
import type { FileProblem } from '../format/manifest.ts'
import { verifySnapshot } from './verify.ts'

export interface VerifyTask {
  readonly folder: string
  readonly bytesPerSecond: number
}

export interface VerifyAnswer {
  readonly problems: FileProblem[]
  /** The reason why the snapshot could not be compared; null when it could. */
  readonly failure: string | null
}

if (parentPort !== null) {
  const { folder, bytesPerSecond } = workerData as VerifyTask
  const answer = await verifySnapshot(folder, { bytesPerSecond }).then(
    (problems): VerifyAnswer => ({ problems, failure: null }),
    (cause: unknown): VerifyAnswer => ({ problems: [], failure: messageOf(cause) }),
  )
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin.
  parentPort.postMessage(answer)
}
