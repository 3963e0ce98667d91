/** A mark for every word of a snapshot, used again by the next search. */
export class WordMarks {
  readonly #marks: Uint8Array

  constructor(wordCount: number) {
    this.#marks = new Uint8Array(wordCount)
  }

  /** The marks, 1 for each of `words`. */
  set(words: Uint32Array): Uint8Array {
    for (const word of words) this.#marks[word] = 1
    return this.#marks
  }

  clear(words: Uint32Array): void {
    for (const word of words) this.#marks[word] = 0
  }
}
