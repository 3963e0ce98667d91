import { ThreadPool } from '../../threads.ts'
import { NORMALIZERS, type Normalizer, type NormalizerName } from './normalizers.ts'

/** Texts for one normaliser. The result is one text for each of them, in the same order. */
export interface Texts {
  readonly name: NormalizerName
  readonly texts: readonly string[]
}

/** Number of texts above which threads start. Fewer texts are normalised sooner than a new thread reads the reference data. */
const LEAST_TEXTS = 20_000

/** Runs the normalisers on up to `count` threads, which start when there are enough texts. `close` ends the threads. */
export class NormalizerThreads {
  readonly count: number
  readonly #leastTexts: number
  readonly #own = new Map<NormalizerName, Normalizer>()
  readonly #pool: ThreadPool<Texts, string[]>
  #textCount = 0

  constructor(count: number, leastTexts = LEAST_TEXTS) {
    this.count = count
    this.#leastTexts = leastTexts
    this.#pool = new ThreadPool({
      module: new URL('normalizer-thread.ts', import.meta.url),
      does: 'normalises texts',
      size: count,
    })
  }

  /** Returns the normalised forms of `texts`, in their order. May be called again before an earlier call has ended. */
  async normalize(name: NormalizerName, texts: readonly string[]): Promise<string[]> {
    this.#textCount += texts.length
    if (this.count < 2 || this.#textCount <= this.#leastTexts) return texts.map(this.#normalizer(name))
    return this.#pool.run({ name, texts })
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #normalizer(name: NormalizerName): Normalizer {
    const normalizer = this.#own.get(name) ?? NORMALIZERS[name]()
    this.#own.set(name, normalizer)
    return normalizer
  }
}
