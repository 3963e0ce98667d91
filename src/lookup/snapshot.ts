import { type Columns, readColumns } from './columns.ts'
import { Dictionary } from './dictionary.ts'
import { Output } from './output.ts'
import { numbersOf, openStore, type Store } from './store.ts'

/** What every search of one snapshot works on: the store, the columns in memory, dictionaries, and space that is used again. */
export interface Snapshot {
  readonly store: Store
  readonly columns: Columns
  readonly personCount: number
  readonly addressCount: number
  readonly placeCount: number
  readonly words: Dictionary
  readonly streets: Dictionary
  readonly houses: Dictionary
  readonly units: Dictionary
  readonly cities: Dictionary
  /** Directionals and suffix of each shape number. */
  readonly shapes: readonly Shape[]
  readonly people: PersonSet
  readonly out: Output
}

export interface Shape {
  readonly pre: string
  readonly suffix: string
  readonly post: string
}

export function openSnapshot(lookupFolder: string): Snapshot {
  const columns = readColumns(lookupFolder)
  const shapes = new Dictionary(columns.shape_start, columns.shape_text)
  const personCount = columns.person_birth.length
  return {
    store: openStore(lookupFolder),
    columns,
    personCount,
    addressCount: columns.address_place.length,
    placeCount: columns.place_state.length,
    words: new Dictionary(columns.word_start, columns.word_text),
    streets: new Dictionary(columns.street_start, columns.street_text),
    houses: new Dictionary(columns.house_start, columns.house_text),
    units: new Dictionary(columns.unit_start, columns.unit_text),
    cities: new Dictionary(columns.city_start, columns.city_text),
    shapes: Array.from({ length: shapes.size }, (_, number) => shapeOf(shapes.text(number))),
    people: new PersonSet(personCount),
    out: new Output(),
  }
}

function shapeOf(text: string): Shape {
  const [pre = '', suffix = '', post = ''] = text.split('|')
  return { pre, suffix, post }
}

/** A posting of the store as numbers of its own; empty when there is none. */
export function posting(bytes: Buffer | undefined): Uint32Array {
  return bytes === undefined ? NOBODY : numbersOf(bytes).slice()
}

export const NOBODY = new Uint32Array(0)

/** A set of person numbers that gives them back in ascending order; a bit for each person. */
export class PersonSet {
  readonly #bits: Uint32Array

  constructor(size: number) {
    this.#bits = new Uint32Array((size + 31) >>> 5)
  }

  add(person: number): void {
    this.#bits[person >>> 5]! |= 1 << (person & 31)
  }

  addAll(people: Uint32Array): void {
    for (const person of people) this.add(person)
  }

  /** All members, ascending; the set is empty afterwards. */
  take(): Uint32Array {
    const bits = this.#bits
    let count = 0
    for (const word of bits) if (word !== 0) count += populationCount(word)
    const people = new Uint32Array(count)
    let next = 0
    for (let index = 0; index < bits.length; index++) {
      let word = bits[index]!
      if (word === 0) continue
      bits[index] = 0
      while (word !== 0) {
        const lowest = word & -word
        people[next++] = index * 32 + (31 - Math.clz32(lowest))
        word ^= lowest
      }
    }
    return people
  }
}

function populationCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555)
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
