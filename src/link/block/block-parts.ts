import { AT_PART, PARTS } from './rules.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { ADDRESS_WIDTH, isRemoved, type Records, PART, SLOT } from '../records/records.ts'
import { mixInto, shared, sharedCopy } from '../records/texts.ts'

/**
 * The values of the parts of blocking keys (`PARTS` in `rules.ts`) for every record, in arrays that the worker threads share. Few records
 * have several values of a part, so their further values lie in separate arrays.
 */
export interface BlockParts {
  readonly count: number
  /** `columns[p][i]` is the first value of part p of record i; 0 for none. */
  readonly columns: readonly Int32Array[]
  /** Further values of record i: entries `extraStarts[i]` to `extraStarts[i + 1]` of `extraParts` and `extraValues`. */
  readonly extraStarts: Int32Array
  readonly extraParts: Uint8Array
  readonly extraValues: Int32Array
}

/**
 * Computes the parts of all records. With `numbers`, computes only the parts of these records, in this order. A removed record has no parts.
 */
export function blockParts(records: Records, numbers?: Int32Array): BlockParts {
  return new PartReader(records, numbers).finish()
}

/** A record has at most 8 values of one part. Further values are left out. */
const MOST_VALUES = 8

class PartReader {
  readonly #records: Records
  readonly #columns: Int32Array[]
  readonly #extraStarts: Int32Array
  readonly #extraParts = new GrowingIntegers()
  readonly #extraValues = new GrowingIntegers()

  readonly #count: number

  constructor(records: Records, numbers: Int32Array | undefined) {
    const count = numbers?.length ?? records.count
    this.#records = records
    this.#count = count
    this.#columns = PARTS.map(() => shared(Int32Array, count))
    this.#extraStarts = shared(Int32Array, count + 1)
    for (let i = 0; i < count; i++) {
      const record = numbers === undefined ? i : numbers[i]!
      if (!isRemoved(records, record)) {
        this.#person(i, record * records.width)
        this.#places(i, record * records.width)
      }
      this.#extraStarts[i + 1] = this.#extraValues.length
    }
  }

  finish(): BlockParts {
    return {
      count: this.#count,
      columns: this.#columns,
      extraStarts: this.#extraStarts,
      extraParts: sharedCopy(Uint8Array, this.#extraParts.view()),
      extraValues: sharedCopy(Int32Array, this.#extraValues.view()),
    }
  }

  #person(i: number, row: number): void {
    const { rows, lists, texts, attributes } = this.#records
    this.#add(i, AT_PART.any, 1)
    const first = rows[row + SLOT.first]!
    const called = first === 0 ? rows[row + SLOT.last]! : first
    if (called !== 0) {
      this.#add(i, AT_PART.first_class, texts.nickname[called]!)
      this.#add(i, AT_PART.first_letter, texts.bytes[texts.starts[called]!]!)
      this.#letters(i, AT_PART.first_start, called, true, 4)
      this.#letters(i, AT_PART.first_end, called, false, 3)
    }
    const last = rows[row + SLOT.last]!
    // A name of one word may be a first or a last name, so it gives the parts of both.
    this.#lastName(i, last === 0 ? first : last, first)
    const others = rows[row + SLOT.others]!
    for (let k = others + 1; k <= others + lists[others]!; k++) this.#lastName(i, lists[k]!, first)
    this.#middleName(i, rows[row + SLOT.middle]!, first, last)
    this.#birth(i, rows[row + SLOT.birth]!)
    this.#contacts(i, row)
    for (let a = 0; a < attributes.length; a++) {
      const value = rows[row + SLOT.attributes + a]!
      if (value === 0 || attributes[a]!.kind === 'gender') continue
      const part = attributes[a]!.isIdentifier ? AT_PART.identifier : AT_PART.trait
      this.#add(i, part, mixInto(a, texts.hash[value]!))
    }
  }

  #places(i: number, row: number): void {
    const { rows, lists } = this.#records
    const addresses = rows[row + SLOT.addresses]!
    for (let k = addresses + 1; k <= addresses + lists[addresses]!; k++) this.#address(i, lists[k]!)
  }

  #lastName(i: number, last: number, first: number): void {
    if (last === 0) return
    const { texts } = this.#records
    const sound = texts.sound[last]!
    this.#add(i, AT_PART.last_sound, sound)
    this.#add(i, AT_PART.last_sound, texts.startSound[last]!)
    this.#add(i, AT_PART.last, texts.hash[last]!)
    this.#add(i, AT_PART.last_letter, texts.bytes[texts.starts[last]!]!)
    this.#letters(i, AT_PART.last_start, last, true, 3)
    this.#letters(i, AT_PART.last_end, last, false, 3)
    if (first !== 0) this.#pair(i, sound, texts.sound[first]!)
  }

  // Some people use their middle name as first name, and some sources exchange the parts of a name. So pairs with the middle name are keys too.
  #middleName(i: number, middle: number, first: number, last: number): void {
    if (middle === 0) return
    const { texts } = this.#records
    this.#add(i, AT_PART.middle_letter, texts.bytes[texts.starts[middle]!]!)
    if (texts.starts[middle + 1]! - texts.starts[middle]! < 3) return
    if (first !== 0) this.#pair(i, texts.sound[first]!, texts.sound[middle]!)
    if (last !== 0) this.#pair(i, texts.sound[last]!, texts.sound[middle]!)
  }

  #pair(i: number, one: number, other: number): void {
    this.#add(i, AT_PART.name_pair, mixInto(Math.min(one, other), Math.max(one, other)))
  }

  #birth(i: number, birth: number): void {
    if (birth === 0) return
    const year = birth >> 9
    const month = (birth >> 5) & 15
    const day = birth & 31
    if (year !== 0) this.#add(i, AT_PART.year, year)
    // Sources write January 1 for an unknown day. As a key it would put all people with an unknown day into one block.
    if (month === 0 || (month === 1 && day === 1)) return
    if (year !== 0) this.#add(i, AT_PART.year_month, year * 16 + month)
    if (day === 0) return
    const low = Math.min(month, day)
    const high = Math.max(month, day)
    this.#add(i, AT_PART.month_day, low * 32 + high)
    if (year === 0) return
    this.#add(i, AT_PART.year_day, year * 32 + day)
    this.#add(i, AT_PART.birth_date, (year * 32 + low) * 32 + high)
  }

  #address(i: number, address: number): void {
    const { addresses, texts } = this.#records
    const at = address * ADDRESS_WIDTH
    const building = addresses[at + PART.building]!
    const house = addresses[at + PART.house]!
    const street = addresses[at + PART.street]!
    const zip = addresses[at + PART.zip]!
    const city = addresses[at + PART.city]!
    if (building !== 0) this.#add(i, AT_PART.building, texts.hash[building]!)
    if (zip !== 0) this.#add(i, AT_PART.zip, texts.hash[zip]!)
    if (city !== 0) this.#add(i, AT_PART.city, texts.hash[city]!)
    if (house === 0) return
    if (zip !== 0) this.#add(i, AT_PART.house_zip, mixInto(texts.hash[house]!, texts.hash[zip]!))
    if (street !== 0) this.#add(i, AT_PART.house_street, mixInto(texts.hash[house]!, texts.hash[street]!))
  }

  #contacts(i: number, row: number): void {
    const { rows, lists, emailNames, texts } = this.#records
    const phones = rows[row + SLOT.phones]!
    for (let k = phones + 1; k <= phones + lists[phones]!; k++)
      this.#add(i, AT_PART.phone, texts.hash[lists[k]!]!)
    const emails = rows[row + SLOT.emails]!
    for (let k = emails + 1; k <= emails + lists[emails]!; k++) {
      const email = lists[k]!
      this.#add(i, AT_PART.email, texts.hash[email]!)
      const name = emailNames[email]!
      if (texts.starts[name + 1]! - texts.starts[name]! >= 5)
        this.#add(i, AT_PART.email_name, texts.hash[name]!)
    }
  }

  // Adds the first or the last letters of a name as one value. A single typo leaves one of the two values unchanged.
  #letters(i: number, part: number, text: number, isStart: boolean, count: number): void {
    const { bytes, starts } = this.#records.texts
    const length = starts[text + 1]! - starts[text]!
    if (length < count) return
    const from = isStart ? starts[text]! : starts[text + 1]! - count
    let value = 0
    for (let k = 0; k < count; k++) value = value * 64 + (bytes[from + k]! & 63)
    this.#add(i, part, value)
  }

  #add(i: number, part: number, value: number): void {
    const column = this.#columns[part]!
    // 0 means "no value" in a column, so the value 0 is stored as 1.
    const wanted = value === 0 ? 1 : value | 0
    const there = column[i]!
    if (there === 0) column[i] = wanted
    else if (there !== wanted) this.#addExtra(i, part, wanted)
  }

  #addExtra(i: number, part: number, value: number): void {
    let values = 1
    for (let k = this.#extraStarts[i]!; k < this.#extraValues.length; k++) {
      if (this.#extraParts.get(k) !== part) continue
      if (this.#extraValues.get(k) === value) return
      values++
    }
    if (values >= MOST_VALUES) return
    this.#extraParts.push(part)
    this.#extraValues.push(value)
  }
}
