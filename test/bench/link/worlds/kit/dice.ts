import { fnvOfText } from '../../../../../src/hash.ts'

/** Random numbers from a text seed (sfc32, seeded with FNV-1a hashes): the same seed gives the same numbers on every machine. */
export class Dice {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#a = fnvOfText(`${seed}:a`)
    this.#b = fnvOfText(`${seed}:b`)
    this.#c = fnvOfText(`${seed}:c`)
    for (let round = 0; round < 15; round++) this.#bits()
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    return (this.#bits() >>> 0) / 4_294_967_296
  }

  /** True in `share` of all calls. */
  chance(share: number): boolean {
    return this.next() < share
  }

  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }

  /** A text of so many random digits. */
  digits(count: number): string {
    let text = ''
    for (let place = 0; place < count; place++) text += String(this.below(10))
    return text
  }

  /** The same items in a random order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const mixed = [...items]
    for (let at = mixed.length - 1; at > 0; at--) {
      const other = this.below(at + 1)
      const moved = mixed[at]!
      mixed[at] = mixed[other]!
      mixed[other] = moved
    }
    return mixed
  }

  #bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum
  }
}
