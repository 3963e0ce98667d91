import { GrowingIntegers } from '../../arrays.ts'
import { ADDRESS_WIDTH, LIST_SLOTS, PART, SLOT } from './records.ts'
import { shared } from './texts.ts'

interface Target {
  /** The rows of `Records`. The builder writes the places of lists and the attributes into them. */
  readonly rows: Int32Array
  readonly width: number
  readonly count: number
  /** Hash of each text, by text id. */
  readonly hash: Int32Array
  readonly addresses: Int32Array
}

/** Builds `Records.lists`, and fills the attributes of `Records.rows`, from items that arrive in any order. */
export class ListBuilder {
  readonly #target: Target
  readonly #listed = LIST_SLOTS.map(() => new GrowingIntegers())
  readonly #items = LIST_SLOTS.map(() => new GrowingIntegers())
  /** Length of the array of all lists. It has an entry per item, one per list for its length, and one for the empty list at place 0. */
  #capacity = 1

  constructor(target: Target) {
    this.#target = target
  }

  /** Adds an item to a list of a record. `list` is an index of LIST_SLOTS. Item 0 means "none" and is ignored. */
  add(record: number, list: number, item: number): void {
    if (item === 0) return
    const { rows, width } = this.#target
    this.#listed[list]!.push(record)
    this.#items[list]!.push(item)
    // Until `finish` gives the list a place, the slot holds the number of its items.
    const items = rows[record * width + LIST_SLOTS[list]!]!++
    this.#capacity += items === 0 ? 2 : 1
  }

  /**
   * Sets an attribute of a record. When a record has two values of one kind, the value with the lower hash stays, so the result does not
   * depend on the order of arrival. Attribute −1 (a kind that the model does not compare) is ignored.
   */
  addAttribute(record: number, attribute: number, text: number): void {
    if (attribute < 0 || text === 0) return
    const { rows, width, hash } = this.#target
    const slot = record * width + SLOT.attributes + attribute
    rows[record * width + SLOT.known]! |= 1 << attribute
    if (rows[slot] === 0 || hash[text]! < hash[rows[slot]!]!) rows[slot] = text
  }

  /** Returns all lists in one array, and writes the place of each list into its row. */
  finish(): Int32Array {
    const { rows, width, count } = this.#target
    const lists = shared(Int32Array, this.#capacity)
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

  // Sorts each list by the hash of its items. Blocking uses only the first items of long lists, so the order must not depend on arrival.
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
