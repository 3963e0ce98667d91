import { ADDRESS, AT, ATTRIBUTE, comparisonsOf, EMAIL, PHONE } from '../compare/levels.ts'
import { NAME_CASES } from '../compare/name-agreement.ts'
import { type FrequencyWeights, MOST_FREQUENCY_WEIGHT, valueWeight } from '../model/frequencies.ts'
import type { LevelWeights } from '../model/weights.ts'
import { ADDRESS_WIDTH, KNOWN_BITS, type Records, PART, SLOT } from '../records/records.ts'

const KNOWN = (1 << KNOWN_BITS) - 1

/**
 * Computes upper bounds on the match weight that comparisons not yet made can add to a pair. Uses which fields both
 * records have, and their Bloom signatures.
 */
export class UpperBounds {
  readonly #records: Records
  readonly #frequencies: FrequencyWeights
  /** Upper bounds of a field: [when the Bloom signatures overlap, when they do not and so the values differ]. */
  readonly #phone: readonly [number, number]
  readonly #email: readonly [number, number]
  readonly #attributes: readonly (readonly [number, number])[]
  /** Upper bounds of levels: an address in one building, an address elsewhere, and a place. */
  readonly #building: number
  readonly #elsewhere: number
  readonly #place: number
  /** Per record, the bound of address and place in one building and elsewhere; −1 until it is computed. */
  readonly #together: Float32Array
  readonly #apart: Float32Array

  constructor(records: Records, weights: LevelWeights, frequencies: FrequencyWeights) {
    this.#records = records
    this.#frequencies = frequencies
    const most = (c: number, from: number): number => bestLevel(weights, c, from)
    this.#phone = [most(AT.phone, PHONE.same) + MOST_FREQUENCY_WEIGHT, most(AT.phone, PHONE.near)]
    this.#email = [most(AT.email, EMAIL.same) + MOST_FREQUENCY_WEIGHT, most(AT.email, EMAIL.near)]
    this.#attributes = comparisonsOf(records.attributes)
      .slice(AT.attributes)
      .map((_, a) => {
        const same = most(AT.attributes + a, ATTRIBUTE.same) + MOST_FREQUENCY_WEIGHT
        // Signatures contain no traits, so a trait may agree even when the signatures do not overlap.
        const { isIdentifier } = records.attributes[a]!
        return [same, isIdentifier ? most(AT.attributes + a, ATTRIBUTE.near) : same]
      })
    this.#building = most(AT.address, ADDRESS.unit)
    this.#elsewhere = most(AT.address, ADDRESS.near)
    this.#place = most(AT.place, 1) + Math.max(0, weights.match[AT.address * 16 + ADDRESS.different]!)
    this.#together = new Float32Array(records.count).fill(-1)
    this.#apart = new Float32Array(records.count).fill(-1)
  }

  /** Returns an upper bound of the comparisons of address and place. */
  places(i: number, j: number): number {
    const { rows, width } = this.#records
    if (this.#apart[i]! < 0) this.#readPlaces(i)
    if (this.#apart[j]! < 0) this.#readPlaces(j)
    // Without a common bit in the signatures, no address of one record is in a building of the other record.
    const areApart = (rows[i * width + SLOT.known]! & rows[j * width + SLOT.known]!) >>> KNOWN_BITS === 0
    // Two records in one building may have different address keys, and either key may give the frequency weight. So the
    // larger bound of the two records counts.
    return areApart
      ? Math.min(this.#apart[i]!, this.#apart[j]!)
      : Math.max(this.#together[i]!, this.#together[j]!)
  }

  /** Returns an upper bound of the comparisons of phones, e-mails and attributes. */
  contacts(i: number, j: number): number {
    const { rows, width } = this.#records
    const left = i * width
    const right = j * width
    const which = (rows[left + SLOT.contacts]! & rows[right + SLOT.contacts]!) === 0 ? 1 : 0
    let weight = 0
    if (rows[left + SLOT.phones] !== 0 && rows[right + SLOT.phones] !== 0) weight += this.#phone[which]
    if (rows[left + SLOT.emails] !== 0 && rows[right + SLOT.emails] !== 0) weight += this.#email[which]
    let known = rows[left + SLOT.known]! & rows[right + SLOT.known]! & KNOWN
    for (; known !== 0; known &= known - 1)
      weight += this.#attributes[31 - Math.clz32(known & -known)]![which]
    return weight
  }

  #readPlaces(i: number): void {
    const { rows, width, lists } = this.#records
    const start = rows[i * width + SLOT.addresses]!
    let together = 0
    let apart = 0
    for (let k = start + 1; k <= start + lists[start]!; k++) {
      const address = lists[k]!
      const rarestPlace = this.#rarest(AT.place, address, PART.zip, PART.city)
      const rarestAddress = this.#rarest(AT.address, address, PART.unit_key, PART.building)
      apart = Math.max(apart, this.#elsewhere, this.#place + rarestPlace)
      together = Math.max(together, apart, this.#building + rarestAddress)
    }
    this.#together[i] = together
    this.#apart[i] = apart
  }

  // Returns the largest frequency weight of two parts of an address, at least 0.
  #rarest(c: number, address: number, one: number, other: number): number {
    const { addresses } = this.#records
    const field = this.#frequencies.fields[c]!
    const at = address * ADDRESS_WIDTH
    const weightOf = (text: number): number => (text === 0 ? 0 : valueWeight(field, this.#records, text))
    return Math.max(0, weightOf(addresses[at + one]!), weightOf(addresses[at + other]!))
  }
}

// Returns the highest weight of the levels from `from` on, for any agreement of the names; at least 0.
function bestLevel({ match }: LevelWeights, c: number, from: number): number {
  let best = 0
  for (let start = 0; start < match.length; start += match.length / NAME_CASES) {
    for (let level = from; level < 16; level++) best = Math.max(best, match[start + c * 16 + level]!)
  }
  return best
}
