import { type FrequencyWeights, MOST_FREQUENCY_BITS, valueBits } from '../model/frequencies.ts'
import { ADDRESS, AT, ATTRIBUTE, comparisonsOf, EMAIL, PHONE } from '../compare/levels.ts'
import { ADDRESS_WIDTH, KNOWN_BITS, type Records, PART, SLOT } from '../records/records.ts'
import { NAME_CASES } from '../compare/name-agreement.ts'
import type { LevelWeights } from '../model/weights.ts'

const KNOWN = (1 << KNOWN_BITS) - 1

/**
 * Computes upper bounds on the match weight that comparisons not yet made can add to a pair. Uses which fields both
 * records have, and their Bloom signatures.
 */
export class Reach {
  readonly #records: Records
  /** Upper bounds of a field: [when the Bloom signatures overlap, when they do not and so the values differ]. */
  readonly #phone: readonly [number, number]
  readonly #email: readonly [number, number]
  readonly #attributes: readonly (readonly [number, number])[]
  /**
   * Per record, the upper bound of address and place: in one building (`#together`), or elsewhere (`#apart`).
   * Undefined when only few pairs are scored.
   */
  readonly #together: Float32Array | undefined
  readonly #apart: Float32Array | undefined
  readonly #places: PlaceBits
  /** When only few pairs are scored: the last left record, and its bound for different buildings. */
  #record = -1
  #recordApart = 0

  /** `isOfFew`: only few pairs are scored. Then bounds are computed per pair, and only from the left record. */
  constructor(records: Records, weights: LevelWeights, frequencies: FrequencyWeights, isOfFew: boolean) {
    this.#records = records
    this.#places = new PlaceBits(records, weights, frequencies)
    const most = (c: number, from: number): number => bestLevel(weights, c, from)
    this.#phone = [most(AT.phone, PHONE.same) + MOST_FREQUENCY_BITS, most(AT.phone, PHONE.near)]
    this.#email = [most(AT.email, EMAIL.same) + MOST_FREQUENCY_BITS, most(AT.email, EMAIL.near)]
    this.#attributes = comparisonsOf(records.attributes)
      .slice(AT.attributes)
      .map((_, a) => {
        const same = most(AT.attributes + a, ATTRIBUTE.same) + MOST_FREQUENCY_BITS
        // Signatures contain no traits, so a trait may agree even when the signatures do not overlap.
        const { isIdentifier } = records.attributes[a]!
        return [same, isIdentifier ? most(AT.attributes + a, ATTRIBUTE.near) : same]
      })
    if (isOfFew) return
    this.#together = new Float32Array(records.count)
    this.#apart = new Float32Array(records.count)
    this.#readPlaces(this.#together, this.#apart)
  }

  /** Returns an upper bound of the comparisons of address and place. */
  places(i: number, j: number): number {
    const { rows, width } = this.#records
    const isApart = (rows[i * width + SLOT.known]! & rows[j * width + SLOT.known]!) >>> KNOWN_BITS === 0
    if (this.#together === undefined || this.#apart === undefined)
      return isApart ? this.#apartOf(i) : this.#places.most
    // One building may have two address keys with different frequencies, so the larger bound of the two records
    // counts.
    return isApart
      ? Math.min(this.#apart[i]!, this.#apart[j]!)
      : Math.max(this.#together[i]!, this.#together[j]!)
  }

  /** Returns an upper bound of the comparisons of phones, e-mails and attributes. */
  contacts(i: number, j: number): number {
    const { rows, width } = this.#records
    const left = i * width
    const right = j * width
    const which = (rows[left + SLOT.contacts]! & rows[right + SLOT.contacts]!) === 0 ? 1 : 0
    let bits = 0
    if (rows[left + SLOT.phones] !== 0 && rows[right + SLOT.phones] !== 0) bits += this.#phone[which]
    if (rows[left + SLOT.emails] !== 0 && rows[right + SLOT.emails] !== 0) bits += this.#email[which]
    let known = rows[left + SLOT.known]! & rows[right + SLOT.known]! & KNOWN
    for (; known !== 0; known &= known - 1) bits += this.#attributes[31 - Math.clz32(known & -known)]![which]
    return bits
  }

  #apartOf(i: number): number {
    if (this.#record === i) return this.#recordApart
    const { rows, width, lists } = this.#records
    const start = rows[i * width + SLOT.addresses]!
    this.#record = i
    this.#recordApart = 0
    for (let k = start + 1; k <= start + lists[start]!; k++)
      this.#recordApart = Math.max(this.#recordApart, this.#places.apart(lists[k]!))
    return this.#recordApart
  }

  #readPlaces(togetherOf: Float32Array, apartOf: Float32Array): void {
    const { count, rows, width, lists, addresses } = this.#records
    // Per address: the bound in one building (−1 until computed), and elsewhere.
    const together = new Float32Array(addresses.length / ADDRESS_WIDTH).fill(-1)
    const apart = new Float32Array(addresses.length / ADDRESS_WIDTH)
    for (let i = 0; i < count; i++) {
      const start = rows[i * width + SLOT.addresses]!
      for (let k = start + 1; k <= start + lists[start]!; k++) {
        const address = lists[k]!
        if (together[address]! < 0) {
          apart[address] = this.#places.apart(address)
          together[address] = Math.max(apart[address], this.#places.together(address))
        }
        togetherOf[i] = Math.max(togetherOf[i]!, together[address]!)
        apartOf[i] = Math.max(apartOf[i]!, apart[address]!)
      }
    }
  }
}

/** Computes upper bounds on what one address adds to the match weight, by address and place together. */
class PlaceBits {
  /** Upper bound for any address. */
  readonly most: number
  readonly #records: Records
  readonly #frequencies: FrequencyWeights
  readonly #building: number
  readonly #elsewhere: number
  readonly #place: number

  constructor(records: Records, weights: LevelWeights, frequencies: FrequencyWeights) {
    this.#records = records
    this.#frequencies = frequencies
    const other = Math.max(0, weights.match[AT.address * 16 + ADDRESS.different]!)
    this.#building = bestLevel(weights, AT.address, ADDRESS.unit)
    this.#elsewhere = bestLevel(weights, AT.address, ADDRESS.near)
    this.#place = bestLevel(weights, AT.place, 1) + other
    this.most = Math.max(this.#building, this.#place) + MOST_FREQUENCY_BITS
  }

  /** Returns the bound against another address in the same building. */
  together(address: number): number {
    return this.#building + this.#rarest(AT.address, address, PART.unit_key, PART.building)
  }

  /** Returns the bound against an address in another building. */
  apart(address: number): number {
    return Math.max(this.#elsewhere, this.#place + this.#rarest(AT.place, address, PART.zip, PART.city))
  }

  #rarest(c: number, address: number, one: number, other: number): number {
    const { addresses } = this.#records
    const field = this.#frequencies.fields[c]!
    const bits = (text: number): number => (text === 0 ? 0 : valueBits(field, this.#records, text))
    const at = address * ADDRESS_WIDTH
    return Math.max(0, bits(addresses[at + one]!), bits(addresses[at + other]!))
  }
}

// Returns the highest weight of the levels from `from` on, for any agreement of the names.
function bestLevel({ match }: LevelWeights, c: number, from: number): number {
  let best = 0
  for (let start = 0; start < match.length; start += match.length / NAME_CASES) {
    for (let level = from; level < 16; level++) best = Math.max(best, match[start + c * 16 + level]!)
  }
  return best
}
