import { AT, BIRTH, comparisonsOf } from '../compare/levels.ts'
import type { Attribute } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, NAMES } from '../compare/name-agreement.ts'
import { strongIn } from './anchors.ts'
import type { Pattern } from './patterns.ts'
import { STRANGER_PAIRS } from './train.ts'
import { householdCorrection, levelWeights, probabilityOf } from './weights.ts'

/** A reason to refuse a model. */
export interface ModelFault {
  readonly check: 'contradiction' | 'order' | 'pairs' | 'birth_dates' | 'anchors' | 'growth'
  /** One sentence with figures and limit. It names comparisons and levels, never values of people. */
  readonly what: string
}

/** The pairs of a run and its result, as evidence for the checks. */
export interface Evidence {
  readonly attributes: readonly Attribute[]
  /**
   * Patterns of a sample of candidate pairs; each sampled pair stands for `scale` pairs. They use the frequency
   * weights of the checked model.
   */
  readonly candidates: readonly Pattern[]
  readonly scale: number
  readonly records: number
  /** Number of pairs of records that may be compared. */
  readonly totalPairs: number
  /** Number of pairs of records that are in one cluster. */
  readonly foundPairs: number
  /**
   * `datedClusters`: clusters with at least two complete birth dates. `contradicting`: mean over these clusters of
   * the share of pairs of dates that contradict each other.
   */
  readonly datedClusters: number
  readonly contradicting: number
}

/** With fewer records, the priors still decide the model, and shares are too uncertain to refuse it. */
const LEAST_RECORDS = 1000
/** Least number of pairs for a share to be tested: the standard error of a share is then below .06. */
const ENOUGH_PAIRS = 80

/**
 * Returns the reasons to refuse a newly trained model; none for a good one. `before` is the model that it would
 * replace.
 * The limits are wide, because refusing a good model costs recall. A limit that depends on the data is raised when
 * the anchors of the same data show more contradictions.
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
 * Highest plausible m of the level `different`, by comparison. Public test sets and registers have .01 to .15 there
 * (typos in a date, unusual first names); last names change more often by marriage. Addresses, phones, e-mail
 * addresses and places change, so they have no limit.
 */
const MOST_CONTRADICTED: Readonly<Record<string, number>> = {
  first_name: 0.3,
  last_name: 0.4,
  middle_name: 0.45,
  name_suffix: 0.35,
  birth_date: 0.3,
  gender: 0.25,
}
/** If the anchors contradict each other more often, the limit is this factor times the share among anchors. */
const ANCHOR_FACTOR = 2
/**
 * Upper limit in any data. Beyond it, the column does not identify people, or training took several people for one.
 */
const MOST_IN_ANY_DATA = 0.6

function contradictions({ comparisons }: LinkModel, anchors: Anchors, matched: MatchedLevels): ModelFault[] {
  return comparisons.flatMap(({ comparison, levels }) => {
    const limit = MOST_CONTRADICTED[comparison]
    const m = levels.find(({ level }) => level === 'different')?.m
    if (limit === undefined || m === undefined || m <= limit) return []
    if (matched.known(comparison) < ENOUGH_PAIRS) return []
    const shown = anchors.share(comparison, levels.length)
    if (m <= plausible(limit, shown)) return []
    const seen = shown === null ? '' : `; among almost certain pairs of one person, ${percent(shown)} differ`
    return [
      { check: 'contradiction', what: `${words(comparison)} differs in ${percent(m)} of the pairs of one person by this model; at most ${percent(limit)} is plausible${seen}` } as const, // prettier-ignore
    ]
  })
}

function plausible(limit: number, shown: number | null): number {
  return Math.max(limit, Math.min(MOST_IN_ANY_DATA, ANCHOR_FACTOR * (shown ?? 0)))
}

/**
 * Pairs of levels: the second level agrees less than the first, so it must not weigh more. Levels that cannot be
 * ranked are left out.
 */
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
/** Tolerance for chance differences of match weights; 1 doubles the odds. */
const ORDER_SLACK = 1
/**
 * Tolerance for exact agreements. Their weight comes mostly from the frequency of the value, which the level does not
 * contain.
 */
const FREQUENCY_SLACK = 6
/** With fewer pairs of one person at a level, the prior decides its weight, which is no fault. */
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
      // Negative weights have no order: records of two sources may differ in many ways.
      if (other <= ORDER_SLACK || other <= one + (isByFrequency ? FREQUENCY_SLACK : ORDER_SLACK)) return []
      return [
        { check: 'order', what: `${words(comparison)}: the level '${words(worse)}' has a match weight of ${signed(other)}, and '${words(better)}', which agrees more, only ${signed(one)}` } as const, // prettier-ignore
      ]
    })
  })
}

/** Largest plausible factor between expected and found pairs. */
const MOST_PAIRS_RATIO = 4
/** Smaller differences in pairs per record are ignored. */
const LEAST_PAIRS_PER_RECORD = 0.05

/** Compares the number of pairs of one person that the model expects with the number of pairs in clusters. */
function pairCounts(model: LinkModel, evidence: Evidence): ModelFault[] {
  const { records, foundPairs } = evidence
  const expected = (model.match_probability * (evidence.totalPairs + STRANGER_PAIRS)) / records
  const found = foundPairs / records
  const [less, more] = [Math.min(expected, found), Math.max(expected, found)]
  if (more - less < LEAST_PAIRS_PER_RECORD || more <= MOST_PAIRS_RATIO * less) return []
  return [
    { check: 'pairs', what: `the model expects ${decimal(expected)} pairs of one person per record, but the clusters contain ${decimal(found)}; a factor of at most ${MOST_PAIRS_RATIO} is plausible` }, // prettier-ignore
  ]
}

/** Largest plausible mean share of contradicting pairs of birth dates in a cluster. */
const MOST_CONTRADICTING = 0.3

function birthDates({ datedClusters, contradicting }: Evidence, anchors: Anchors): ModelFault[] {
  if (datedClusters < ENOUGH_PAIRS) return []
  const shown = anchors.share('birth_date', BIRTH.different)
  if (contradicting <= plausible(MOST_CONTRADICTING, shown)) return []
  return [
    { check: 'birth_dates', what: `in ${count(datedClusters)} clusters with several birth dates, ${percent(contradicting)} of the pairs of dates contradict each other; at most ${percent(MOST_CONTRADICTING)} is plausible` }, // prettier-ignore
  ]
}

/** Least share of pairs with two independent strong agreements that the model must take for one person. */
const LEAST_FOUND = 0.6

function calibration(model: LinkModel, evidence: Evidence): ModelFault[] {
  const { candidates, attributes } = evidence
  const weigh = weigherOf(model, attributes)
  let [pairs, found] = [0, 0]
  for (const pattern of candidates) {
    const strong = strongIn(pattern.levels, attributes)
    if (strong.length < 2 || !strong.some((c) => c === AT.birth_date || c >= AT.attributes)) continue
    pairs += pattern.count
    if (weigh(pattern) >= 0) found += pattern.count
  }
  if (pairs < ENOUGH_PAIRS || found >= LEAST_FOUND * pairs) return []
  return [
    { check: 'anchors', what: `the model takes ${percent(found / pairs)} of ${count(pairs)} pairs with an equal birth date or identifier and a second strong agreement for one person; at least ${percent(LEAST_FOUND)} is plausible` }, // prettier-ignore
  ]
}

/**
 * Largest plausible growth of the pairs that a model takes for one person, against the model before, on the same
 * records.
 */
const MOST_GROWTH = 2

function growth(model: LinkModel, evidence: Evidence, before: LinkModel | undefined): ModelFault[] {
  // The default model finds few pairs on purpose, so growth against it is expected.
  if (before === undefined || before.is_default === true) return []
  const [now, then] = [model, before].map((one) => expectedPairs(one, evidence) / evidence.records)
  if (now! - then! < LEAST_PAIRS_PER_RECORD || now! <= MOST_GROWTH * then!) return []
  return [
    { check: 'growth', what: `the model takes ${decimal(now!)} pairs per record for one person, but the model of ${before.trained_on} takes ${decimal(then!)} among the same records; a factor of at most ${MOST_GROWTH} is plausible` }, // prettier-ignore
  ]
}

function expectedPairs(model: LinkModel, { candidates, attributes, scale }: Evidence): number {
  const weigh = weigherOf(model, attributes)
  return candidates.reduce(
    (pairs, pattern) => pairs + pattern.count * scale * probabilityOf(weigh(pattern)),
    0,
  )
}

/** Returns a function that computes the match weight of a pattern, as `PairWeigher` does for one pair. */
function weigherOf(model: LinkModel, attributes: readonly Attribute[]): (pattern: Pattern) => number {
  const { prior, match, householdPrior, household } = levelWeights(model, attributes)
  const width = match.length / NAME_CASES
  return ({ levels, names, frequency, sharedFrequency }) => {
    let bits = prior + frequency
    let common = householdPrior + sharedFrequency
    levels.forEach((level, c) => {
      bits += match[names * width + c * 16 + level]!
      common += household[names * width + c * 16 + level]!
    })
    return bits - householdCorrection(common)
  }
}

/** Expected number of pairs of one person by level: each pair counts with its match probability. */
interface MatchedLevels {
  at(comparison: string, level: string): number
  /** Number of pairs in which both records have a value for the comparison. */
  known(comparison: string): number
}

function matchedLevels(model: LinkModel, { candidates, attributes, scale }: Evidence): MatchedLevels {
  const comparisons = comparisonsOf(attributes)
  const weigh = weigherOf(model, attributes)
  const counts = comparisons.map(({ levels }) => new Float64Array(levels.length + 1))
  for (const pattern of candidates) {
    const pairs = pattern.count * scale * probabilityOf(weigh(pattern))
    pattern.levels.forEach((level, c) => (counts[c]![level]! += pairs))
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

/** How anchors agree in the comparisons that did not select them. */
interface Anchors {
  /** Returns the share of anchors at a level; null when there are too few anchors. */
  share(comparison: string, level: number): number | null
}

/**
 * Counts the levels of two kinds of anchors. The first kind agrees on two independent strong comparisons. The second
 * kind, used for birth dates only, agrees in the full name and in a phone or an identifier. Neither kind needs a
 * model.
 * A shared home is not enough: father and son may share home and name. An e-mail address may be made of the name.
 */
function anchorsOf({ candidates, attributes }: Evidence): Anchors {
  const comparisons = comparisonsOf(attributes)
  const seen = comparisons.map(({ levels }) => new Float64Array(levels.length + 1))
  for (const { levels, names, count: pairs } of candidates) {
    const strong = strongIn(levels, attributes)
    // Two members of a household share home and phone, so these two alone are not personal.
    const isPersonal = strong.some((c) => c !== AT.address && c !== AT.phone)
    const isNamed = names === NAMES.both && strong.some((c) => c === AT.phone || c >= AT.attributes)
    levels.forEach((level, c) => {
      const others = strong.filter((one) => one !== c)
      const isOfTwo = others.length >= 2 && isPersonal
      if (level !== 0 && (isOfTwo || (c === AT.birth_date && isNamed))) seen[c]![level]! += pairs
    })
  }
  return {
    share(comparison, level) {
      const counts = seen[comparisons.findIndex(({ name }) => name === comparison)]
      const all = counts?.reduce((sum, one) => sum + one, 0) ?? 0
      return all < ENOUGH_PAIRS ? null : counts![level]! / all
    },
  }
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
