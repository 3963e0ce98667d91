import { PairComparer } from '../compare/compare.ts'
import { type Conflict, conflictOf } from '../compare/conflicts.ts'
import type { AppliedModel } from '../model/applied-model.ts'
import { frequencyBits } from '../model/frequencies.ts'
import { AT, comparisonsOf, FIRST } from '../compare/levels.ts'
import { namesIn } from '../compare/name-agreement.ts'
import { groupBits } from '../model/people-bits.ts'
import { householdBits } from '../model/weights.ts'

/**
 * What each comparison of two records says for "one person" and for "one household", in bits, or as a likelihood (2 to the bits) where a
 * person may have several values; 0 in `isKnown` where one of the two does not know.
 */
export interface PairEvidence {
  readonly match: Float64Array
  readonly household: Float64Array
  readonly isKnown: Uint8Array
}

/** What there is to say of any two records. */
export interface Evidence {
  /** How many comparisons. */
  readonly width: number
  /** Per comparison 1 where a person may have several values, so that another one is no contradiction. */
  readonly several: Uint8Array
  readonly prior: number
  readonly householdPrior: number
  /** What groups gain or lose by how many records they have: see `peopleBits`. */
  readonly people: Float64Array
  /** Least bits of a pair that ties the groups of its two. */
  readonly edgesFrom: number
  /** Fills in what a pair says, and gives what keeps the two apart, if anything. */
  readonly read: (i: number, j: number, into: PairEvidence) => Conflict['bars'] | undefined
}

/** Evidence by a model, conflicts included. */
export function evidenceOf({ records, weights, frequencies }: AppliedModel, edgesFrom: number): Evidence {
  const comparer = new PairComparer(records)
  const comparisons = comparisonsOf(records.attributes)
  const several = Uint8Array.from(comparisons, ({ isSeveral }) => (isSeveral === true ? 1 : 0))
  // Most levels have no frequency: their powers are taken once, not of every pair.
  const matchOdds = weights.match.map((bits) => 2 ** bits)
  const householdOdds = weights.household.map((bits) => 2 ** bits)
  const width = comparisons.length
  return {
    width,
    several,
    prior: weights.prior,
    householdPrior: weights.householdPrior,
    people: weights.people,
    edgesFrom,
    read: (i, j, { match, household, isKnown }) => {
      comparer.compare(i, j)
      const bars = conflictOf(records, comparer, i, j)?.bars
      if (bars === 'cluster') return bars
      const { levels, agreed } = comparer
      const start = namesIn(comparer) * width * 16
      for (let c = 0; c < width; c++) {
        const level = levels[c]!
        isKnown[c] = level === 0 ? 0 : 1
        if (level === 0) continue
        const at = start + c * 16 + level
        const frequency = agreed[c] === 0 ? 0 : frequencyBits(frequencies, records, comparer, c)
        const common = frequencies.isShared[c]! ? frequency : 0
        if (several[c] === 0) {
          match[c] = weights.match[at]! + frequency
          household[c] = weights.household[at]! + common
        } else {
          match[c] = frequency === 0 ? matchOdds[at]! : 2 ** (weights.match[at]! + frequency)
          household[c] = common === 0 ? householdOdds[at]! : 2 ** (weights.household[at]! + common)
        }
      }
      // Swapped names say of both names what they say: beside another pair's last name they must not count it twice.
      if (levels[AT.first_name] === FIRST.swapped) {
        isKnown[AT.last_name] = 1
        match[AT.first_name] = match[AT.last_name] = Math.sqrt(match[AT.first_name]!)
        household[AT.first_name] = household[AT.last_name] = Math.sqrt(household[AT.first_name]!)
      }
      return bars
    },
  }
}

/**
 * The weight of every two groups of some members. Groups are weighed as people are, comparison by comparison over all
 * pairs of their records that know both sides: of what a person has one of (a birth date) the mean of the bits counts, of what a
 * person may have several of (addresses, surnames) the mean of the likelihoods, so that one that fits outweighs others that do not.
 * Groups without an edge between them are not one person, whatever adds up: this man's address, that one's telephone.
 */
export class GroupSums {
  readonly #evidence: Evidence
  readonly #pair: PairEvidence
  /** Per two groups and comparison: sums over their pairs, and how many pairs know it. */
  #match = new Float64Array(0)
  #household = new Float64Array(0)
  #known = new Int32Array(0)
  #isBarred = new Uint8Array(0)
  #isTied = new Uint8Array(0)
  #bits = new Float64Array(0)
  /** How many records each group has. */
  #records = new Int32Array(0)
  #size = 0

  constructor(evidence: Evidence) {
    this.#evidence = evidence
    const { width } = evidence
    this.#pair = {
      match: new Float64Array(width),
      household: new Float64Array(width),
      isKnown: new Uint8Array(width),
    }
  }

  /** Starts with every member a group of its own. */
  start(members: Int32Array): void {
    this.#size = members.length
    this.#records = new Int32Array(this.#size).fill(1)
    this.#makeRoom(this.#size * this.#size)
    for (let a = 0; a < this.#size; a++) {
      for (let b = a + 1; b < this.#size; b++) {
        this.#read(members[a]!, members[b]!, this.#cell(a, b))
      }
    }
  }

  /** Bits for "groups `a` and `b` are one person"; −Infinity where no edge ties them, or they can never be. */
  bits(a: number, b: number): number {
    const cell = this.#cell(a, b)
    if (this.#isTied[cell] === 0) return Number.NEGATIVE_INFINITY
    return this.#bits[cell]! + groupBits(this.#evidence.people, this.#records[a]!, this.#records[b]!)
  }

  /** Group `from` becomes part of `into`: what it has to say of every other group (`isJoined` 0) is added to what `into` has. */
  join(into: number, from: number, isJoined: Uint8Array): void {
    this.#records[into]! += this.#records[from]!
    for (let other = 0; other < this.#size; other++) {
      if (isJoined[other] === 1 || other === into) continue
      const cell = this.#cell(into, other)
      this.#add(cell, this.#cell(from, other))
      // Others are not asked for: most pairs of a component are of people who have no edge.
      if (this.#isTied[cell] === 1) this.#weigh(cell)
    }
  }

  /** Bits of two groups that are given, whatever joined them; no record is in both. */
  between(lefts: readonly number[], rights: readonly number[]): number {
    this.#makeRoom(2)
    const [pairs, pair] = [0, 1]
    this.#clear(pairs)
    for (const left of lefts) {
      for (const right of rights) {
        this.#read(left, right, pair)
        this.#add(pairs, pair)
      }
    }
    this.#weigh(pairs)
    return this.#bits[pairs]! + groupBits(this.#evidence.people, lefts.length, rights.length)
  }

  #cell(a: number, b: number): number {
    return a < b ? a * this.#size + b : b * this.#size + a
  }

  #makeRoom(cells: number): void {
    if (this.#bits.length >= cells) return
    const { width } = this.#evidence
    this.#match = new Float64Array(cells * width)
    this.#household = new Float64Array(cells * width)
    this.#known = new Int32Array(cells * width)
    this.#isBarred = new Uint8Array(cells)
    this.#isTied = new Uint8Array(cells)
    this.#bits = new Float64Array(cells)
  }

  #read(i: number, j: number, cell: number): void {
    const { width } = this.#evidence
    const { match, household, isKnown } = this.#pair
    const bars = this.#evidence.read(i, j, this.#pair)
    this.#isBarred[cell] = bars === 'cluster' ? 1 : 0
    this.#isTied[cell] = 0
    if (bars === 'cluster') return
    const at = cell * width
    for (let c = 0; c < width; c++) {
      this.#known[at + c] = isKnown[c]!
      this.#match[at + c] = isKnown[c] === 0 ? 0 : match[c]!
      this.#household[at + c] = isKnown[c] === 0 ? 0 : household[c]!
    }
    this.#weigh(cell)
    this.#isTied[cell] = bars === undefined && this.#bits[cell]! >= this.#evidence.edgesFrom ? 1 : 0
  }

  #clear(cell: number): void {
    const { width } = this.#evidence
    this.#isBarred[cell] = 0
    this.#isTied[cell] = 0
    this.#match.fill(0, cell * width, (cell + 1) * width)
    this.#household.fill(0, cell * width, (cell + 1) * width)
    this.#known.fill(0, cell * width, (cell + 1) * width)
  }

  #add(cell: number, other: number): void {
    const { width } = this.#evidence
    this.#isBarred[cell]! |= this.#isBarred[other]!
    this.#isTied[cell]! |= this.#isTied[other]!
    if (this.#isBarred[cell] === 1) return
    for (let c = 0; c < width; c++) {
      this.#match[cell * width + c]! += this.#match[other * width + c]!
      this.#household[cell * width + c]! += this.#household[other * width + c]!
      this.#known[cell * width + c]! += this.#known[other * width + c]!
    }
  }

  #weigh(cell: number): void {
    if (this.#isBarred[cell] === 1) {
      this.#bits[cell] = Number.NEGATIVE_INFINITY
      return
    }
    const { width, several, prior, householdPrior } = this.#evidence
    let bits = prior
    let common = householdPrior
    // One logarithm for all comparisons of likelihoods.
    let likelihood = 1
    let commonLikelihood = 1
    for (let c = 0; c < width; c++) {
      const known = this.#known[cell * width + c]!
      if (known === 0) continue
      const match = this.#match[cell * width + c]! / known
      const household = this.#household[cell * width + c]! / known
      if (several[c] === 1) {
        likelihood *= match
        commonLikelihood *= household
      } else {
        bits += match
        common += household
      }
    }
    bits += Math.log2(likelihood)
    common += Math.log2(commonLikelihood)
    this.#bits[cell] = bits - householdBits(common)
  }
}
