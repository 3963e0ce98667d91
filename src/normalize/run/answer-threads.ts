import { ThreadPool } from '../../threads.ts'
import { ANSWERERS, type Answerer, type AnswererName } from './answers.ts'

/** Texts for one normaliser. The answer is a text for each of them, in the same order. */
export interface Question {
  readonly name: AnswererName
  readonly texts: readonly string[]
}

/** Number of texts above which threads are started. Fewer are normalised before a thread has read the reference data. */
const LEAST_TEXTS = 20_000

/** Runs the normalisers on up to `count` threads, which start when there are enough texts. `close` ends the threads. */
export class AnswerThreads {
  readonly count: number
  readonly #leastTexts: number
  readonly #own = new Map<AnswererName, Answerer>()
  readonly #pool: ThreadPool<Question, string[]>
  #asked = 0

  constructor(count: number, leastTexts = LEAST_TEXTS) {
    this.count = count
    this.#leastTexts = leastTexts
    this.#pool = new ThreadPool({
      module: new URL('answer-thread.ts', import.meta.url),
      does: 'normalises texts',
      size: count,
    })
  }

  /** Returns the answers to `texts`, in their order. May be called again before earlier answers are ready. */
  async ask(name: AnswererName, texts: readonly string[]): Promise<string[]> {
    this.#asked += texts.length
    if (this.count < 2 || this.#asked <= this.#leastTexts) return texts.map(this.#answerer(name))
    return this.#pool.run({ name, texts })
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #answerer(name: AnswererName): Answerer {
    const answerer = this.#own.get(name) ?? ANSWERERS[name]()
    this.#own.set(name, answerer)
    return answerer
  }
}
