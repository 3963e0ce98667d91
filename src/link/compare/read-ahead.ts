import { type Mentions, SLOT } from '../records/mentions.ts'

/**
 * Reads what records are compared by before they are compared: rows of all candidates first, then what is known of their names. Reads that
 * the processor's cache does not hold are waited for together, where comparing one pair after the other waits for each by itself.
 */
export class ReadAhead {
  readonly #mentions: Mentions
  /** Without any use of what is read, a compiler may leave the reading out. */
  #sum = 0

  constructor(mentions: Mentions) {
    this.#mentions = mentions
  }

  /** Of the first so many candidates. */
  names(mates: Int32Array, count: number): void {
    const { rows, width, texts } = this.#mentions
    const { letters } = texts
    let sum = this.#sum
    for (let k = 0; k < count; k++) sum ^= rows[mates[k]! * width]!
    for (let k = 0; k < count; k++) {
      const row = mates[k]! * width
      sum ^= letters[rows[row + SLOT.first]!]! ^ letters[rows[row + SLOT.last]!]!
    }
    this.#sum = sum
  }
}
