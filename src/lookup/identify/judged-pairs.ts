import { type Agreement, AGREEMENTS } from './agreement.ts'

const PLACES = 65_536
/** Both words, weight, number of the agreement: the 32 bytes of a pair stand in one line of the processor's cache. */
const STRIDE = 4

/**
 * What was judged of the latest pairs of words, in 2 MiB. Each pair has one place, which another pair may take: names come
 * again, row after row, and what was lost is judged once more.
 */
export class JudgedPairs {
  readonly #entries = new Float64Array(PLACES * STRIDE).fill(-1)
  agreement: Agreement = 'unknown'
  weight = 0

  /** Whether a pair is known; then `agreement` and `weight` are its. */
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
