import { type FrequencyWeights, MOST_FREQUENCY_BITS, valueBits } from './frequencies.ts'
import { ADDRESS, AT, ATTRIBUTE, comparisonsOf, EMAIL, PHONE } from './levels.ts'
import { ADDRESS_WIDTH, KNOWN_BITS, LIST_SLOTS, type Mentions, PART, SLOT } from './mentions.ts'
import { mixInto } from './texts.ts'
import type { LevelWeights } from './weights.ts'

const KNOWN = (1 << KNOWN_BITS) - 1

/**
 * Signs rows: a bit or two, by hash, for every value on which agreement weighs much. Records whose signs have no bit in common share
 * no such value; records that have may still share none.
 */
export function signRows(mentions: Omit<Mentions, 'sources'>): void {
  const { rows, width, count, lists, emailNames, texts, addresses, attributes } = mentions
  const [, addressSlot, phoneSlot, emailSlot] = LIST_SLOTS
  for (let i = 0; i < count; i++) {
    const row = i * width
    let contacts = 0
    const items = (slot: number): Int32Array =>
      lists.subarray(rows[row + slot], rows[row + slot]! + rows[row + slot + 1]!)
    for (const phone of items(phoneSlot)) contacts |= 1 << (texts.hash[phone]! & 31)
    for (const email of items(emailSlot)) {
      contacts |= 1 << (texts.hash[email]! & 31)
      if (emailNames[email] !== 0) contacts |= 1 << (texts.hash[emailNames[email]!]! & 31)
    }
    attributes.forEach(({ isIdentifier }, a) => {
      const value = rows[row + SLOT.attributes + a]!
      if (isIdentifier && value !== 0) contacts |= 1 << (mixInto(a, texts.hash[value]!) & 31)
    })
    let places = 0
    for (const address of items(addressSlot)) {
      const at = address * ADDRESS_WIDTH
      const [building, house, street] = [PART.building, PART.house, PART.street].map(
        (part) => addresses[at + part]!,
      )
      if (building !== 0) places |= 1 << (texts.hash[building!]! & 15)
      if (house !== 0 && street !== 0)
        places |= 1 << (mixInto(texts.hash[house!]!, texts.hash[street!]!) & 15)
    }
    rows[row + SLOT.contacts] = contacts
    rows[row + SLOT.known] = (rows[row + SLOT.known]! & KNOWN) | (places << KNOWN_BITS)
  }
}

/** Bounds on what the comparisons not yet made can add to a pair, by what its two records have and what their signs share. */
export class Reach {
  readonly #mentions: Mentions
  /** Most bits of a field: where the two could have the same value, and where they cannot. */
  readonly #phone: readonly [number, number]
  readonly #email: readonly [number, number]
  readonly #attributes: readonly (readonly [number, number])[]
  /** Per record: most bits of address and place, in one building and elsewhere. Undefined: the same for all. */
  readonly #together: Float32Array | undefined
  readonly #apart: Float32Array | undefined
  readonly #most: number

  /** Without `frequencies` places are bounded for all records alike, which costs nothing. */
  constructor(mentions: Mentions, weights: LevelWeights, frequencies?: FrequencyWeights) {
    this.#mentions = mentions
    const most = (c: number, from: number): number => bestLevel(weights, c, from)
    this.#phone = [most(AT.phone, PHONE.same) + MOST_FREQUENCY_BITS, most(AT.phone, PHONE.near)]
    this.#email = [most(AT.email, EMAIL.same) + MOST_FREQUENCY_BITS, most(AT.email, EMAIL.near)]
    this.#attributes = comparisonsOf(mentions.attributes)
      .slice(AT.attributes)
      .map((_, a) => {
        const same = most(AT.attributes + a, ATTRIBUTE.same) + MOST_FREQUENCY_BITS
        // Traits are not among what rows are signed by.
        const { isIdentifier } = mentions.attributes[a]!
        return [same, isIdentifier ? most(AT.attributes + a, ATTRIBUTE.near) : same]
      })
    const elsewhere = Math.max(0, weights.match[AT.address * 16 + ADDRESS.different]!)
    this.#most = Math.max(most(AT.address, ADDRESS.unit), most(AT.place, 1) + elsewhere) + MOST_FREQUENCY_BITS
    if (frequencies === undefined) return
    this.#together = new Float32Array(mentions.count)
    this.#apart = new Float32Array(mentions.count)
    this.#readPlaces(weights, frequencies, elsewhere)
  }

  /** Address and place. */
  places(i: number, j: number): number {
    if (this.#together === undefined || this.#apart === undefined) return this.#most
    const { rows, width } = this.#mentions
    const shared = (rows[i * width + SLOT.known]! & rows[j * width + SLOT.known]!) >>> KNOWN_BITS
    const gains = shared === 0 ? this.#apart : this.#together
    return Math.min(gains[i]!, gains[j]!)
  }

  /** Telephones, e-mails and attributes. */
  contacts(i: number, j: number): number {
    const { rows, width } = this.#mentions
    const left = i * width
    const right = j * width
    const which = (rows[left + SLOT.contacts]! & rows[right + SLOT.contacts]!) === 0 ? 1 : 0
    let bits = 0
    if (rows[left + SLOT.phones + 1]! > 0 && rows[right + SLOT.phones + 1]! > 0) bits += this.#phone[which]
    if (rows[left + SLOT.emails + 1]! > 0 && rows[right + SLOT.emails + 1]! > 0) bits += this.#email[which]
    let known = rows[left + SLOT.known]! & rows[right + SLOT.known]! & KNOWN
    for (; known !== 0; known &= known - 1) bits += this.#attributes[31 - Math.clz32(known & -known)]![which]
    return bits
  }

  #readPlaces(weights: LevelWeights, frequencies: FrequencyWeights, elsewhere: number): void {
    const { count, rows, width, lists, addresses } = this.#mentions
    const bestTogether = bestLevel(weights, AT.address, ADDRESS.unit)
    const bestApart = bestLevel(weights, AT.address, ADDRESS.near)
    const bestPlace = bestLevel(weights, AT.place, 1) + elsewhere
    const rarest = (c: number, at: number, one: number, other: number): number => {
      const field = frequencies.fields[c]!
      const bits = (text: number): number => (text === 0 ? 0 : valueBits(field, this.#mentions, text))
      return Math.max(0, bits(addresses[at + one]!), bits(addresses[at + other]!))
    }
    // Of each address: in one building, elsewhere.
    const together = new Float32Array(addresses.length / ADDRESS_WIDTH).fill(-1)
    const apart = new Float32Array(addresses.length / ADDRESS_WIDTH)
    for (let i = 0; i < count; i++) {
      const start = rows[i * width + SLOT.addresses]!
      for (let k = start; k < start + rows[i * width + SLOT.addresses + 1]!; k++) {
        const address = lists[k]!
        const at = address * ADDRESS_WIDTH
        if (together[address]! < 0) {
          apart[address] = Math.max(0, bestApart, bestPlace + rarest(AT.place, at, PART.zip, PART.city))
          const building = bestTogether + rarest(AT.address, at, PART.unit_key, PART.building)
          together[address] = Math.max(apart[address], building)
        }
        this.#together![i] = Math.max(this.#together![i]!, together[address]!)
        this.#apart![i] = Math.max(this.#apart![i]!, apart[address]!)
      }
    }
  }
}

function bestLevel({ match }: LevelWeights, c: number, from: number): number {
  return match.subarray(c * 16 + from, c * 16 + 16).reduce((best, bits) => Math.max(best, bits), 0)
}
