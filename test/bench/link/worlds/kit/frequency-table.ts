import type { Dice } from './dice.ts'

/** Values with falling frequency: the value of rank r is drawn in proportion to 1 / (r + offset)^exponent (Zipf and Mandelbrot). */
export class FrequencyTable {
  readonly values: readonly string[]
  readonly #sums: Float64Array

  constructor(values: readonly string[], { exponent, offset }: { exponent: number; offset: number }) {
    this.values = values
    this.#sums = new Float64Array(values.length)
    let sum = 0
    for (let rank = 0; rank < values.length; rank++) {
      sum += 1 / (rank + 1 + offset) ** exponent
      this.#sums[rank] = sum
    }
  }

  draw(dice: Dice): string {
    const wanted = dice.next() * this.#sums.at(-1)!
    let low = 0
    let high = this.#sums.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#sums[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return this.values[low]!
  }
}
