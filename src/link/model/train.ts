import { type Anchor, anchorsIn } from './anchors.ts'
import type { RandomPairs } from './birth-pairs.ts'
import { AT, BIRTH, comparisonsOf, type Comparison, FIRST } from '../compare/levels.ts'
import { SWAPPED } from './frequencies.ts'
import type { Attribute } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, NAMES, type Names, namesOf } from '../compare/name-agreement.ts'
import { frequenciesIn, levelIn, type PatternCounts } from './patterns.ts'
import { FULL_NAME, SWAPPED_NAME } from './term-counts.ts'

/** What the estimation is made from. */
export interface TrainingInput {
  readonly attributes: readonly Attribute[]
  /** Patterns of candidate pairs, each counted `candidateScale` times. */
  readonly candidates: PatternCounts
  readonly candidateScale: number
  /** Patterns of pairs drawn at random. */
  readonly random: RandomPairs
  /** How many pairs of records can be compared at all. */
  readonly totalPairs: number
  readonly recordCount: number
  readonly agreements: Readonly<Record<string, number>>
}

export type Estimate = Pick<LinkModel, 'match_probability' | 'household_probability' | 'comparisons'>

export interface Estimated {
  readonly estimate: Estimate
  /** How many true pairs there are among the candidates that were counted of which a comparison, by name, knows both sides. */
  readonly known: ReadonlyMap<string, number>
}

/** A prior weighs as much as this many pairs: it decides where data is silent and vanishes where it speaks. */
const STRENGTH = 20
/** Where the estimation starts: so many true pairs per record. */
const MATCH_SHARE = 0.3
/** And those of random pairs as much as so many of them. */
const PRIOR_PAIRS = 2000
/**
 * Records come from a world of strangers even where they are few: so many pairs of it stand beside the data's own. Without
 * them two records of one name would be taken for one person because nobody else is there.
 */
export const STRANGER_PAIRS = 100_000
/** Strangers in general stand for so many namesakes at least. */
const NAMESAKE_PAIRS = 200
/** Ends that explain an anchor within so many bits explain it equally well. */
const NO_DIFFERENCE = 0.05
/**
 * Twins are rare among households: so large a part of what is learned of their birth dates is the prior. Else records of one person with slips
 * in the first name end among them.
 */
const TWINS_PRIOR = 0.1
/** First names of one person may differ so many times as often as last names, whatever the bound is. */
const AS_LAST_NAMES = 1.5
export const MOST_PROBABLE = 0.3
const ROUNDS = 60
const SETTLED = 1e-5

/**
 * Estimates the model by expectation maximisation over the whole cross product: candidate pairs are one of three things,
 * the same person, of one household, or unrelated; pairs that are no candidates are taken as unrelated. Selection by
 * blocking then biases nothing, because a pair is a candidate on account of its pattern. How unrelated pairs agree comes from pairs
 * drawn at random, less the matches among them. Sums run in the patterns' fixed order, so the result is the same to the last bit.
 */
export function estimate(input: TrainingInput): Estimated {
  const comparisons = comparisonsOf(input.attributes)
  const random = strangers(
    input,
    comparisons.map(({ levels }) => levels.length),
  )
  const ends = startsOf(input, comparisons, random).map((start) => settle(input, comparisons, random, start))
  const { at, matched } = chosenEnd(ends, input)
  const errors = errorsOf(comparisons, random, matched, input.candidateScale)
  const all = input.totalPairs + STRANGER_PAIRS
  return {
    estimate: {
      match_probability: Math.min(MOST_PROBABLE, at.matches / all),
      household_probability: Math.min(MOST_PROBABLE, at.households / all),
      comparisons: comparisons.map((comparison, c) => modelled(comparison, at, c, errors[c]!)),
    },
    known: new Map(comparisons.map(({ name }, c) => [name, sum(matched[c]!) / input.candidateScale])),
  }
}

/**
 * Where the estimation starts. Expectation maximisation ends at the best place near its start, and there may be a better one: what namesakes
 * have in common can be taken for what one person's records have. So one start takes namesakes to agree as other strangers do, another takes
 * all namesakes for strangers: see `chosenEnd`.
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
  const { namesakes } = input.random
  if (namesakes === undefined) return [asOthers]
  return [
    asOthers,
    { ...start, byNames: withFullNames(unrelatedByNames(comparisons, u, namesakes), input.agreements) },
  ]
}

/**
 * The end that explains the anchors best: pairs that hardly anything but one person accounts for. The likelihood of all pairs does not tell,
 * because two kinds of strangers can be likelier than one kind of strangers and one person. It decides where the anchors do not.
 */
function chosenEnd(ends: readonly Settled[], { candidates, attributes }: TrainingInput): Settled {
  const anchors = anchorsIn(candidates, attributes)
  const pairs = sum(anchors.map(({ count }) => count))
  const explained = ends.map(({ at }) => sum(anchors.map((anchor) => anchor.count * bitsOf(anchor, at.m))))
  const most = Math.max(...explained)
  return ends
    .filter((_, e) => explained[e]! >= most - pairs * NO_DIFFERENCE)
    .reduce((best, other) => (other.likelihood > best.likelihood ? other : best))
}

// What the levels of an anchor are worth by some m, without the comparison that made it one.
function bitsOf({ levels }: Anchor, m: readonly (readonly number[])[]): number {
  let bits = 0
  levels.forEach((level, c) => (bits += level === 0 ? 0 : Math.log2(m[c]![level - 1]!)))
  return bits
}

interface Settled {
  readonly at: Parameters
  /** True pairs among the candidates by comparison and level. */
  readonly matched: number[][]
  /** Of the candidates, in bits. */
  readonly likelihood: number
}

function settle(
  input: TrainingInput,
  comparisons: readonly Comparison[],
  random: readonly Drawn[],
  start: Parameters,
): Settled {
  const { namesakes } = input.random
  let at = start
  for (let round = 1; ; round++) {
    const weights = weightsOf(input, comparisons, at)
    const { matched, together, matches, households, likelihood } = expectation(input, comparisons, weights)
    const change = Math.abs(matches - at.matches) / Math.max(1, at.matches)
    const u = unrelated(comparisons, input.agreements, random, matched)
    at = {
      m: maximised(comparisons, matched, (level) => level.m),
      h: comparisons.map((comparison, c) =>
        comparison.isShared && comparison.isGiven !== true
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
  m: number[][]
  h: number[][]
  /** By how the names stand to each other, comparison and level. */
  byNames: number[][][]
  matches: number
  households: number
}

interface Expectation {
  matched: number[][]
  together: number[][]
  matches: number
  households: number
  likelihood: number
}

/** Parameters in bits. */
interface Weights {
  readonly matchPrior: number
  readonly householdPrior: number
  /** By names, comparison and level; of `unrelated` u itself. */
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

/** The odds of "one person" and of "one household" against "unrelated" of the pairs of a pattern, and in bits its share of unrelated pairs. */
function oddsOf(
  patterns: PatternCounts,
  k: number,
  weights: Weights,
): { match: number; household: number; unrelated: number } {
  const [all, shared] = frequenciesIn(patterns, k)
  const names = namesAt(patterns, k)
  const [matchBits, householdBits] = [weights.match[names]!, weights.household[names]!]
  const unrelatedBits = weights.unrelated[names]!
  let match = weights.matchPrior + all
  let household = weights.householdPrior + shared
  let apart = -all
  for (let c = 0; c < matchBits.length; c++) {
    const level = levelIn(patterns, k, c)
    if (level === 0) continue
    match += matchBits[c]![level - 1]!
    household += householdBits[c]![level - 1]!
    apart += unrelatedBits[c]![level - 1]!
  }
  return { match: 2 ** Math.min(200, match), household: 2 ** Math.min(200, household), unrelated: apart }
}

function namesAt(patterns: PatternCounts, k: number): number {
  return namesOf(levelIn(patterns, k, AT.first_name), levelIn(patterns, k, AT.last_name))
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
  for (let k = 0; k < candidates.counts.length; k++) {
    const odds = oddsOf(candidates, k, weights)
    const pairs = candidates.counts[k]! * candidateScale
    const asMatch = (pairs * odds.match) / (1 + odds.match + odds.household)
    const asHousehold = (pairs * odds.household) / (1 + odds.match + odds.household)
    matches += asMatch
    households += asHousehold
    likelihood += pairs * (odds.unrelated + Math.log2(1 + odds.match + odds.household))
    for (let c = 0; c < comparisons.length; c++) {
      const level = levelIn(candidates, k, c)
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
  // Where typing is bad, last names differ as well, and as many first names are slips.
  const slips = AS_LAST_NAMES * shares[AT.last_name]!.at(-1)!
  return comparisons.map(({ levels }, c) => {
    const least = c === AT.first_name ? slips : 0
    return bounded(
      shares[c]!,
      levels.map(({ most }) => (most === undefined ? 1 : Math.max(most, least))),
    )
  })
}

// What a bound takes from a level goes to the others, as they share the rest.
function bounded(shares: number[], most: readonly number[]): number[] {
  const kept = shares.map((share, l) => Math.min(share, most[l]!))
  const free = shares.filter((share, l) => share <= most[l]!)
  const rest = sum(free)
  if (free.length === shares.length || rest === 0) return shares
  const left = 1 - sum(kept) + rest
  return kept.map((share, l) => (shares[l]! <= most[l]! ? (share * left) / rest : share))
}

// Shares of some counts beside a prior, which weighs as much as STRENGTH pairs or `least`.
function smoothed(prior: readonly number[], counts: readonly number[], least = 0): number[] {
  const strength = Math.max(STRENGTH, least)
  const total = sum(counts) + strength
  return prior.map((share, l) => (counts[l]! + strength * share) / total)
}

/** Of one comparison: pairs drawn at random by level, and what share they are of all pairs that it could compare. */
interface Drawn {
  readonly seen: readonly number[]
  readonly share: number
}

function strangers({ random, totalPairs }: TrainingInput, levels: readonly number[]): Drawn[] {
  const share = sum(random.counts) / totalPairs
  const drawn = levelCounts(random, levels).map((seen) => ({ seen, share }))
  const { births } = random
  if (births !== undefined)
    drawn[AT.birth_date] = { seen: [...births.levels.subarray(1)], share: births.share }
  return drawn
}

// How unrelated pairs stand to each other. Levels by frequency come from the values' own counts, which no sample is
// large enough for; the other levels share what is left as the random pairs do, of which as many are
// matches as their share of all pairs says.
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

// Before anything is known of namesakes they are strangers like others.
function anyNames(u: number[][]): number[][][] {
  return Array.from({ length: NAME_CASES }, () => u)
}

/**
 * How unrelated pairs agree by how their names do. Namesakes with different birth dates are strangers for sure, and say so first. Beyond them
 * a departure from what all strangers do is believed only as far as strangers outnumber the matches among the pairs that were drawn: of few
 * namesakes, who are mostly one person, little can be learned about strangers. Without weights all are taken as strangers.
 */
function unrelatedByNames(
  comparisons: readonly Comparison[],
  u: number[][],
  namesakes: PatternCounts,
  weights?: Weights,
): number[][][] {
  const noCounts = (): number[][][] => anyNames(u).map((all) => all.map((levels) => levels.map(() => 0)))
  const strangersSeen = noCounts()
  const sureStrangers = noCounts()
  const others = anyNames(u).map((all) => all.map(() => 0))
  for (let k = 0; k < namesakes.counts.length; k++) {
    const names = namesAt(namesakes, k)
    const odds = weights === undefined ? NO_ODDS : oddsOf(namesakes, k, weights)
    const pairs = namesakes.counts[k]!
    const apart = pairs / (1 + odds.match + odds.household)
    const isSure = levelIn(namesakes, k, AT.birth_date) === BIRTH.different
    for (let c = 0; c < comparisons.length; c++) {
      const level = levelIn(namesakes, k, c)
      if (level === 0) continue
      strangersSeen[names]![c]![level - 1]! += apart
      others[names]![c]! += pairs - apart
      if (isSure) sureStrangers[names]![c]![level - 1]! += pairs
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
 * Shares of strangers by how the names agree, comparison and level, with whole names counted: first and last names come together more often
 * among strangers than each of them by itself would have it. `agreements` has `FULL_NAME` and `SWAPPED_NAME`.
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

// How far u may be off by chance, of levels that pairs drawn at random tell: those pairs are counted, and the matches among them
// known by as many as the candidates that were looked at hold.
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

function levelCounts(patterns: PatternCounts, levels: readonly number[]): number[][] {
  const counts = levels.map((size) => Array.from({ length: size }, () => 0))
  for (let k = 0; k < patterns.counts.length; k++) {
    for (let c = 0; c < levels.length; c++) {
      const level = levelIn(patterns, k, c)
      if (level !== 0) counts[c]![level - 1]! += patterns.counts[k]!
    }
  }
  return counts
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
