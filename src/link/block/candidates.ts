import { grown } from '../../arrays.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import type { Blocks } from './blocking.ts'

/**
 * The pairs that an incremental run compares. The candidates of `records[r]` are in the blocks `blocksOf[blockStarts[r]]` to
 * `blocksOf[blockStarts[r + 1]]`. Only records with a lower number than `records[r]` are candidates, so each pair is found once.
 */
export interface NewPairs {
  readonly records: Int32Array
  readonly blockStarts: Int32Array
  readonly blocksOf: Int32Array
}

/** Finds the candidates of one record after the other: the records with which it is compared. */
export class PairFinder {
  /** The candidates that `find` found last. */
  candidates = new Int32Array(1024)
  #count = 0
  readonly #records: Records
  readonly #blocks: Blocks
  readonly #newPairs: NewPairs | undefined
  /** `#stamps[j]` is `i + 1` once record j was found for record i. It needs no clearing between records. */
  readonly #stamps: Int32Array
  /** Offsets of the identifiers in the row of a record. */
  readonly #identifiers: readonly number[]

  /** Without `newPairs`, finds all pairs of all blocks, each for its record with the lower number. */
  constructor(records: Records, blocks: Blocks, newPairs?: NewPairs) {
    this.#records = records
    this.#blocks = blocks
    this.#newPairs = newPairs
    this.#stamps = new Int32Array(records.count).fill(0)
    this.#identifiers = records.attributes.flatMap(({ isIdentifier }, a) =>
      isIdentifier ? [SLOT.attributes + a] : [],
    )
  }

  /** Returns the record of a unit of work: `newPairs.records[unit]`, or, without `newPairs`, record `unit`. */
  recordOf(unit: number): number {
    return this.#newPairs === undefined ? unit : this.#newPairs.records[unit]!
  }

  /** Writes the candidates of the unit's record into `candidates`, each once, and returns their number. */
  find(unit: number): number {
    const { starts, members } = this.#blocks
    const { blockStarts, blocksOf } = this.#newPairs ?? this.#blocks
    const i = this.recordOf(unit)
    const { rows, width, sources } = this.#records
    const isOfFreeSource = (sources[rows[i * width + SLOT.source]!]! & DUPLICATE_FREE) !== 0
    this.#count = 0
    for (let b = blockStarts[unit]!; b < blockStarts[unit + 1]!; b++) {
      const start = starts[blocksOf[b]!]!
      const end = starts[blocksOf[b]! + 1]!
      // The members of a block are ascending.
      if (this.#newPairs === undefined)
        for (let k = end - 1; k >= start && members[k]! > i; k--) this.#take(i, members[k]!, isOfFreeSource)
      else for (let k = start; k < end && members[k]! < i; k++) this.#take(i, members[k]!, isOfFreeSource)
    }
    return this.#count
  }

  #take(i: number, j: number, isOfFreeSource: boolean): void {
    if (this.#stamps[j] === i + 1) return
    this.#stamps[j] = i + 1
    if (isOfFreeSource && this.#isBarred(i, j)) return
    if (this.#count === this.candidates.length) this.candidates = grown(this.candidates)
    this.candidates[this.#count++] = j
  }

  // Two records of a duplicate-free source are candidates only when they share an identifier. Then they are issues of one source record.
  #isBarred(i: number, j: number): boolean {
    const { rows, width } = this.#records
    if (rows[i * width + SLOT.source] !== rows[j * width + SLOT.source]) return false
    return !this.#identifiers.some((slot) => {
      const value = rows[i * width + slot]
      return value !== 0 && value === rows[j * width + slot]
    })
  }
}
