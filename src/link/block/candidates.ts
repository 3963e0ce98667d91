import type { Blocks } from './blocking.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import { grown } from '../../arrays.ts'

/** Finds the candidates of one record after the other: the records with which it is compared. */
export interface PairFinder {
  /** Returns the record whose candidates a unit of work finds. */
  recordOf(unit: number): number
  /** Writes the candidates of the unit's record into `candidates` and returns their number. */
  find(unit: number): number
  readonly candidates: Int32Array
}

/**
 * The pairs that an incremental run compares. The candidates of `records[r]` come from blocks `blocksOf[blockStarts[r]]` to
 * `blocksOf[blockStarts[r + 1]]`. Only records with a lower number than `records[r]` are candidates, so each pair is found once.
 */
export interface NewPairs {
  readonly records: Int32Array
  readonly blockStarts: Int32Array
  readonly blocksOf: Int32Array
}

/** Returns a finder for an incremental run, or, without `newPairs`, one for a full run, which finds all pairs of all blocks. */
export function pairFinder(records: Records, blocks: Blocks, newPairs: NewPairs | undefined): PairFinder {
  return newPairs === undefined
    ? new AllPairFinder(records, blocks)
    : new NewPairFinder(records, blocks, newPairs)
}

/** Finds all pairs of all blocks. The record with the lower number finds the pair. */
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

/** Finds the pairs in `NewPairs`. The record with the higher number finds the pair, because added records have the highest numbers. */
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
 * Collects the candidates of one record, each once, even when they share several blocks. Two records of a duplicate-free source are
 * candidates only when they share an identifier: then they are issues of one source record.
 */
class Candidates {
  count = 0
  candidates = new Int32Array(1024)
  readonly #records: Records
  /** `#stamps[j]` is `i + 1` once record j was found for record i. It needs no clearing between records. */
  readonly #stamps: Int32Array
  /** Offsets of the identifiers in the row of a record. */
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
