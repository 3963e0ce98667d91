import type { SimilarWords } from './similar-words.ts'

/**
 * How well every word of the dictionary stands for each word of one query, by number: looked up for each word of each name
 * that is compared, where a map of a few dozen entries is fetched anew from memory for every query. Space that is used again.
 */
export class WordQualities {
  readonly #wordCount: number
  readonly #tables: Uint8Array[] = []
  /** Of words that nothing stands for, as in a search by beginnings; always zeros. */
  #nothing: Uint8Array | null = null
  #given: readonly Uint8Array[] = []
  #filled: readonly SimilarWords[] = []

  constructor(wordCount: number) {
    this.#wordCount = wordCount
  }

  /** For each of a query's words hundredths by word number, 0 for words that don't stand for it; valid until another query's are asked for. */
  of(asked: readonly SimilarWords[]): readonly Uint8Array[] {
    if (this.#filled === asked) return this.#given
    for (const [at, { words }] of this.#filled.entries()) {
      const table = this.#given[at]!
      for (let i = 0; i < words.length; i++) table[words[i]!] = 0
    }
    this.#given = asked.map(({ words, hundredths }, at) => {
      if (words.length === 0) return (this.#nothing ??= new Uint8Array(this.#wordCount))
      const table = (this.#tables[at] ??= new Uint8Array(this.#wordCount))
      for (let i = 0; i < words.length; i++) table[words[i]!] = hundredths[i]!
      return table
    })
    this.#filled = asked
    return this.#given
  }
}
