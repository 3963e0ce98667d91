import { PairComparer } from '../compare/compare.ts'
import { type Conflict, conflictOf } from '../compare/conflicts.ts'
import type { AppliedModel } from '../model/applied-model.ts'
import { frequencyWeight } from '../model/frequencies.ts'
import { AT, comparisonsOf, FIRST } from '../compare/levels.ts'
import { namesIn } from '../compare/name-agreement.ts'
import { groupSizeWeight } from '../model/group-size.ts'
import { householdCorrection } from '../model/weights.ts'

/**
 * The evidence of one pair of records, per comparison: `match` for "one person", `household` for "one household".
 * Values are match weights (log2). For comparisons of multi-valued fields they are likelihood ratios (2 to the
 * weight). `isKnown` is 0 where one of the records has no value.
 */
export interface PairEvidence {
  readonly match: Float64Array
  readonly household: Float64Array
  readonly isKnown: Uint8Array
}

/** Gives the evidence between any two records. */
export interface Evidence {
  /** Number of comparisons. */
  readonly width: number
  /**
   * Per comparison, 1 for a multi-valued field: a person may have several values, so different values do not
   * contradict.
   */
  readonly isMultiValued: Uint8Array
  readonly prior: number
  readonly householdPrior: number
  /** Weights by the number of records of a group; see `groupSizeWeights`. */
  readonly people: Float64Array
  /** Least match weight of an edge. Only groups with an edge between them can become one. */
  readonly edgesFrom: number
  /**
   * Writes the evidence of a pair into `into`. Returns `cluster` when a conflict keeps the two records out of one cluster,
   * `edge` when a conflict only forbids an edge, and undefined without a conflict.
   */
  readonly read: (i: number, j: number, into: PairEvidence) => Conflict['bars'] | undefined
}

/** Returns the evidence by a model and by the conflict rules. */
export function evidenceOf({ records, weights, frequencies }: AppliedModel, edgesFrom: number): Evidence {
  const comparer = new PairComparer(records)
  const comparisons = comparisonsOf(records.attributes)
  const isMultiValued = Uint8Array.from(comparisons, (one) => (one.isMultiValued === true ? 1 : 0))
  // Most agreements have no frequency weight. Their powers of two are computed once here instead of once per pair.
  const matchOdds = weights.match.map((bits) => 2 ** bits)
  const householdOdds = weights.household.map((bits) => 2 ** bits)
  const width = comparisons.length
  return {
    width,
    isMultiValued,
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
        const frequency = agreed[c] === 0 ? 0 : frequencyWeight(frequencies, records, comparer, c)
        const common = frequencies.isShared[c]! ? frequency : 0
        if (isMultiValued[c] === 0) {
          match[c] = weights.match[at]! + frequency
          household[c] = weights.household[at]! + common
        } else {
          match[c] = frequency === 0 ? matchOdds[at]! : 2 ** (weights.match[at]! + frequency)
          household[c] = common === 0 ? householdOdds[at]! : 2 ** (weights.household[at]! + common)
        }
      }
      // The level "swapped" covers the first and the last name. Half of its weight goes to each of the two
      // comparisons, so that a group does not count the last name twice.
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
 * Computes the match weight of every two groups of some records.
 * The weight of two groups is a sum over comparisons, like the weight of a pair. Each comparison is averaged over all
 * pairs between the groups that have both values. For single-valued fields (birth date) the weights are averaged. For
 * multi-valued fields (addresses, surnames) the likelihood ratios are averaged, so one agreeing value outweighs
 * several different ones.
 * Groups without an edge between them never become one person, whatever their weight is. Otherwise chance agreements
 * of several records could add up: an address of one record and a phone of another.
 */
export class GroupSums {
  readonly #evidence: Evidence
  readonly #pair: PairEvidence
  /**
   * Per pair of groups (a cell) and comparison: the sums over pairs of records, and how many pairs have both values.
   */
  #match = new Float64Array(0)
  #household = new Float64Array(0)
  #known = new Int32Array(0)
  #isBarred = new Uint8Array(0)
  #isTied = new Uint8Array(0)
  #bits = new Float64Array(0)
  /** Number of records of each group. */
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

  /** Starts with each member as a group of its own. Group numbers are positions in `members`. */
  start(members: Int32Array): void {
    this.#size = members.length
    this.#records = new Int32Array(this.#size).fill(1)
    this.#reserve(this.#size * this.#size)
    for (let a = 0; a < this.#size; a++) {
      for (let b = a + 1; b < this.#size; b++) {
        this.#read(members[a]!, members[b]!, this.#cell(a, b))
      }
    }
  }

  /** Returns the match weight of the groups `a` and `b`; −Infinity when no edge ties them or a conflict bars them. */
  bits(a: number, b: number): number {
    const cell = this.#cell(a, b)
    if (this.#isTied[cell] === 0) return Number.NEGATIVE_INFINITY
    return this.#bits[cell]! + groupSizeWeight(this.#evidence.people, this.#records[a]!, this.#records[b]!)
  }

  /**
   * Joins group `from` into group `into`: adds the evidence of `from` towards each remaining group (`isJoined` 0) to
   * that of `into`.
   */
  join(into: number, from: number, isJoined: Uint8Array): void {
    this.#records[into]! += this.#records[from]!
    for (let other = 0; other < this.#size; other++) {
      if (isJoined[other] === 1 || other === into) continue
      const cell = this.#cell(into, other)
      this.#add(cell, this.#cell(from, other))
      // `bits` returns −Infinity for untied groups without reading their weight, and most groups of a component are
      // untied.
      if (this.#isTied[cell] === 1) this.#weigh(cell)
    }
  }

  /**
   * Returns the match weight of two given sets of records, also when no edge ties them. The sets must not overlap.
   */
  between(lefts: readonly number[], rights: readonly number[]): number {
    this.#reserve(2)
    const [pairs, pair] = [0, 1]
    this.#clear(pairs)
    for (const left of lefts) {
      for (const right of rights) {
        this.#read(left, right, pair)
        this.#add(pairs, pair)
      }
    }
    this.#weigh(pairs)
    return this.#bits[pairs]! + groupSizeWeight(this.#evidence.people, lefts.length, rights.length)
  }

  #cell(a: number, b: number): number {
    return a < b ? a * this.#size + b : b * this.#size + a
  }

  #reserve(cells: number): void {
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
    const { width, isMultiValued, prior, householdPrior } = this.#evidence
    let bits = prior
    let common = householdPrior
    // Multiply the likelihood ratios, so that one logarithm is enough.
    let likelihood = 1
    let commonLikelihood = 1
    for (let c = 0; c < width; c++) {
      const known = this.#known[cell * width + c]!
      if (known === 0) continue
      const match = this.#match[cell * width + c]! / known
      const household = this.#household[cell * width + c]! / known
      if (isMultiValued[c] === 1) {
        likelihood *= match
        commonLikelihood *= household
      } else {
        bits += match
        common += household
      }
    }
    bits += Math.log2(likelihood)
    common += Math.log2(commonLikelihood)
    this.#bits[cell] = bits - householdCorrection(common)
  }
}
