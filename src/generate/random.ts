import { fnvOfText } from '../hash.ts'

/**
 * Deterministic numbers. Only 32-bit integer arithmetic, exact divisions and comparisons: `Math.log`, `Math.pow` and their
 * like may differ in the last bit between engines, and a world must be the same bytes on every machine.
 */

/** The number of a named stream of decisions, so that one more decision of a kind does not shift all others. */
export function stream(name: string): number {
  return fnvOfText(name) >>> 0
}

/** 32 well-mixed bits of three numbers. */
export function mix(a: number, b: number, c: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul((hash ^ (hash >>> 15)) + b, 0xc2b2ae35)
  hash = Math.imul((hash ^ (hash >>> 13)) + c, 0x27d4eb2f)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A sequence of random numbers (mulberry32) that starts anew for every thing it is asked about. */
export class Random {
  private readonly seed: number
  private state = 0

  constructor(seed: number) {
    this.seed = seed >>> 0
  }

  /** Starts the sequence that belongs to thing `index` in a stream; the same every time. Returns itself. */
  at(streamNumber: number, index: number): this {
    this.state = mix(this.seed, streamNumber, index)
    return this
  }

  /** 32 random bits. */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }

  /** In [0, 1). */
  next(): number {
    return this.bits() / 4_294_967_296
  }

  /** A whole number in [0, below). */
  int(below: number): number {
    return Math.floor(this.next() * below)
  }

  /** A whole number in [from, to], both inclusive. */
  between(from: number, to: number): number {
    return from + this.int(to - from + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!
  }
}

/** Values with weights, drawn by binary search over the running totals. */
export class Weighted<T> {
  private readonly values: readonly T[]
  private readonly totals: Float64Array

  constructor(values: readonly T[], weights: readonly number[]) {
    this.values = values
    this.totals = new Float64Array(values.length)
    let total = 0
    for (let i = 0; i < values.length; i += 1) {
      total += weights[i]!
      this.totals[i] = total
    }
  }

  get length(): number {
    return this.values.length
  }

  value(index: number): T {
    return this.values[index]!
  }

  drawIndex(random: Random): number {
    const target = random.next() * this.totals[this.totals.length - 1]!
    let low = 0
    let high = this.totals.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.totals[middle]! > target) high = middle
      else low = middle + 1
    }
    return low
  }

  draw(random: Random): T {
    return this.values[this.drawIndex(random)]!
  }
}
