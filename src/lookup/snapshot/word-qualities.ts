import type { SimilarWords } from './similar-words.ts'

/**
 * For each word of one query, a table with the quality of every word of the dictionary. Comparing names reads
 * the tables once for each word of each name. The tables are reused by the next query.
 */
export class WordQualities {
  readonly #wordCount: number
  readonly #tables: Uint8Array[] = []
  /** A table of zeros, for a query word without similar words. */
  #nothing: Uint8Array | null = null
  #given: readonly Uint8Array[] = []
  #filled: readonly SimilarWords[] = []

  constructor(wordCount: number) {
    this.#wordCount = wordCount
  }

  /**
   * Returns one table for each word of the query, with the quality from 0 to 100 of each word number. The
   * quality of a word that is not similar is 0. The tables are valid until the tables of another query are
   * requested.
   */
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
