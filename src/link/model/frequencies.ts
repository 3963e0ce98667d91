import { nameFrequency } from '../../normalize/name-frequencies.ts'
import type { PairComparer } from '../compare/compare.ts'
import { AT, type Comparison, comparisonsOf, FIRST } from '../compare/levels.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { weightLessRepeats, type RepeatedShares, repeatedShares } from './repeats.ts'
import { textAt } from '../records/texts.ts'

/**
 * Number of records per value, counted in this run or stored with a model. Plain shared data that threads can read.
 */
export interface TermSource {
  /** Number of records that have any value, by field. */
  readonly totals: Readonly<Record<string, number>>
  /**
   * Counts of a training run, by text number. `nicknames` has, for each first name, the count of its nickname class.
   */
  readonly counted?: {
    readonly fields: Readonly<Record<string, Int32Array>>
    readonly nicknames: Int32Array
  }
  /** Counts stored with a model: one table per field, sorted by key. */
  readonly stored?: Readonly<Record<string, TermTable>>
}

export interface TermTable {
  readonly keys: Float64Array
  readonly counts: Int32Array
}

/** The field name of the counts of nickname classes. These counts are kept beside those of real fields. */
export const NICKNAME_CLASS = 'nickname_class'
/**
 * Keys of `LinkModel.agreements`. `NICKNAMES`: chance that two strangers have different first names of one nickname
 * class. `SWAPPED`: chance that first and last name of one stranger are last and first name of the other.
 */
export const NICKNAMES = 'nickname'
export const SWAPPED = 'swapped'
/** Share of records whose first and last names are swapped. */
export const SWAPPED_SHARE = 0.005

// Prior: this many people with names as frequent as in the US Census are added to the counted people. The prior
// matters in small inputs.
const CENSUS_PEOPLE = 1000
// Prior: 200 unseen people with unknown values.
const OTHER_PEOPLE = 200

/**
 * Frequency weights: the match weight that agreement on a value adds to the weight of the level. A rare value adds
 * weight, a common value subtracts weight. Weights are computed at their first use and cached per thread.
 */
export interface FrequencyWeights {
  /** Per comparison; undefined where value frequency does not count. */
  readonly fields: readonly (FieldWeights | undefined)[]
  readonly nicknames: FieldWeights
  /**
   * `swapped`: log2 of the chance that strangers have equal names with first and last name swapped. `name`: log2 of
   * the chance that both names are equal.
   */
  readonly swapped: number
  readonly name: number
  readonly isShared: readonly boolean[]
  readonly repeated: RepeatedShares
}

/** The parts of a model that frequency weights need. `comparisons` is missing before the first round of training. */
export type LearnedValues = Pick<LinkModel, 'agreements' | 'own_records' | 'repeats'> &
  Partial<Pick<LinkModel, 'comparisons'>>

interface FieldWeights {
  readonly name: string
  /** A cache by the low bits of the text number: a text number, and its weight plus `ROUNDING_BASE`. */
  readonly texts: Int32Array
  readonly weights: Float32Array
  readonly counts: Int32Array | undefined
  readonly table: TermTable | undefined
  /** Mean chance that two strangers agree in this field. */
  readonly agreement: number
  /** Expected duplicates; see `LinkModel.own_records`. */
  readonly own: number
  /** Number of records that have a value. */
  readonly total: number
  /** Prior: number of added people, and how many of them have the same value. */
  readonly others: number
  readonly otherHolders: number
  readonly isCensus: boolean
}

const CACHE_SIZE = 1 << 14
/**
 * Cached weights have this base added. Then 32-bit floats round them to multiples of 2^-18, and sums of weights are exact
 * in any order.
 */
const ROUNDING_BASE = 64

/**
 * Returns the frequency weights of the texts of a run. A weight compares the frequency of a value with the mean
 * chance of agreement (`agreements`).
 */
export function frequencyWeights(
  records: Records,
  terms: TermSource,
  learned: LearnedValues,
): FrequencyWeights {
  const { agreements, own_records: own } = learned
  const comparisons = comparisonsOf(records.attributes)
  const field = (name: string, counts: Int32Array | undefined, rest: FieldPrior): FieldWeights => {
    const isNickname = name === NICKNAME_CLASS
    return {
      name,
      texts: new Int32Array(CACHE_SIZE),
      weights: new Float32Array(CACHE_SIZE),
      counts,
      table: terms.stored?.[name],
      agreement: agreements[name] ?? 1,
      own: own[isNickname ? 'first_name' : name] ?? 0,
      total: terms.totals[isNickname ? 'first_name' : name] ?? 0,
      ...rest,
    }
  }
  const name = (agreements['first_name'] ?? 1) * (agreements['last_name'] ?? 1)
  return {
    fields: comparisons.map((comparison) => {
      const { name: of, levels } = comparison
      if (!levels.some(({ byFrequency }) => byFrequency === true)) return undefined
      return field(of, terms.counted?.fields[of], priorOf(comparison, terms.totals[of] ?? 0))
    }),
    nicknames: field(NICKNAME_CLASS, terms.counted?.nicknames, {
      others: OTHER_PEOPLE,
      otherHolders: 0,
      isCensus: false,
    }),
    swapped: Math.log2(agreements[SWAPPED] ?? 2 * SWAPPED_SHARE * name),
    name: Math.log2(name),
    isShared: comparisons.map(({ isShared }) => isShared),
    repeated: repeatedShares(records, learned),
  }
}

type FieldPrior = Pick<FieldWeights, 'others' | 'otherHolders' | 'isCensus'>

function priorOf({ name, levels }: Comparison, total: number): FieldPrior {
  const isName = name === 'first_name' || name === 'last_name'
  if (!isName) return { others: OTHER_PEOPLE, otherHolders: OTHER_PEOPLE * levels[0]!.u, isCensus: false }
  return { others: 0, otherHolders: 0, isCensus: total < 100 * CENSUS_PEOPLE }
}

/**
 * Returns the frequency weight of comparison `c` for the pair in `comparer`, without the part that other agreements
 * explain (see `repeats.ts`).
 */
export function frequencyWeight(
  weights: FrequencyWeights,
  records: Records,
  comparer: PairComparer,
  c: number,
): number {
  const bits = rarityWeight(weights, records, comparer, c)
  const { repeated } = weights
  return repeated.chance[c] === 0 ? bits : weightLessRepeats(repeated, comparer.levels, c, bits)
}

/** Returns the weight from the frequency of the value alone. */
export function rarityWeight(
  weights: FrequencyWeights,
  records: Records,
  comparer: PairComparer,
  c: number,
): number {
  const agreed = comparer.agreed[c]!
  if (agreed === 0) return 0
  const level = c === AT.first_name ? comparer.levels[c]! : 0
  if (level === FIRST.swapped) return swappedBits(weights, records, agreed, comparer.crossedLast)
  return valueWeight(level === FIRST.nickname ? weights.nicknames : weights.fields[c]!, records, agreed)
}

// A stranger has the same two names in the other order by chance, or because the stranger's names are swapped too. So
// swapped names never weigh more than equal names.
function swappedBits(weights: FrequencyWeights, records: Records, one: number, other: number): number {
  const first = weights.fields[AT.first_name]!
  const last = weights.fields[AT.last_name]!
  const straight = valueWeight(first, records, one) + valueWeight(last, records, other)
  const crossed = valueWeight(first, records, other) + valueWeight(last, records, one)
  const chance = 2 ** -Math.max(straight, crossed) + SWAPPED_SHARE * 2 ** -Math.min(straight, crossed)
  return boundedWeight(weights.swapped - weights.name - Math.log2(chance) - 1)
}

/** Returns the frequency weight of an agreement on the value `text` of a field. */
export function valueWeight(field: FieldWeights, records: Records, text: number): number {
  const at = text & (CACHE_SIZE - 1)
  if (field.texts[at] !== text) {
    field.weights[at] = computedWeight(field, records, text) + ROUNDING_BASE
    field.texts[at] = text
  }
  return field.weights[at]! - ROUNDING_BASE
}

function computedWeight(field: FieldWeights, records: Records, text: number): number {
  const { texts } = records
  const count = field.counts === undefined ? storedCount(field, records, text) : field.counts[text]!
  let people = othersWith(count, field.own) + field.otherHolders
  let among = Math.max(1, field.total - 1) + field.others
  if (field.isCensus && texts.sound[text] !== 0) {
    people += CENSUS_PEOPLE * censusShare(field.name, textAt(texts, text))
    among += CENSUS_PEOPLE
  }
  return boundedWeight(Math.log2(field.agreement / (people / among)))
}

function storedCount(field: FieldWeights, { texts }: Records, text: number): number {
  if (field.table === undefined) return 0
  const wanted =
    field.name === NICKNAME_CLASS
      ? termKey(texts.nickname[text]!, 0)
      : termKey(texts.hash[text]!, lowHash(texts, text))
  return countAt(field.table, wanted)
}

// Interpolation search: keys are evenly spread hashes, so the distance to a key follows from its difference. It needs
// about three steps where binary search needs twenty.
function countAt({ keys, counts }: TermTable, wanted: number): number {
  const last = keys.length - 1
  const perKey = keys.length / MOST_TERM_KEY
  let at = Math.min(last, Math.floor(wanted * perKey))
  for (let look = 0; look < 3; look++) {
    const step = Math.trunc((wanted - keys[at]!) * perKey)
    at = Math.max(0, Math.min(last, at + step))
  }
  while (at > 0 && keys[at]! > wanted) at--
  while (at < last && keys[at]! < wanted) at++
  return keys[at] === wanted ? counts[at]! : 0
}

const MOST_TERM_KEY = 2 ** 53

/**
 * Returns a 53-bit key of a value from two hashes: `high` has 32 bits, `low` has 21 bits. With ten million values, the
 * chance that any two share a key is about one in 200.
 */
export function termKey(high: number, low: number): number {
  return (high >>> 0) * 2_097_152 + low
}

/** Returns a 21-bit hash of a text, for `termKey`. */
export function lowHash({ bytes, starts }: Records['texts'], text: number): number {
  let hash = 0
  for (let k = starts[text]!; k < starts[text + 1]!; k++) hash = (Math.imul(hash, 31) + bytes[k]!) | 0
  return hash & 2_097_151
}

/**
 * Returns the expected number of records of other people that have a value; at least 1. `count` records have the
 * value. One of them is given, and `own` further ones are expected to be of the same person.
 */
export function othersWith(count: number, own: number): number {
  return Math.max(1, count - 1 - own)
}

function censusShare(field: string, name: string): number {
  const found = nameFrequency(name)
  if (found === undefined) return 0
  return (field === 'last_name' ? found.surname : (found.female + found.male) / 2) / 100_000
}

/** Limit of the absolute frequency weight. A value that is rarer than this is more likely a typo. */
export const MOST_FREQUENCY_WEIGHT = 12

function boundedWeight(weight: number): number {
  return Math.max(-MOST_FREQUENCY_WEIGHT, Math.min(MOST_FREQUENCY_WEIGHT, weight))
}
