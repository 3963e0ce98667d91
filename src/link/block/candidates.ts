import type { Blocks } from './blocking.ts'
import { DUPLICATE_FREE, type Mentions, SLOT } from '../records/mentions.ts'
import { grown } from '../../arrays.ts'

/** Finds the candidates of one record after the other. */
export interface PairFinder {
  /** Returns the record that looks for candidates in a unit of work. */
  recordOf(unit: number): number
  /** Writes the candidates of the unit's record into `mates` and returns their number. */
  find(unit: number): number
  readonly mates: Int32Array
}

/**
 * Records that look for candidates in an incremental run: `records[r]` looks in blocks `blocksOf[blockStarts[r]]` to
 * `blocksOf[blockStarts[r + 1]]`, and only at records with lower numbers, so that each pair is found once.
 */
export interface NewPairs {
  readonly records: Int32Array
  readonly blockStarts: Int32Array
  readonly blocksOf: Int32Array
}

/** Returns the finder of a full run, in which every record looks in all of its blocks, or that of an incremental run. */
export function pairFinder(mentions: Mentions, blocks: Blocks, newPairs: NewPairs | undefined): PairFinder {
  return newPairs === undefined
    ? new AllPairFinder(mentions, blocks)
    : new NewPairFinder(mentions, blocks, newPairs)
}

/** Finds each pair once, with the lower of its two numbers. */
class AllPairFinder implements PairFinder {
  readonly #blocks: Blocks
  readonly #found: Mates

  constructor(mentions: Mentions, blocks: Blocks) {
    this.#blocks = blocks
    this.#found = new Mates(mentions)
  }

  get mates(): Int32Array {
    return this.#found.mates
  }

  recordOf(unit: number): number {
    return unit
  }

  find(i: number): number {
    const { starts, members, blockStarts, blocksOf } = this.#blocks
    const found = this.#found
    found.begin(i)
    for (let b = blockStarts[i]!; b < blockStarts[i + 1]!; b++) {
      const start = starts[blocksOf[b]!]!
      for (let k = starts[blocksOf[b]! + 1]! - 1; k >= start && members[k]! > i; k--) found.take(members[k]!)
    }
    return found.count
  }
}

/** Finds each pair once, with the higher of its two numbers: added records have the highest. */
class NewPairFinder implements PairFinder {
  readonly #blocks: Blocks
  readonly #pairs: NewPairs
  readonly #found: Mates

  constructor(mentions: Mentions, blocks: Blocks, pairs: NewPairs) {
    this.#blocks = blocks
    this.#pairs = pairs
    this.#found = new Mates(mentions)
  }

  get mates(): Int32Array {
    return this.#found.mates
  }

  recordOf(unit: number): number {
    return this.#pairs.records[unit]!
  }

  find(unit: number): number {
    const { starts, members } = this.#blocks
    const { blockStarts, blocksOf } = this.#pairs
    const found = this.#found
    const i = this.recordOf(unit)
    found.begin(i)
    for (let b = blockStarts[unit]!; b < blockStarts[unit + 1]!; b++) {
      const end = starts[blocksOf[b]! + 1]!
      for (let k = starts[blocksOf[b]!]!; k < end && members[k]! < i; k++) found.take(members[k]!)
    }
    return found.count
  }
}

/**
 * The candidates of one record, each once however many blocks they share. Two records of a duplicate-free source are no
 * candidates, unless they are issues of one (they share an identifier).
 */
class Mates {
  count = 0
  mates = new Int32Array(1024)
  readonly #mentions: Mentions
  /** `#stamps[j] === i + 1`: j was found for i already, in another block. */
  readonly #stamps: Int32Array
  /** Slots of identifiers in a row. */
  readonly #identifiers: readonly number[]
  #record = 0
  #source = 0
  #isFree = false

  constructor(mentions: Mentions) {
    this.#mentions = mentions
    this.#stamps = new Int32Array(mentions.count).fill(0)
    this.#identifiers = mentions.attributes.flatMap(({ isIdentifier }, a) =>
      isIdentifier ? [SLOT.attributes + a] : [],
    )
  }

  begin(record: number): void {
    const { rows, width, sources } = this.#mentions
    this.count = 0
    this.#record = record
    this.#source = rows[record * width + SLOT.source]!
    this.#isFree = (sources[this.#source]! & DUPLICATE_FREE) !== 0
  }

  take(mate: number): void {
    if (this.#stamps[mate] === this.#record + 1) return
    this.#stamps[mate] = this.#record + 1
    const { rows, width } = this.#mentions
    if (this.#isFree && rows[mate * width + SLOT.source] === this.#source && !this.#sharesIdentifier(mate))
      return
    if (this.count === this.mates.length) this.mates = grown(this.mates)
    this.mates[this.count++] = mate
  }

  #sharesIdentifier(mate: number): boolean {
    const { rows, width } = this.#mentions
    return this.#identifiers.some((slot) => {
      const value = rows[this.#record * width + slot]
      return value !== 0 && value === rows[mate * width + slot]
    })
  }
}
