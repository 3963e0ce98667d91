import { parentPort } from 'node:worker_threads'
import { runJob } from './jobs.ts'
import { rangesOf, type ThreadTask } from './threads.ts'

parentPort?.on('message', (task: ThreadTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin.
  parentPort?.postMessage(runJob(task.job, rangesOf(task)))
})
