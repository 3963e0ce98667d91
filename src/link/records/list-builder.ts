import { GrowingIntegers } from '../../arrays.ts'
import { ADDRESS_WIDTH, LIST_SLOTS, PART, SLOT } from './records.ts'
import { shared } from './texts.ts'

interface Target {
  /** Rows in which the builder keeps where lists stand, and attributes. */
  readonly rows: Int32Array
  readonly width: number
  readonly count: number
  /** Hashes of the texts that items are, or that addresses are made of. */
  readonly hash: Int32Array
  readonly addresses: Int32Array
}

/** Puts list items and attributes, which come in any order, where their records want them. */
export class ListBuilder {
  readonly #target: Target
  readonly #listed = LIST_SLOTS.map(() => new GrowingIntegers())
  readonly #items = LIST_SLOTS.map(() => new GrowingIntegers())
  /** What all lists take: each its items and how many they are, the one that has none as well. */
  #room = 1

  constructor(target: Target) {
    this.#target = target
  }

  /** An item of a list, by its place in LIST_SLOTS; 0 is none. */
  add(record: number, list: number, item: number): void {
    if (item === 0) return
    const { rows, width } = this.#target
    this.#listed[list]!.push(record)
    this.#items[list]!.push(item)
    // Until they have their places, how many there are.
    const items = rows[record * width + LIST_SLOTS[list]!]!++
    this.#room += items === 0 ? 2 : 1
  }

  /** Of two values of one kind in one record the same one is kept whatever the order of arrival. Attribute −1 is not compared. */
  addAttribute(record: number, attribute: number, text: number): void {
    if (attribute < 0 || text === 0) return
    const { rows, width, hash } = this.#target
    const slot = record * width + SLOT.attributes + attribute
    rows[record * width + SLOT.known]! |= 1 << attribute
    if (rows[slot] === 0 || hash[text]! < hash[rows[slot]!]!) rows[slot] = text
  }

  /** All lists, one behind the other. */
  finish(): Int32Array {
    const { rows, width, count } = this.#target
    const lists = shared(Int32Array, this.#room)
    let place = 1
    for (let record = 0; record < count; record++) {
      for (const slot of LIST_SLOTS) {
        const items = rows[record * width + slot]!
        if (items === 0) continue
        rows[record * width + slot] = place
        lists[place] = items
        place += 1 + items
      }
    }
    const filled = new Uint16Array(count)
    LIST_SLOTS.forEach((slot, kind) => {
      filled.fill(0)
      const listed = this.#listed[kind]!.view()
      const items = this.#items[kind]!.view()
      for (let k = 0; k < items.length; k++) {
        const record = listed[k]!
        lists[rows[record * width + slot]! + 1 + filled[record]!++] = items[k]!
      }
    })
    this.#sort(lists)
    return lists
  }

  // Lists in an order that their contents give, so that what is cut off or chosen first does not depend on arrival.
  #sort(lists: Int32Array): void {
    const { rows, width, count, hash, addresses } = this.#target
    for (let record = 0; record < count; record++) {
      for (const slot of LIST_SLOTS) {
        const place = rows[record * width + slot]!
        const items = lists[place]!
        if (items < 2) continue
        const keyOf = (item: number): number =>
          slot === SLOT.addresses ? hash[addresses[item * ADDRESS_WIDTH + PART.unit_key]!]! : hash[item]!
        const start = place + 1
        for (let k = start + 1; k < start + items; k++) {
          const item = lists[k]!
          const key = keyOf(item)
          let at = k
          for (; at > start && keyOf(lists[at - 1]!) > key; at--) lists[at] = lists[at - 1]!
          lists[at] = item
        }
      }
    }
  }
}
