import { fnvOfText } from '../hash.ts'

/**
 * Random numbers that are the same on every machine. This file uses only 32-bit integer arithmetic, exact divisions and
 * comparisons: `Math.log` and `Math.pow` may differ in the last bit between engines.
 */

/** Returns the number of a stream of random numbers. Each kind of decision has its own stream, so one more decision changes no other kind. */
export function stream(name: string): number {
  return fnvOfText(name) >>> 0
}

/** Returns 32 random bits that depend on three numbers. */
export function mix(a: number, b: number, c: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul((hash ^ (hash >>> 15)) + b, 0xc2b2ae35)
  hash = Math.imul((hash ^ (hash >>> 13)) + c, 0x27d4eb2f)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A sequence of random numbers (mulberry32) that starts again at each call of `at`. */
export class Random {
  private readonly seed: number
  private state = 0

  constructor(seed: number) {
    this.seed = seed >>> 0
  }

  /** Starts the sequence of row `index` in a stream. The same row has the same sequence every time. Returns itself. */
  at(streamNumber: number, index: number): this {
    this.state = mix(this.seed, streamNumber, index)
    return this
  }

  /** Returns 32 random bits. */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }

  /** Returns a number in [0, 1). */
  next(): number {
    return this.bits() / 4_294_967_296
  }

  /** Returns a whole number in [0, below). */
  int(below: number): number {
    return Math.floor(this.next() * below)
  }

  /** Returns a whole number in [from, to]. */
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

/** Draws values by their weights. A binary search over the running totals finds the value. */
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
