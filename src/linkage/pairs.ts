import type { Blocks } from './blocking.ts'
import { DUPLICATE_FREE, type Mentions, SLOT } from './mentions.ts'

/** When only some pairs are wanted (a night): those of which one record is new, and all of blocks that were not compared before. */
export interface WantedPairs {
  /** Records from here on are new. */
  readonly first: number
  /** Per block. */
  readonly isWhole: Uint8Array
}

/**
 * Finds the candidates of a record: who shares a block with it. Each pair once: with the lower of its two numbers. Two
 * records of a duplicate-free source are no candidates, unless they are issues of one (they share an identifier).
 */
export class PairFinder {
  /** What `find` found, up to its count. */
  mates = new Int32Array(1024)
  readonly #mentions: Mentions
  readonly #blocks: Blocks
  readonly #wanted: WantedPairs | undefined
  /** `#stamps[j] === i + 1`: j was found for i already, in another block. */
  readonly #stamps: Int32Array
  /** Slots of identifiers in a row. */
  readonly #identifiers: readonly number[]

  constructor(mentions: Mentions, blocks: Blocks, wanted?: WantedPairs) {
    this.#mentions = mentions
    this.#blocks = blocks
    this.#wanted = wanted
    this.#stamps = new Int32Array(mentions.count)
    this.#identifiers = mentions.attributes.flatMap(({ isIdentifier }, a) =>
      isIdentifier ? [SLOT.attributes + a] : [],
    )
  }

  /** Fills `mates` with the candidates of `i` above it; returns how many. */
  find(i: number): number {
    const { starts, members, blockStarts, blocksOf } = this.#blocks
    const { rows, width, sources } = this.#mentions
    const source = rows[i * width + SLOT.source]!
    const isFree = (sources[source]! & DUPLICATE_FREE) !== 0
    const stamp = i + 1
    let found = 0
    for (let b = blockStarts[i]!; b < blockStarts[i + 1]!; b++) {
      const block = blocksOf[b]!
      const least = this.#leastMate(i, block)
      const start = starts[block]!
      const end = starts[block + 1]!
      if (found + end - start > this.mates.length) this.#grow(found + end - start)
      for (let k = end - 1; k >= start; k--) {
        const j = members[k]!
        if (j < least) break
        if (this.#stamps[j] === stamp) continue
        this.#stamps[j] = stamp
        if (!isFree || rows[j * width + SLOT.source] !== source || this.#shareIdentifier(i, j))
          this.mates[found++] = j
      }
    }
    return found
  }

  #leastMate(i: number, block: number): number {
    if (this.#wanted === undefined || this.#wanted.isWhole[block] === 1) return i + 1
    return Math.max(i + 1, this.#wanted.first)
  }

  #shareIdentifier(i: number, j: number): boolean {
    const { rows, width } = this.#mentions
    return this.#identifiers.some((slot) => {
      const value = rows[i * width + slot]
      return value !== 0 && value === rows[j * width + slot]
    })
  }

  #grow(length: number): void {
    const mates = new Int32Array(length * 2)
    mates.set(this.mates)
    this.mates = mates
  }
}
