import { type Agreement, AGREEMENTS } from './agreement.ts'

const PLACES = 65_536
/**
 * An entry has two words, a weight and the number of an agreement: 32 bytes, which fit into one cache line of
 * the processor.
 */
const STRIDE = 4

/**
 * A cache of compared pairs of words, of 2 MiB. Each pair has exactly one place; a later pair overwrites an
 * earlier one there.
 */
export class JudgedPairs {
  readonly #entries = new Float64Array(PLACES * STRIDE).fill(-1)
  agreement: Agreement = 'unknown'
  weight = 0

  /** Returns whether a pair is cached. If so, `agreement` and `weight` have its result. */
  find(left: number, right: number): boolean {
    const at = placeOf(left, right)
    if (this.#entries[at] !== left || this.#entries[at + 1] !== right) return false
    this.weight = this.#entries[at + 2]!
    this.agreement = AGREEMENTS[this.#entries[at + 3]!]!
    return true
  }

  keep(left: number, right: number, agreement: Agreement, weight: number): void {
    const at = placeOf(left, right)
    this.#entries[at] = left
    this.#entries[at + 1] = right
    this.#entries[at + 2] = this.weight = weight
    this.#entries[at + 3] = AGREEMENTS.indexOf((this.agreement = agreement))
  }
}

function placeOf(left: number, right: number): number {
  const hash = Math.imul(left, 0x9e37_79b1) ^ Math.imul(right, 0x85eb_ca6b)
  return ((hash >>> 13) & (PLACES - 1)) * STRIDE
}
