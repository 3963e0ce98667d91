import { parentPort, workerData } from 'node:worker_threads'
import { FrequencyWeights } from './frequencies.ts'
import { scoreRanges } from './score.ts'
import { rangesOf, type ThreadInput } from './threads.ts'

const started = workerData as ThreadInput
const { frequencies } = started.input
// Messages carry data, not classes.
const input = {
  ...started.input,
  frequencies: new FrequencyWeights(frequencies.bits, frequencies.nicknames, frequencies.isShared),
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin.
parentPort?.postMessage(scoreRanges(input, started.task, rangesOf(started)))
