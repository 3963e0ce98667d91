import { referenceRows } from '../../normalize/reference.ts'
import { comparisonsOf } from '../compare/levels.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { totalPairs } from './draw-pairs.ts'
import { TermCounts } from './term-counts.ts'
import { MOST_PROBABLE, STRANGER_PAIRS } from './train.ts'

interface Shares {
  readonly m: number
  readonly u: number
  readonly household: number | null
  /** u among strangers who share both names; null where the names make no difference. */
  readonly namesakes: number | null
}

/** Expected pairs of one person per record. Most inputs have more, so the default model joins too few records. */
const PAIRS_PER_RECORD = 0.1

/**
 * Builds the default model for records whose own model was refused when there is no earlier model.
 * m and u come from `data/reference/default-link-model.csv` and describe US lists and registers. They assume more
 * errors among true pairs, and more chance agreement among strangers, than most inputs have. So the model finds fewer
 * pairs, and joins people of the same name only on independent evidence.
 * Value frequencies are counted in the records. `repeats` come from the refused model; both are known without
 * training.
 */
export function defaultModel(
  records: Records,
  { block_limit, repeats }: Pick<LinkModel, 'block_limit' | 'repeats'>,
  today: string,
): LinkModel {
  const terms = new TermCounts(records)
  const agreements = terms.agreements({})
  const shares = readShares()
  const fixed = comparisonsOf([]).length
  const expected = (PAIRS_PER_RECORD * records.count) / (totalPairs(records) + STRANGER_PAIRS)
  return {
    version: 1,
    is_default: true,
    trained_on: today,
    record_count: records.count,
    match_probability: Math.min(MOST_PROBABLE, expected),
    household_probability: Math.min(MOST_PROBABLE, 3 * expected),
    block_limit,
    attributes: records.attributes.map(({ kind, isIdentifier }) => ({ kind, isIdentifier })),
    agreements,
    own_records: {},
    repeats,
    people_by_records: [],
    totals: terms.totals(),
    comparisons: comparisonsOf(records.attributes).map(({ name, levels, isShared }, c) => {
      const attribute = records.attributes[c - fixed]
      const of = shares.get(name) ?? shares.get(attribute?.isIdentifier === true ? 'identifier' : 'trait')!
      return {
        comparison: name,
        levels: levels.map((level) => {
          // The reference file may lack a newer level; use the prior of that level.
          const own = of.get(level.name) ?? { m: level.m, u: level.u, household: level.household ?? null, namesakes: null } // prettier-ignore
          const key = level.name === 'nickname' || level.name === 'swapped' ? level.name : name
          const u = level.byFrequency === true ? (agreements[key] ?? own.u) : own.u
          const both =
            level.byFrequency === true && own.namesakes !== null ? Math.max(own.namesakes, u) : own.namesakes
          return {
            level: level.name,
            m: own.m,
            u,
            household: isShared ? (own.household ?? own.m) : null,
            ...(both === null
              ? {}
              : { u_by_names: { last: between(u, both), first: between(u, both), both } }),
          }
        }),
      }
    }),
  }
}

// Returns u of strangers who share one of the two names.
function between(u: number, both: number): number {
  return Math.sqrt(u * both)
}

function readShares(): Map<string, Map<string, Shares>> {
  const shares = new Map<string, Map<string, Shares>>()
  for (const [comparison = '', level = '', m, u, household, namesakes] of referenceRows(
    'default-link-model.csv',
  )) {
    const own = shares.get(comparison) ?? new Map<string, Shares>()
    own.set(level, {
      m: Number(m),
      u: Number(u),
      household: numberOf(household),
      namesakes: numberOf(namesakes),
    })
    shares.set(comparison, own)
  }
  return shares
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === '' ? null : Number(text)
}
