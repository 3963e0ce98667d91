import { AT, ATTRIBUTE, ADDRESS, BIRTH, comparisonsOf, EMAIL, PHONE } from '../compare/levels.ts'
import type { Attribute } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, NAMES, namesOf } from '../compare/name-agreement.ts'
import { frequenciesIn, levelIn, type PatternCounts } from './patterns.ts'
import { householdBits, levelWeights } from './weights.ts'

/** A reason to refuse a model. */
export interface ModelFault {
  readonly check: 'contradiction' | 'order' | 'pairs' | 'birth_dates' | 'anchors' | 'growth'
  /** One sentence with the figures and the limit. Names of comparisons and levels only, never values. */
  readonly what: string
}

/** How the pairs of a run stand to each other, and what the run made of them. */
export interface Evidence {
  readonly attributes: readonly Attribute[]
  /** Patterns of candidate pairs, each counted `scale` times, with the frequency weights of the model that is checked. */
  readonly candidates: PatternCounts
  readonly scale: number
  readonly records: number
  /** Pairs of records that can be compared at all. */
  readonly totalPairs: number
  /** Pairs of records that ended in one cluster. */
  readonly foundPairs: number
  /** Clusters with two whole birth dates or more, and the mean share of their pairs of dates that contradict each other. */
  readonly datedClusters: number
  readonly contradicting: number
}

/** In fewer records the priors of training still carry the model, and shares are too uncertain to refuse it by. */
const LEAST_RECORDS = 1000
/** From so many pairs on a share says something: its standard error is below .06. */
const ENOUGH_PAIRS = 80

/**
 * Reasons against a model that was just learned; none for a good one. `before` is the model that it would replace. Limits are wide: a model
 * that is refused wrongly costs recall, and every limit that depends on the data yields to what the anchors of the same data show.
 */
export function modelFaults(model: LinkModel, evidence: Evidence, before?: LinkModel): ModelFault[] {
  if (evidence.records < LEAST_RECORDS) return []
  const anchors = anchorsOf(evidence)
  const matched = matchedLevels(model, evidence)
  return [
    ...contradictions(model, anchors, matched),
    ...disorder(model, evidence.attributes, matched),
    ...pairCounts(model, evidence),
    ...birthDates(evidence, anchors),
    ...calibration(model, evidence),
    ...growth(model, evidence, before),
  ]
}

/**
 * Highest plausible m of the levels that contradict "one person". Public sets and registers have .01 to .15 there (two typos in a date,
 * a first name nobody else uses); marriage moves last names further. Homes, telephones, e-mail addresses and places change, so their
 * "different" contradicts nothing and has no limit.
 */
const MOST_CONTRADICTED: Readonly<Record<string, number>> = {
  first_name: 0.3,
  last_name: 0.4,
  middle_name: 0.45,
  name_suffix: 0.35,
  birth_date: 0.3,
  gender: 0.25,
}
/** The data itself may contradict more often: then so many times what its anchors show is still plausible. */
const ANCHOR_FACTOR = 2
/** Beyond it the column says nothing about who somebody is, or what training took for one person are several. */
const MOST_IN_ANY_DATA = 0.6

function contradictions({ comparisons }: LinkModel, anchors: Anchors, matched: MatchedLevels): ModelFault[] {
  return comparisons.flatMap(({ comparison, levels }) => {
    const limit = MOST_CONTRADICTED[comparison]
    const m = levels.find(({ level }) => level === 'different')?.m
    if (limit === undefined || m === undefined || m <= limit) return []
    if (matched.known(comparison) < ENOUGH_PAIRS) return []
    const shown = anchors.share(comparison, levels.length)
    if (m <= plausible(limit, shown)) return []
    const seen =
      shown === null ? '' : `; pairs that are surely one person contradict each other in ${percent(shown)}`
    return [
      { check: 'contradiction', what: `${words(comparison)} is said to be different in ${percent(m)} of the pairs of one person, at most ${percent(limit)} is plausible${seen}` } as const, // prettier-ignore
    ]
  })
}

function plausible(limit: number, shown: number | null): number {
  return Math.max(limit, Math.min(MOST_IN_ANY_DATA, ANCHOR_FACTOR * (shown ?? 0)))
}

/** Of each pair the second level agrees less than the first: it must not weigh more. Levels that cannot be ranked are in no pair. */
const ORDER: Readonly<Record<string, readonly (readonly [better: string, worse: string])[]>> = {
  first_name: [['exact', 'sound'], ['exact', 'similar'], ['near', 'different'], ['similar', 'different']],
  middle_name: [['exact', 'different'], ['initial', 'different'], ['near', 'different']],
  last_name: [['exact', 'sound'], ['exact', 'similar'], ['near', 'different'], ['similar', 'different']],
  name_suffix: [['same', 'different']],
  birth_date: [['exact', 'one_digit'], ['exact', 'year'], ['exact', 'close_year'], ['one_digit', 'close_year'], ['one_digit', 'different'], ['year', 'different']],
  address: [['unit', 'street'], ['near', 'different'], ['street', 'different']],
  place: [['zip', 'state'], ['city', 'state'], ['city', 'different'], ['state', 'different']],
  phone: [['same', 'near'], ['same', 'different'], ['near', 'different']],
  email: [['same', 'near'], ['same', 'name'], ['same', 'different'], ['near', 'different']],
} // prettier-ignore
const ORDER_OF_NUMBERS = [['same', 'near'], ['same', 'different']] as const // prettier-ignore
/** Weights of levels differ by chance; one bit doubles the odds. */
const ORDER_SLACK = 1
/** An exact agreement has its weight mostly from how rare the value is, which its level does not show. */
const FREQUENCY_SLACK = 6
/** Of so few pairs of one person a level has its weight from its prior, which is no fault. */
const LEAST_AT_LEVEL = 30

function disorder(
  { comparisons }: LinkModel,
  attributes: readonly Attribute[],
  matched: MatchedLevels,
): ModelFault[] {
  const known = new Map(comparisonsOf(attributes).map((one) => [one.name, one.levels]))
  return comparisons.flatMap(({ comparison, levels }) => {
    const bits = new Map(levels.map(({ level, m, u }) => [level, Math.log2(m / u)]))
    const isNumber = attributes.some(({ kind, isIdentifier }) => kind === comparison && isIdentifier)
    const order = ORDER[comparison] ?? (isNumber ? ORDER_OF_NUMBERS : [])
    return order.flatMap(([better, worse]) => {
      const [one, other] = [bits.get(better), bits.get(worse)]
      if (one === undefined || other === undefined) return []
      if (matched.at(comparison, worse) < LEAST_AT_LEVEL) return []
      const isByFrequency = known.get(comparison)?.find(({ name }) => name === better)?.byFrequency === true
      // What speaks against one person may do so more or less: records of two sources differ in many ways.
      if (other <= ORDER_SLACK || other <= one + (isByFrequency ? FREQUENCY_SLACK : ORDER_SLACK)) return []
      return [
        { check: 'order', what: `${words(comparison)} adds ${signed(other)} bits at the level '${words(worse)}' and ${signed(one)} at '${words(better)}', which agrees more` } as const, // prettier-ignore
      ]
    })
  })
}

/** So many times as many pairs as the model expects, or as few. */
const MOST_PAIRS_RATIO = 4
/** Pairs per record below which the ratio says nothing. */
const LEAST_PAIRS_PER_RECORD = 0.05
const STRANGER_PAIRS = 100_000

/** The model says how many pairs there are, and the clusters hold how many were found: where one is several times the other, one is wrong. */
function pairCounts(model: LinkModel, evidence: Evidence): ModelFault[] {
  const { records, foundPairs } = evidence
  const expected = expectedOf(model, evidence) / records
  const found = foundPairs / records
  const [less, more] = [Math.min(expected, found), Math.max(expected, found)]
  if (more - less < LEAST_PAIRS_PER_RECORD || more <= MOST_PAIRS_RATIO * less) return []
  return [
    { check: 'pairs', what: `the model expects ${decimal(expected)} pairs of one person per record and the clusters hold ${decimal(found)}; at most ${MOST_PAIRS_RATIO} times as many is plausible` }, // prettier-ignore
  ]
}

function expectedOf({ match_probability }: LinkModel, { totalPairs }: Evidence): number {
  return match_probability * (totalPairs + STRANGER_PAIRS)
}

/** Of the birth dates of a cluster such a share of the pairs may contradict each other, in the mean of the clusters. */
const MOST_CONTRADICTING = 0.3

function birthDates({ datedClusters, contradicting }: Evidence, anchors: Anchors): ModelFault[] {
  if (datedClusters < ENOUGH_PAIRS) return []
  const shown = anchors.share('birth_date', BIRTH.different)
  if (contradicting <= plausible(MOST_CONTRADICTING, shown)) return []
  return [
    { check: 'birth_dates', what: `in ${count(datedClusters)} clusters with several birth dates ${percent(contradicting)} of the pairs of dates contradict each other, at most ${percent(MOST_CONTRADICTING)} is plausible` }, // prettier-ignore
  ]
}

/** Of the pairs that agree on two independent strong identifiers so many must be found by the model. */
const LEAST_FOUND = 0.6

function calibration(model: LinkModel, evidence: Evidence): ModelFault[] {
  const { candidates, attributes } = evidence
  const weigh = weigherOf(model, attributes)
  let [pairs, found] = [0, 0]
  for (let k = 0; k < candidates.counts.length; k++) {
    const strong = strongIn(candidates, k, attributes)
    if (strong.length < 2 || !strong.some((c) => c === AT.birth_date || c >= AT.attributes)) continue
    pairs += candidates.counts[k]!
    if (weigh(candidates, k) >= 0) found += candidates.counts[k]!
  }
  if (pairs < ENOUGH_PAIRS || found >= LEAST_FOUND * pairs) return []
  return [
    { check: 'anchors', what: `of ${count(pairs)} pairs that share a birth date or number and a second strong identifier the model takes ${percent(found / pairs)} for one person, at least ${percent(LEAST_FOUND)} is plausible` }, // prettier-ignore
  ]
}

/** So many times as many pairs as by the model before, among the same records. */
const MOST_GROWTH = 2

function growth(model: LinkModel, evidence: Evidence, before: LinkModel | undefined): ModelFault[] {
  // The default model finds little by intention.
  if (before === undefined || before.is_default === true) return []
  const [now, then] = [model, before].map((one) => expectedPairs(one, evidence) / evidence.records)
  if (now! - then! < LEAST_PAIRS_PER_RECORD || now! <= MOST_GROWTH * then!) return []
  return [
    { check: 'growth', what: `the model takes ${decimal(now!)} pairs per record for one person where the model of ${before.trained_on} takes ${decimal(then!)} among the same records; at most ${MOST_GROWTH} times as many is plausible` }, // prettier-ignore
  ]
}

function expectedPairs(model: LinkModel, { candidates, attributes, scale }: Evidence): number {
  const weigh = weigherOf(model, attributes)
  let pairs = 0
  for (let k = 0; k < candidates.counts.length; k++)
    pairs += candidates.counts[k]! * scale * (1 / (1 + 2 ** -weigh(candidates, k)))
  return pairs
}

/** Weighs the pairs of a pattern by a model, as `PairWeigher` weighs one pair. */
function weigherOf(
  model: LinkModel,
  attributes: readonly Attribute[],
): (patterns: PatternCounts, k: number) => number {
  const { prior, match, householdPrior, household } = levelWeights(model, attributes)
  const width = match.length / NAME_CASES
  const comparisons = width / 16
  return (patterns, k) => {
    const names = namesOf(levelIn(patterns, k, AT.first_name), levelIn(patterns, k, AT.last_name))
    const [all, shared] = frequenciesIn(patterns, k)
    let bits = prior + all
    let common = householdPrior + shared
    for (let c = 0; c < comparisons; c++) {
      const level = levelIn(patterns, k, c)
      if (level === 0) continue
      bits += match[names * width + c * 16 + level]!
      common += household[names * width + c * 16 + level]!
    }
    return bits - householdBits(common)
  }
}

/** How many pairs of one person the model sees, each counted by its probability. */
interface MatchedLevels {
  at(comparison: string, level: string): number
  /** Pairs of which both sides of the comparison are known. */
  known(comparison: string): number
}

function matchedLevels(model: LinkModel, { candidates, attributes, scale }: Evidence): MatchedLevels {
  const comparisons = comparisonsOf(attributes)
  const weigh = weigherOf(model, attributes)
  const counts = comparisons.map(({ levels }) => new Float64Array(levels.length + 1))
  for (let k = 0; k < candidates.counts.length; k++) {
    const pairs = (candidates.counts[k]! * scale) / (1 + 2 ** -weigh(candidates, k))
    for (let c = 0; c < comparisons.length; c++) counts[c]![levelIn(candidates, k, c)]! += pairs
  }
  const of = (comparison: string): number => comparisons.findIndex(({ name }) => name === comparison)
  return {
    at(comparison, level) {
      const c = of(comparison)
      const l = comparisons[c]?.levels.findIndex(({ name }) => name === level) ?? -1
      return l < 0 ? 0 : counts[c]![l + 1]!
    },
    known: (comparison) => counts[of(comparison)]?.subarray(1).reduce((sum, one) => sum + one, 0) ?? 0,
  }
}

/** How pairs that are surely one person stand to each other in comparisons that did not select them. */
interface Anchors {
  /** Share at a level; null where too few pairs tell. */
  share(comparison: string, level: number): number | null
}

/**
 * Two kinds of anchors: pairs that agree on two independent strong identifiers, whatever else they say; and, for birth dates, pairs of one
 * full name that share a telephone or a number. Neither needs a model. Homes are shared by father and son, and an e-mail address may be
 * made of the name.
 */
function anchorsOf({ candidates, attributes }: Evidence): Anchors {
  const comparisons = comparisonsOf(attributes)
  const seen = comparisons.map(({ levels }) => new Float64Array(levels.length + 1))
  for (let k = 0; k < candidates.counts.length; k++) {
    const names = namesOf(levelIn(candidates, k, AT.first_name), levelIn(candidates, k, AT.last_name))
    const strong = strongIn(candidates, k, attributes)
    // Two members of a household share home and telephone.
    const isPersonal = strong.some((c) => c !== AT.address && c !== AT.phone)
    const isNamed = names === NAMES.both && strong.some((c) => c === AT.phone || c >= AT.attributes)
    for (let c = 0; c < comparisons.length; c++) {
      const level = levelIn(candidates, k, c)
      const others = strong.filter((one) => one !== c)
      const isOfTwo = others.length >= 2 && isPersonal
      if (level !== 0 && (isOfTwo || (c === AT.birth_date && isNamed)))
        seen[c]![level]! += candidates.counts[k]!
    }
  }
  return {
    share(comparison, level) {
      const counts = seen[comparisons.findIndex(({ name }) => name === comparison)]
      const all = counts?.reduce((sum, one) => sum + one, 0) ?? 0
      return all < ENOUGH_PAIRS ? null : counts![level]! / all
    },
  }
}

/** The comparisons at which a pattern agrees on what hardly anybody else has. */
function strongIn(patterns: PatternCounts, k: number, attributes: readonly Attribute[]): number[] {
  const strong: number[] = []
  if (levelIn(patterns, k, AT.birth_date) === BIRTH.exact) strong.push(AT.birth_date)
  if (levelIn(patterns, k, AT.address) === ADDRESS.unit) strong.push(AT.address)
  if (levelIn(patterns, k, AT.phone) === PHONE.same) strong.push(AT.phone)
  if (levelIn(patterns, k, AT.email) === EMAIL.same) strong.push(AT.email)
  attributes.forEach(({ isIdentifier }, a) => {
    if (isIdentifier && levelIn(patterns, k, AT.attributes + a) === ATTRIBUTE.same)
      strong.push(AT.attributes + a)
  })
  return strong
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
}

function decimal(value: number): string {
  return value.toFixed(value < 1 ? 2 : 1)
}

function signed(bits: number): string {
  return `${bits < 0 ? '−' : '+'}${Math.abs(bits).toFixed(1)}`
}

function count(pairs: number): string {
  return Math.round(pairs).toLocaleString('en-US')
}

function words(name: string): string {
  return name.replaceAll('_', ' ')
}
