import { type Anchor, anchorsIn } from './anchors.ts'
import type { BirthCounts } from './birth-pairs.ts'
import { AT, BIRTH, comparisonsOf, type Comparison, FIRST } from '../compare/levels.ts'
import { SWAPPED } from './frequencies.ts'
import type { Attribute } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, NAMES, type Names } from '../compare/name-agreement.ts'
import type { Pattern } from './patterns.ts'
import { FULL_NAME, SWAPPED_NAME } from './term-counts.ts'

/** The input of the estimation. */
export interface TrainingInput {
  readonly attributes: readonly Attribute[]
  /** Patterns of a sample of candidate pairs; each sampled pair stands for `candidateScale` pairs. */
  readonly candidates: readonly Pattern[]
  readonly candidateScale: number
  /** Patterns of random pairs, nearly all of them strangers. */
  readonly random: readonly Pattern[]
  /** How the birth dates of a much larger random sample agree; without it, `random` counts. */
  readonly births?: BirthCounts | undefined
  /** Patterns of pairs with equal names; without them, namesakes count like other strangers. */
  readonly namesakes?: readonly Pattern[] | undefined
  /** Number of pairs of records that may be compared. */
  readonly totalPairs: number
  readonly recordCount: number
  readonly agreements: Readonly<Record<string, number>>
}

export type Estimate = Pick<LinkModel, 'match_probability' | 'household_probability' | 'comparisons'>

/** A prior of m counts as this many pairs. It matters only where there are few pairs. */
const LEAST_PRIOR = 20
/** Start value: true pairs per record. */
const MATCH_SHARE = 0.3
/** A prior of u counts as this many random pairs. */
const PRIOR_PAIRS = 2000
/**
 * Smoothing count: this many invented pairs of strangers are added. Without them, two records with one name in a
 * small input would always become one person, because the input has no strangers to compare with.
 */
export const STRANGER_PAIRS = 100_000
/** Among namesakes, u of other strangers is the prior. It counts as at least this many pairs. */
const NAMESAKE_PAIRS = 200
/** Two results explain the anchors equally well if their mean log2 likelihoods differ by less than this. */
const NO_DIFFERENCE = 0.05
/**
 * For birth dates within a household, the prior counts as at least this share of the found pairs, because twins are
 * rare. Without it, training could take records of one person with a typo in the first name for twins.
 */
const TWINS_PRIOR = 0.1
/**
 * Limit of m for different first names: this many times m for different last names, or `Level.most` if that is more.
 */
const AS_LAST_NAMES = 1.5
/** Upper limit of both priors of a model. */
export const MOST_PROBABLE = 0.3
/** Most rounds of expectation maximisation. */
const ROUNDS = 60
/** The rounds end when the expected number of matches changes by a smaller share than this. */
const SETTLED = 1e-5

/**
 * Estimates the model by expectation maximisation over all pairs of records. A candidate pair is one of three: one
 * person, two people of one household, or unrelated. All other pairs count as unrelated. Because all pairs take part,
 * blocking does not bias the estimate.
 * The levels of unrelated pairs come from random pairs, minus the expected matches among them. Sums run in the fixed
 * order of the patterns, so the result is the same to the last bit.
 */
export function estimate(input: TrainingInput): Estimate {
  const comparisons = comparisonsOf(input.attributes)
  const random = strangers(input, comparisons)
  const ends = startsOf(input, comparisons, random).map((start) => settle(input, comparisons, random, start))
  const { at, matched } = chosenEnd(ends, input)
  const errors = errorsOf(comparisons, random, matched, input.candidateScale)
  const all = input.totalPairs + STRANGER_PAIRS
  return {
    match_probability: Math.min(MOST_PROBABLE, at.matches / all),
    household_probability: Math.min(MOST_PROBABLE, at.households / all),
    comparisons: comparisons.map((comparison, c) => modelled(comparison, at, c, errors[c]!)),
  }
}

/**
 * Returns the start values. Expectation maximisation ends at a local optimum, and a better one may exist elsewhere:
 * agreements of namesakes can be mistaken for agreements of one person. One start assumes that namesakes agree like
 * other strangers. Another assumes that all namesakes are strangers. `chosenEnd` compares the results.
 */
function startsOf(
  input: TrainingInput,
  comparisons: readonly Comparison[],
  random: readonly Drawn[],
): Parameters[] {
  const u = unrelated(comparisons, input.agreements, random, undefined)
  const start = {
    m: comparisons.map(({ levels }) => normalised(levels.map((level) => level.m))),
    h: comparisons.map((comparison) => startOfHousehold(comparison)),
    matches: Math.max(1, input.recordCount * MATCH_SHARE),
    households: Math.max(1, input.recordCount * MATCH_SHARE),
  }
  const asOthers = { ...start, byNames: withFullNames(anyNames(u), input.agreements) }
  const { namesakes } = input
  if (namesakes === undefined) return [asOthers]
  return [
    asOthers,
    { ...start, byNames: withFullNames(unrelatedByNames(comparisons, u, namesakes), input.agreements) },
  ]
}

/**
 * Chooses the result that explains the anchors best, the pairs that are almost surely one person. The likelihood of
 * all pairs is not a safe criterion: two kinds of strangers can be more likely than strangers and one person. It
 * decides only between results that explain the anchors equally well.
 */
function chosenEnd(ends: readonly Settled[], { candidates, attributes }: TrainingInput): Settled {
  const anchors = anchorsIn(candidates, attributes)
  const pairs = sum(anchors.map(({ count }) => count))
  const explained = ends.map(({ at }) =>
    sum(anchors.map((anchor) => anchor.count * likelihoodOf(anchor, at.m))),
  )
  const most = Math.max(...explained)
  return ends
    .filter((_, e) => explained[e]! >= most - pairs * NO_DIFFERENCE)
    .reduce((best, other) => (other.likelihood > best.likelihood ? other : best))
}

// Returns the log2 likelihood of an anchor's levels under m.
function likelihoodOf({ levels }: Anchor, m: readonly (readonly number[])[]): number {
  let likelihood = 0
  levels.forEach((level, c) => (likelihood += level === 0 ? 0 : Math.log2(m[c]![level - 1]!)))
  return likelihood
}

/** The result of expectation maximisation from one start. */
interface Settled {
  readonly at: Parameters
  /** Expected true pairs among the candidates, by comparison and level. */
  readonly matched: number[][]
  /** The log2 likelihood of the candidates. */
  readonly likelihood: number
}

// Repeats expectation maximisation from one start until the expected number of matches hardly changes.
function settle(
  input: TrainingInput,
  comparisons: readonly Comparison[],
  random: readonly Drawn[],
  start: Parameters,
): Settled {
  const { namesakes } = input
  let at = start
  for (let round = 1; ; round++) {
    const weights = weightsOf(input, comparisons, at)
    const { matched, together, matches, households, likelihood } = expectation(input, comparisons, weights)
    const change = Math.abs(matches - at.matches) / Math.max(1, at.matches)
    const u = unrelated(comparisons, input.agreements, random, matched)
    at = {
      m: maximised(comparisons, matched, (level) => level.m),
      h: comparisons.map((comparison, c) =>
        comparison.isShared && comparison.isFixed !== true
          ? smoothed(
              startOfHousehold(comparison),
              together[c]!,
              c === AT.birth_date ? TWINS_PRIOR * sum(together[c]!) : 0,
            )
          : start.h[c]!,
      ),
      byNames: withFullNames(
        namesakes === undefined ? anyNames(u) : unrelatedByNames(comparisons, u, namesakes, weights),
        input.agreements,
      ),
      matches: Math.max(0.5, matches),
      households: Math.max(0.5, households),
    }
    if (change < SETTLED || round === ROUNDS) return { at, matched, likelihood }
  }
}

function modelled(
  { name, levels, isShared, repeatsNames }: Comparison,
  at: Parameters,
  c: number,
  errors: readonly number[],
): Estimate['comparisons'][number] {
  const among = (names: Names, l: number): number => at.byNames[names]![c]![l]!
  return {
    comparison: name,
    levels: levels.map((level, l) => ({
      level: level.name,
      m: at.m[c]![l]!,
      u: among(NAMES.differ, l),
      u_error: errors[l]!,
      household: isShared ? at.h[c]![l]! : null,
      ...(repeatsNames === true || c === AT.first_name
        ? {
            u_by_names: {
              last: among(NAMES.last, l),
              first: among(NAMES.first, l),
              both: among(NAMES.both, l),
            },
          }
        : {}),
    })),
  }
}

interface Parameters {
  /** m by comparison and level. */
  m: number[][]
  /** The share among pairs of one household, by comparison and level. */
  h: number[][]
  /** u by agreement of the names, comparison and level. */
  byNames: number[][][]
  /** Expected number of pairs of one person, and of two people of one household. */
  matches: number
  households: number
}

/** Expected numbers of candidate pairs, under given parameters. */
interface Expectation {
  /** Expected pairs of one person, and of one household, by comparison and level. */
  matched: number[][]
  together: number[][]
  matches: number
  households: number
  likelihood: number
}

/** The parameters as match weights (log2). */
interface Weights {
  readonly matchPrior: number
  readonly householdPrior: number
  /** By agreement of the names, comparison and level. `unrelated` has log2(u). */
  readonly match: readonly (readonly (readonly number[])[])[]
  readonly unrelated: readonly (readonly (readonly number[])[])[]
  readonly household: readonly (readonly (readonly number[])[])[]
}

function weightsOf(
  { totalPairs }: TrainingInput,
  comparisons: readonly Comparison[],
  at: Parameters,
): Weights {
  const rest = Math.max(1, totalPairs + STRANGER_PAIRS - at.matches - at.households)
  return {
    matchPrior: Math.log2(at.matches / rest),
    householdPrior: Math.log2(at.households / rest),
    match: at.byNames.map((u) => comparisons.map((_, c) => at.m[c]!.map((m, l) => Math.log2(m / u[c]![l]!)))),
    unrelated: at.byNames.map((u) => u.map((levels) => levels.map((share) => Math.log2(share)))),
    household: at.byNames.map((u) =>
      comparisons.map(({ isShared }, c) => at.h[c]!.map((h, l) => (isShared ? Math.log2(h / u[c]![l]!) : 0))),
    ),
  }
}

/**
 * Returns the odds of "one person" and of "one household" against "unrelated" for a pattern. `unrelated` is the log2
 * likelihood of the pattern among unrelated pairs.
 */
function oddsOf(
  { levels, names, frequency, sharedFrequency }: Pattern,
  weights: Weights,
): { match: number; household: number; unrelated: number } {
  let match = weights.matchPrior + frequency
  let household = weights.householdPrior + sharedFrequency
  let apart = -frequency
  for (let c = 0; c < levels.length; c++) {
    const level = levels[c]!
    if (level === 0) continue
    match += weights.match[names]![c]![level - 1]!
    household += weights.household[names]![c]![level - 1]!
    apart += weights.unrelated[names]![c]![level - 1]!
  }
  return { match: 2 ** Math.min(200, match), household: 2 ** Math.min(200, household), unrelated: apart }
}

function expectation(
  input: TrainingInput,
  comparisons: readonly Comparison[],
  weights: Weights,
): Expectation {
  const { candidates, candidateScale } = input
  const matched = comparisons.map(({ levels }) => levels.map(() => 0))
  const together = comparisons.map(({ levels }) => levels.map(() => 0))
  let matches = 0
  let households = 0
  let likelihood = 0
  for (const pattern of candidates) {
    const odds = oddsOf(pattern, weights)
    const pairs = pattern.count * candidateScale
    const asMatch = (pairs * odds.match) / (1 + odds.match + odds.household)
    const asHousehold = (pairs * odds.household) / (1 + odds.match + odds.household)
    matches += asMatch
    households += asHousehold
    likelihood += pairs * (odds.unrelated + Math.log2(1 + odds.match + odds.household))
    for (let c = 0; c < comparisons.length; c++) {
      const level = pattern.levels[c]!
      if (level === 0) continue
      matched[c]![level - 1]! += asMatch
      together[c]![level - 1]! += asHousehold
    }
  }
  return { matched, together, matches, households, likelihood }
}

function maximised(
  comparisons: readonly Comparison[],
  counts: readonly number[][],
  prior: (level: Comparison['levels'][number]) => number,
): number[][] {
  const shares = comparisons.map(({ levels }, c) => smoothed(normalised(levels.map(prior)), counts[c]!))
  // In data with many typos, last names differ as well. Then first names may differ more often than the bound of
  // their level.
  const mostOfFirstNames = AS_LAST_NAMES * shares[AT.last_name]!.at(-1)!
  return comparisons.map(({ levels }, c) => {
    const least = c === AT.first_name ? mostOfFirstNames : 0
    return bounded(
      shares[c]!,
      levels.map(({ most }) => (most === undefined ? 1 : Math.max(most, least))),
    )
  })
}

// Limits the shares to `most`. What a level loses goes to the levels below their bound, in proportion to their
// shares.
function bounded(shares: number[], most: readonly number[]): number[] {
  const kept = shares.map((share, l) => Math.min(share, most[l]!))
  const free = shares.filter((share, l) => share <= most[l]!)
  const rest = sum(free)
  if (free.length === shares.length || rest === 0) return shares
  const left = 1 - sum(kept) + rest
  return kept.map((share, l) => (shares[l]! <= most[l]! ? (share * left) / rest : share))
}

// Returns the shares of counts. The prior counts as LEAST_PRIOR pairs, or as `least` pairs if that is more.
function smoothed(prior: readonly number[], counts: readonly number[], least = 0): number[] {
  const strength = Math.max(LEAST_PRIOR, least)
  const total = sum(counts) + strength
  return prior.map((share, l) => (counts[l]! + strength * share) / total)
}

/** Random pairs of one comparison by level, and their share of all pairs that have both values. */
interface Drawn {
  readonly seen: readonly number[]
  readonly share: number
}

function strangers(
  { random, births, totalPairs }: TrainingInput,
  comparisons: readonly Comparison[],
): Drawn[] {
  const share = sum(random.map(({ count }) => count)) / totalPairs
  const drawn = comparisons.map((comparison) => ({ seen: comparison.levels.map(() => 0), share }))
  for (const { levels, count } of random)
    levels.forEach((level, c) => {
      if (level !== 0) drawn[c]!.seen[level - 1]! += count
    })
  if (births !== undefined)
    drawn[AT.birth_date] = { seen: [...births.levels.subarray(1)], share: births.share }
  return drawn
}

// Returns u by comparison and level. For levels with frequency weights, u comes from the value counts, because no
// sample is large enough. For other levels, it comes from the random pairs, minus the expected matches among them.
function unrelated(
  comparisons: readonly Comparison[],
  agreements: Readonly<Record<string, number>>,
  random: readonly Drawn[],
  matched: readonly number[][] | undefined,
): number[][] {
  return comparisons.map(({ name, levels }, c) => {
    const { seen, share } = random[c]!
    const counts = levels.map(
      ({ u }, l) => Math.max(seen[l]! - (matched?.[c]![l] ?? 0) * share, seen[l]! * 0.02) + PRIOR_PAIRS * u,
    )
    const total = sum(counts)
    return levels.map(({ name: level, byFrequency }, l) => {
      if (byFrequency !== true) return counts[l]! / total
      return agreements[level === 'nickname' || level === 'swapped' ? level : name] ?? counts[l]! / total
    })
  })
}

const NO_ODDS = { match: 0, household: 0 }

// Returns the same u for each agreement of the names: namesakes are treated like other strangers.
function anyNames(u: number[][]): number[][][] {
  return Array.from({ length: NAME_CASES }, () => u)
}

/**
 * Returns u by agreement of the names. Namesakes with different birth dates are surely strangers, so they are counted
 * first. Other namesakes change the result only as far as strangers outnumber the matches among them. Few namesakes
 * are mostly one person and show little about strangers. Without `weights`, all namesakes count as strangers.
 */
function unrelatedByNames(
  comparisons: readonly Comparison[],
  u: number[][],
  namesakes: readonly Pattern[],
  weights?: Weights,
): number[][][] {
  const noCounts = (): number[][][] => anyNames(u).map((all) => all.map((levels) => levels.map(() => 0)))
  const strangersSeen = noCounts()
  const sureStrangers = noCounts()
  const others = anyNames(u).map((all) => all.map(() => 0))
  for (const pattern of namesakes) {
    const { names, levels, count } = pattern
    const odds = weights === undefined ? NO_ODDS : oddsOf(pattern, weights)
    const apart = count / (1 + odds.match + odds.household)
    const isSure = levels[AT.birth_date] === BIRTH.different
    for (let c = 0; c < comparisons.length; c++) {
      const level = levels[c]!
      if (level === 0) continue
      strangersSeen[names]![c]![level - 1]! += apart
      others[names]![c]! += count - apart
      if (isSure) sureStrangers[names]![c]![level - 1]! += count
    }
  }
  return strangersSeen.map((all, names) =>
    all.map((counts, c) => {
      if (comparisons[c]!.repeatsNames !== true || names === NAMES.differ) return u[c]!
      const expected = smoothed(u[c]!, sureStrangers[names]![c]!)
      return smoothed(expected, counts, Math.max(NAMESAKE_PAIRS, others[names]![c]!))
    }),
  )
}

/**
 * Adjusts u for full names: among strangers, a first and a last name agree together more often than independent names
 * would. `byNames` is u by agreement of the names, comparison and level. `agreements` needs `FULL_NAME` and
 * `SWAPPED_NAME`.
 */
export function withFullNames(
  byNames: number[][][],
  agreements: Readonly<Record<string, number>>,
): number[][][] {
  const timesOf = (key: string, chance: number): number => Math.max(1, (agreements[key] ?? chance) / chance)
  const straight = timesOf(FULL_NAME, (agreements['first_name'] ?? 1) * (agreements['last_name'] ?? 1))
  const swapped = timesOf(SWAPPED_NAME, agreements[SWAPPED] ?? 1)
  return byNames.map((all, names) =>
    all.map((levels, c) =>
      names === NAMES.both && c === AT.first_name
        ? levels.map((share, l) => Math.min(1, share * (l + 1 === FIRST.swapped ? swapped : straight)))
        : levels,
    ),
  )
}

// Returns the standard error of u for levels estimated from random pairs. It has two parts: the number of random
// pairs at the level, and the uncertainty of the matches among them.
function errorsOf(
  comparisons: readonly Comparison[],
  random: readonly Drawn[],
  matched: readonly number[][],
  candidateScale: number,
): number[][] {
  return comparisons.map(({ levels }, c) => {
    const { seen, share } = random[c]!
    const total = sum(seen) + PRIOR_PAIRS
    return levels.map(({ byFrequency }, l) => {
      if (byFrequency === true) return 0
      return Math.sqrt(Math.max(1, seen[l]!) + matched[c]![l]! * share ** 2 * candidateScale) / total
    })
  })
}

function startOfHousehold(comparison: Comparison): number[] {
  return normalised(comparison.levels.map(({ household, m }) => household ?? m))
}

function normalised(values: readonly number[]): number[] {
  const total = sum(values)
  return values.map((value) => value / total)
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
