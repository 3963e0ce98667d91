import { compareBirthDates } from '../../../src/link/compare/birth-dates.ts'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { type FrequencyWeights, frequencyWeights } from '../../../src/link/model/frequencies.ts'
import type { FullRun } from '../../../src/link/run.ts'
import { AT, type Comparison, comparisonsOf, FIRST, LAST } from '../../../src/link/compare/levels.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../../../src/link/records/records.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'
import { NAME_CASES, type Names, NAMES, namesIn } from '../../../src/link/compare/name-agreement.ts'
import { PairFinder } from '../../../src/link/block/candidates.ts'
import { mergedPatterns, type Pattern, PatternCounter } from '../../../src/link/model/patterns.ts'
import { namesakePairs, shuffled, totalPairs } from '../../../src/link/model/draw-pairs.ts'
import { type NamePairs, type ExpectedDuplicates, TermCounts } from '../../../src/link/model/term-counts.ts'
import { withFullNames } from '../../../src/link/model/train.ts'

/** Pairs of strangers that are compared in full, and those whose birth dates alone are compared. */
const STRANGERS = 3_000_000
const STRANGER_BIRTHS = 20_000_000
/** Candidate pairs that teach how members of one household agree. */
const HOUSEHOLD_PAIRS = 1_000_000
const HOUSEHOLD_ROUNDS = 60
/** The prior of a level counts as this many pairs, so that no share is zero. */
const PRIOR_PAIRS = 1
/** Strangers in general count as this many strangers of one name, and the prior of a household as this many households. */
const PRIOR_NAMESAKES = 20

/** A model counted from the truth, and the counts of values that it weighs by. */
export interface TruthModel {
  readonly model: LinkModel
  readonly terms: TermCounts
}

/**
 * The model that the scorer would have if training knew the truth. m: shares of all true pairs, candidates or not. u: shares of
 * pairs drawn at random that are no true pairs (by how the names agree, pairs drawn among namesakes); of levels by frequency,
 * the counts of the values less the records that a person has of each. Priors: true pairs among all pairs. Records per person: those of the truth. What traits repeat is what training found, which needs no truth. The household class is
 * no part of the truth: it is estimated among candidate pairs that are no true pairs.
 */
export function truthModel(run: FullRun, truth: readonly string[], trainedOn: string): TruthModel {
  const { records } = run
  const people = numbered(truth)
  const comparisons = comparisonsOf(records.attributes)
  const terms = new TermCounts(records)
  const matched = matchedLevels(records, people, comparisons)
  const totals = terms.totals()
  const own: ExpectedDuplicates = Object.fromEntries(
    comparisons.map(({ name }, c) => [name, (2 * matched.levels[c]![0]!) / Math.max(1, totals[name] ?? 0)]),
  )
  const agreements = { ...terms.agreements(own), ...terms.fullNames(matched) }
  const m = comparisons.map(({ levels }, c) =>
    shares(
      matched.levels[c]!,
      levels.map((level) => level.m),
    ),
  )
  const strangers = strangerLevels(records, people, comparisons)
  const u = comparisons.map(({ name, levels }, c) => {
    const drawn = shares(
      strangers[c]!,
      levels.map((level) => level.u),
    )
    return levels.map(({ name: level, byFrequency }, l) => {
      if (byFrequency !== true) return drawn[l]!
      return agreements[level === 'nickname' || level === 'swapped' ? level : name] ?? drawn[l]!
    })
  })
  const byNames = withFullNames(strangersByNames(records, people, comparisons, u), agreements)
  const frequencies = frequencyWeights(records, terms.source(), {
    ...run.model,
    agreements,
    own_records: own,
  })
  const household = householdClass(run, people, comparisons, frequencies, byNames)
  const pairs = totalPairs(records)
  const model: LinkModel = {
    ...run.model,
    trained_on: trainedOn,
    match_probability: Math.max(1, matched.pairs) / pairs,
    household_probability: household.pairs / pairs,
    agreements,
    own_records: own,
    people_by_records: peopleByRecords(people),
    totals,
    comparisons: comparisons.map(({ name, isShared, repeatsNames, levels }, c) => ({
      comparison: name,
      levels: levels.map(({ name: level }, l) => ({
        level,
        m: m[c]![l]!,
        u: u[c]![l]!,
        u_error: 0,
        household: isShared ? household.levels[c]![l]! : null,
        ...(repeatsNames === true || c === AT.first_name ? { u_by_names: amongNames(byNames, c, l) } : {}),
      })),
    })),
  }
  return { model, terms }
}

/** By how the names stand to each other, comparison and level. */
type ByNames = number[][][]

function amongNames(byNames: ByNames, c: number, l: number): { last: number; first: number; both: number } {
  const among = (names: Names): number => byNames[names]![c]![l]!
  return { last: among(NAMES.last), first: among(NAMES.first), both: among(NAMES.both) }
}

function strangersByNames(
  records: Records,
  people: Int32Array,
  comparisons: readonly Comparison[],
  u: readonly (readonly number[])[],
): ByNames {
  const comparer = new PairComparer(records)
  const counts = Array.from({ length: NAME_CASES }, () => noCounts(comparisons))
  const { left, right } = namesakePairs(records, shuffled(records))
  for (let k = 0; k < left.length; k++) {
    if (people[left[k]!] === people[right[k]!]) continue
    comparer.compare(left[k]!, right[k]!)
    count(counts[namesIn(comparer)]!, comparer)
  }
  return counts.map((levels, names) =>
    comparisons.map(({ repeatsNames }, c) =>
      repeatsNames === true && names !== NAMES.differ
        ? shares(levels[c]!, u[c]!, PRIOR_NAMESAKES)
        : [...u[c]!],
    ),
  )
}

function numbered(truth: readonly string[]): Int32Array {
  const numbers = new Map<string, number>()
  return Int32Array.from(truth, (person) => {
    const known = numbers.get(person)
    if (known !== undefined) return known
    numbers.set(person, numbers.size)
    return numbers.size - 1
  })
}

// True pairs by comparison and level; pairs within a duplicate-free source cannot be compared and do not count.
function matchedLevels(
  records: Records,
  people: Int32Array,
  comparisons: readonly Comparison[],
): { pairs: number; levels: number[][] } & NamePairs {
  const comparer = new PairComparer(records)
  const levels = noCounts(comparisons)
  let straight = 0
  let swapped = 0
  const members = Map.groupBy(people.keys(), (i) => people[i]!)
  let pairs = 0
  for (const own of members.values()) {
    for (let a = 0; a < own.length; a++) {
      for (let b = a + 1; b < own.length; b++) {
        if (isBarred(records, own[a]!, own[b]!)) continue
        pairs++
        comparer.compare(own[a]!, own[b]!)
        count(levels, comparer)
        const [first, last] = [comparer.levels[AT.first_name], comparer.levels[AT.last_name]]
        if (first === FIRST.exact && last === LAST.exact) straight++
        if (first === FIRST.swapped) swapped++
      }
    }
  }
  return { pairs, levels, straight, swapped }
}

// Pairs of different people, drawn as training draws them: each record with those that follow it in the order of their ids' hashes.
function strangerLevels(
  records: Records,
  people: Int32Array,
  comparisons: readonly Comparison[],
): number[][] {
  const comparer = new PairComparer(records)
  const levels = noCounts(comparisons)
  forStrangers(records, people, STRANGERS, (i, j) => {
    comparer.compare(i, j)
    count(levels, comparer)
  })
  const births = levels[AT.birth_date]!.fill(0)
  const { rows, width } = records
  forStrangers(records, people, STRANGER_BIRTHS, (i, j) => {
    const level = compareBirthDates(rows[i * width + SLOT.birth]!, rows[j * width + SLOT.birth]!)
    if (level !== 0) births[level - 1]!++
  })
  return levels
}

function forStrangers(
  records: Records,
  people: Int32Array,
  wanted: number,
  take: (i: number, j: number) => void,
): void {
  const { count: total } = records
  const order = shuffled(records)
  const steps = Math.min((total - 1) >> 1, Math.ceil(wanted / Math.max(1, total)))
  for (let step = 1; step <= steps; step++) {
    for (let k = 0; k < total; k++) {
      const i = order[k]!
      const j = order[(k + step) % total]!
      if (people[i] !== people[j] && !isBarred(records, i, j)) take(Math.min(i, j), Math.max(i, j))
    }
  }
}

// Expectation maximisation of two classes, household and unrelated, over candidate pairs that are no true pairs.
function householdClass(
  run: FullRun,
  people: Int32Array,
  comparisons: readonly Comparison[],
  frequencies: FrequencyWeights,
  byNames: ByNames,
): { pairs: number; levels: number[][] } {
  const { records } = run
  const { patterns, scale } = otherCandidates(run, people, frequencies)
  const all = totalPairs(records)
  const start = comparisons.map(({ levels }) =>
    shares(
      levels.map(() => 0),
      levels.map((level) => level.household ?? level.m),
    ),
  )
  let levels = start
  let pairs = Math.max(1, records.count * 0.3)
  for (let round = 0; round < HOUSEHOLD_ROUNDS; round++) {
    const found = noCounts(comparisons)
    const bits = byNames.map((u) =>
      comparisons.map(({ isShared }, c) =>
        levels[c]!.map((share, l) => (isShared ? Math.log2(share / u[c]![l]!) : 0)),
      ),
    )
    const prior = Math.log2(pairs / Math.max(1, all - pairs))
    pairs = 0
    for (const { levels: agreed, names, sharedFrequency, count: size } of patterns) {
      let sum = prior + sharedFrequency
      agreed.forEach((level, c) => {
        if (level !== 0) sum += bits[names]![c]![level - 1]!
      })
      const odds = 2 ** Math.min(200, sum)
      const together = (size * scale * odds) / (1 + odds)
      pairs += together
      agreed.forEach((level, c) => {
        if (level !== 0) found[c]![level - 1]! += together
      })
    }
    pairs = Math.max(0.5, pairs)
    levels = comparisons.map(({ isShared, isFixed }, c) =>
      isShared && isFixed !== true ? shares(found[c]!, start[c]!, PRIOR_NAMESAKES) : start[c]!,
    )
  }
  return { pairs, levels }
}

// The candidates of one record in `scale`, by the record's rank, that are no true pairs.
function otherCandidates(
  { records, blocks, pairs }: FullRun,
  people: Int32Array,
  frequencies: FrequencyWeights,
): { patterns: readonly Pattern[]; scale: number } {
  const scale = Math.max(1, Math.ceil(pairs / HOUSEHOLD_PAIRS))
  const comparer = new PairComparer(records)
  const finder = new PairFinder(records, blocks)
  const counter = new PatternCounter(records, frequencies)
  for (let i = 0; i < records.count; i++) {
    if (Math.floor(records.ranks[i]! / 64) % scale !== 0) continue
    const found = finder.find(i)
    for (let k = 0; k < found; k++) {
      const j = finder.candidates[k]!
      if (people[i] === people[j]) continue
      comparer.compare(i, j)
      counter.add(comparer)
    }
  }
  return { patterns: mergedPatterns([counter.counts]), scale }
}

function peopleByRecords(people: Int32Array): number[] {
  const records = new Int32Array(people.length)
  for (const person of people) records[person]!++
  const counts: number[] = []
  for (const own of records) {
    if (own === 0) continue
    while (counts.length < own) counts.push(0)
    counts[own - 1]!++
  }
  return counts
}

function isBarred({ rows, width, sources }: Records, i: number, j: number): boolean {
  const source = rows[i * width + SLOT.source]!
  return source === rows[j * width + SLOT.source] && (sources[source]! & DUPLICATE_FREE) !== 0
}

function noCounts(comparisons: readonly Comparison[]): number[][] {
  return comparisons.map(({ levels }) => levels.map(() => 0))
}

function count(levels: number[][], comparer: PairComparer): void {
  for (let c = 0; c < levels.length; c++) {
    const level = comparer.levels[c]!
    if (level !== 0) levels[c]![level - 1]!++
  }
}

function shares(counts: readonly number[], prior: readonly number[], priorPairs = PRIOR_PAIRS): number[] {
  const all = counts.reduce((sum, pairs) => sum + pairs, 0) + priorPairs
  const whole = prior.reduce((sum, share) => sum + share, 0)
  return counts.map((pairs, l) => (pairs + (priorPairs * prior[l]!) / whole) / all)
}
