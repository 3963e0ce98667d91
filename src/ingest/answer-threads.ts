import { Worker } from 'node:worker_threads'
import { ANSWERERS, type Answerer, type AnswererName } from './answers.ts'

/** What a thread is asked; it answers with as many texts, in the order of asking. */
export interface Question {
  readonly name: AnswererName
  readonly texts: readonly string[]
}

/** A thread takes half a second to read the reference data; this thread answers so many texts in a tenth of it. */
const LEAST_TEXTS = 20_000

interface Waiting {
  readonly resolve: (answers: string[]) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Waiting[]
}

/** Normalisers on `count` threads, which start when there is enough to ask; to be closed. */
export class AnswerThreads {
  readonly count: number
  readonly #leastTexts: number
  readonly #own = new Map<AnswererName, Answerer>()
  readonly #threads: Thread[] = []
  #asked = 0

  constructor(count: number, leastTexts = LEAST_TEXTS) {
    this.count = count
    this.#leastTexts = leastTexts
  }

  /** The answers of `texts`, in their order. May be called again before the last answers have come. */
  async ask(name: AnswererName, texts: readonly string[]): Promise<string[]> {
    this.#asked += texts.length
    if (this.count < 2 || this.#asked <= this.#leastTexts) return texts.map(this.#answerer(name))
    const thread = this.#idlest()
    return new Promise((resolve, reject) => {
      thread.waiting.push({ resolve, reject })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
      thread.worker.postMessage({ name, texts } satisfies Question)
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(async ({ worker }) => worker.terminate()))
  }

  #answerer(name: AnswererName): Answerer {
    const answerer = this.#own.get(name) ?? ANSWERERS[name]()
    this.#own.set(name, answerer)
    return answerer
  }

  #idlest(): Thread {
    const idle = this.#threads.find(({ waiting }) => waiting.length === 0)
    if (idle !== undefined) return idle
    if (this.#threads.length < this.count) {
      const thread = startThread()
      this.#threads.push(thread)
      return thread
    }
    return this.#threads.reduce((least, each) => (each.waiting.length < least.waiting.length ? each : least))
  }
}

function startThread(): Thread {
  const worker = new Worker(new URL('answer-thread.ts', import.meta.url))
  const waiting: Waiting[] = []
  worker.on('message', (answers: string[]) => waiting.shift()?.resolve(answers))
  worker.on('error', (error) => {
    for (const { reject } of waiting.splice(0)) reject(error)
  })
  return { worker, waiting }
}
