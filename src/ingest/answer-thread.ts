import { parentPort } from 'node:worker_threads'
import type { Question } from './answer-threads.ts'
import { ANSWERERS, type Answerer, type AnswererName } from './answers.ts'

const answerers = new Map<AnswererName, Answerer>()

parentPort?.on('message', ({ name, texts }: Question) => {
  const answerer = answerers.get(name) ?? ANSWERERS[name]()
  answerers.set(name, answerer)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin.
  parentPort?.postMessage(texts.map(answerer))
})
