import type { RandomPairs } from './birth-pairs.ts'
import { AT, comparisonsOf, type Comparison } from './levels.ts'
import type { Attribute } from './mentions.ts'
import type { LinkModel } from './model.ts'
import { frequenciesIn, levelIn, type PatternCounts } from './patterns.ts'

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

/** The levels' priors weigh as much as this many true pairs: they decide where data is silent and vanish where it speaks. */
const STRENGTH = 20
/** Where the estimation starts: so many true pairs per record. */
const MATCH_SHARE = 0.3
/** And those of random pairs as much as so many of them. */
const PRIOR_PAIRS = 2000
/**
 * Records come from a world of strangers even where they are few: so many pairs of it stand beside the data's own. Without
 * them two records of one name would be taken for one person because nobody else is there.
 */
const STRANGER_PAIRS = 100_000
const MOST_PROBABLE = 0.3
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
  const levels = comparisons.map(({ levels: all }) => all.length)
  const random = strangers(input, levels)
  let m = comparisons.map(({ levels: all }) => normalised(all.map((level) => level.m)))
  let h = comparisons.map((comparison) => startOfHousehold(comparison))
  let u = unrelated(comparisons, input.agreements, random, undefined)
  let matches = Math.max(1, input.recordCount * MATCH_SHARE)
  let households = Math.max(1, input.recordCount * MATCH_SHARE)
  let matched = comparisons.map(({ levels: all }) => all.map(() => 0))
  for (let round = 0; round < ROUNDS; round++) {
    const step = expectation(input, comparisons, { m, h, u, matches, households })
    matched = step.matched
    m = maximised(comparisons, step.matched, (level) => level.m)
    h = comparisons.map((comparison, c) =>
      comparison.isShared && comparison.isGiven !== true
        ? smoothed(startOfHousehold(comparison), step.together[c]!)
        : h[c]!,
    )
    u = unrelated(comparisons, input.agreements, random, matched)
    const change = Math.abs(step.matches - matches) / Math.max(1, matches)
    matches = Math.max(0.5, step.matches)
    households = Math.max(0.5, step.households)
    if (change < SETTLED) break
  }
  const errors = errorsOf(comparisons, random, matched, input.candidateScale)
  return {
    estimate: {
      match_probability: Math.min(MOST_PROBABLE, matches / (input.totalPairs + STRANGER_PAIRS)),
      household_probability: Math.min(MOST_PROBABLE, households / (input.totalPairs + STRANGER_PAIRS)),
      comparisons: comparisons.map((comparison, c) =>
        modelled(comparison, { m: m[c]!, u: u[c]!, errors: errors[c]!, h: h[c]! }),
      ),
    },
    known: new Map(comparisons.map(({ name }, c) => [name, sum(matched[c]!) / input.candidateScale])),
  }
}

function modelled(
  { name, levels, isShared }: Comparison,
  at: Readonly<Record<'m' | 'u' | 'errors' | 'h', readonly number[]>>,
): Estimate['comparisons'][number] {
  return {
    comparison: name,
    levels: levels.map((level, l) => ({
      level: level.name,
      m: at.m[l]!,
      u: at.u[l]!,
      u_error: at.errors[l]!,
      household: isShared ? at.h[l]! : null,
    })),
  }
}

interface Parameters {
  m: number[][]
  h: number[][]
  u: number[][]
  matches: number
  households: number
}

interface Expectation {
  matched: number[][]
  together: number[][]
  matches: number
  households: number
}

function expectation(input: TrainingInput, comparisons: readonly Comparison[], at: Parameters): Expectation {
  const { candidates, candidateScale, totalPairs } = input
  const matchBits = comparisons.map((_, c) => at.m[c]!.map((m, l) => Math.log2(m / at.u[c]![l]!)))
  const householdBits = comparisons.map(({ isShared }, c) =>
    at.h[c]!.map((h, l) => (isShared ? Math.log2(h / at.u[c]![l]!) : 0)),
  )
  const rest = Math.max(1, totalPairs + STRANGER_PAIRS - at.matches - at.households)
  const matchPrior = Math.log2(at.matches / rest)
  const householdPrior = Math.log2(at.households / rest)
  const matched = at.m.map((row) => row.map(() => 0))
  const together = at.h.map((row) => row.map(() => 0))
  let matches = 0
  let households = 0
  for (let k = 0; k < candidates.counts.length; k++) {
    const [all, shared] = frequenciesIn(candidates, k)
    let match = matchPrior + all
    let household = householdPrior + shared
    for (let c = 0; c < comparisons.length; c++) {
      const level = levelIn(candidates, k, c)
      if (level === 0) continue
      match += matchBits[c]![level - 1]!
      household += householdBits[c]![level - 1]!
    }
    const matchOdds = 2 ** Math.min(200, match)
    const householdOdds = 2 ** Math.min(200, household)
    const pairs = candidates.counts[k]! * candidateScale
    const asMatch = (pairs * matchOdds) / (1 + matchOdds + householdOdds)
    const asHousehold = (pairs * householdOdds) / (1 + matchOdds + householdOdds)
    matches += asMatch
    households += asHousehold
    for (let c = 0; c < comparisons.length; c++) {
      const level = levelIn(candidates, k, c)
      if (level === 0) continue
      matched[c]![level - 1]! += asMatch
      together[c]![level - 1]! += asHousehold
    }
  }
  return { matched, together, matches, households }
}

function maximised(
  comparisons: readonly Comparison[],
  counts: readonly number[][],
  prior: (level: Comparison['levels'][number]) => number,
): number[][] {
  return comparisons.map(({ levels }, c) => smoothed(normalised(levels.map(prior)), counts[c]!))
}

function smoothed(prior: readonly number[], counts: readonly number[]): number[] {
  const total = sum(counts) + STRENGTH
  return prior.map((share, l) => (counts[l]! + STRENGTH * share) / total)
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
