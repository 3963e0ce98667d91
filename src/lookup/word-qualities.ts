import type { SimilarWords } from './similar-words.ts'

/**
 * How well every word of the dictionary stands for each word of one query, by number: looked up for each word of each name
 * that is compared, where a map of a few dozen entries is fetched anew from memory for every query. Space that is used again.
 */
export class WordQualities {
  readonly #wordCount: number
  readonly #tables: Uint8Array[] = []
  #filled: readonly SimilarWords[] = []

  constructor(wordCount: number) {
    this.#wordCount = wordCount
  }

  /** For each of a query's words hundredths by word number, 0 for words that don't stand for it; valid until another query's are asked for. */
  of(asked: readonly SimilarWords[]): readonly Uint8Array[] {
    if (this.#filled === asked) return this.#tables
    for (const [at, { words }] of this.#filled.entries()) {
      const table = this.#tables[at]!
      for (let i = 0; i < words.length; i++) table[words[i]!] = 0
    }
    for (const [at, { words, hundredths }] of asked.entries()) {
      const table = (this.#tables[at] ??= new Uint8Array(this.#wordCount))
      for (let i = 0; i < words.length; i++) table[words[i]!] = hundredths[i]!
    }
    this.#filled = asked
    return this.#tables
  }
}
