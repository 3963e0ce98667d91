import type { Blocks } from './blocking.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import { grown } from '../../arrays.ts'

/** Finds the candidates of one record after the other. */
export interface PairFinder {
  /** Returns the record that looks for candidates in a unit of work. */
  recordOf(unit: number): number
  /** Writes the candidates of the unit's record into `candidates` and returns their number. */
  find(unit: number): number
  readonly candidates: Int32Array
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
export function pairFinder(records: Records, blocks: Blocks, newPairs: NewPairs | undefined): PairFinder {
  return newPairs === undefined
    ? new AllPairFinder(records, blocks)
    : new NewPairFinder(records, blocks, newPairs)
}

/** Finds each pair once, with the lower of its two numbers. */
class AllPairFinder implements PairFinder {
  readonly #blocks: Blocks
  readonly #found: Candidates

  constructor(records: Records, blocks: Blocks) {
    this.#blocks = blocks
    this.#found = new Candidates(records)
  }

  get candidates(): Int32Array {
    return this.#found.candidates
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
  readonly #found: Candidates

  constructor(records: Records, blocks: Blocks, pairs: NewPairs) {
    this.#blocks = blocks
    this.#pairs = pairs
    this.#found = new Candidates(records)
  }

  get candidates(): Int32Array {
    return this.#found.candidates
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
class Candidates {
  count = 0
  candidates = new Int32Array(1024)
  readonly #records: Records
  /** `#stamps[j] === i + 1`: j was found for i already, in another block. */
  readonly #stamps: Int32Array
  /** Slots of identifiers in a row. */
  readonly #identifiers: readonly number[]
  #record = 0
  #source = 0
  #isFree = false

  constructor(records: Records) {
    this.#records = records
    this.#stamps = new Int32Array(records.count).fill(0)
    this.#identifiers = records.attributes.flatMap(({ isIdentifier }, a) =>
      isIdentifier ? [SLOT.attributes + a] : [],
    )
  }

  begin(record: number): void {
    const { rows, width, sources } = this.#records
    this.count = 0
    this.#record = record
    this.#source = rows[record * width + SLOT.source]!
    this.#isFree = (sources[this.#source]! & DUPLICATE_FREE) !== 0
  }

  take(candidate: number): void {
    if (this.#stamps[candidate] === this.#record + 1) return
    this.#stamps[candidate] = this.#record + 1
    const { rows, width } = this.#records
    if (
      this.#isFree &&
      rows[candidate * width + SLOT.source] === this.#source &&
      !this.#sharesIdentifier(candidate)
    )
      return
    if (this.count === this.candidates.length) this.candidates = grown(this.candidates)
    this.candidates[this.count++] = candidate
  }

  #sharesIdentifier(candidate: number): boolean {
    const { rows, width } = this.#records
    return this.#identifiers.some((slot) => {
      const value = rows[this.#record * width + slot]
      return value !== 0 && value === rows[candidate * width + slot]
    })
  }
}
