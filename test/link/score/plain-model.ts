import { type AppliedModel, applyModel } from '../../../src/link/model/applied-model.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'
import { TermCounts } from '../../../src/link/model/term-counts.ts'
import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import type { Records } from '../../../src/link/records/records.ts'

/** Returns a model with the m and u that levels have before training, for records built by hand. Values are counted in the records. */
export function plainModel(records: Records, changes: Partial<LinkModel> = {}): AppliedModel {
  const comparisons = comparisonsOf(records.attributes)
  const terms = new TermCounts(records).source()
  return applyModel(records, terms, {
    version: 1,
    trained_on: '2026-01-01',
    record_count: records.count,
    match_probability: 0.001,
    household_probability: 0.002,
    block_limit: 1500,
    attributes: [...records.attributes],
    agreements: Object.fromEntries(comparisons.map(({ name, levels }) => [name, levels[0]!.u])),
    own_records: {},
    repeats: [],
    people_by_records: [],
    totals: { ...terms.totals },
    comparisons: comparisons.map(({ name, levels }) => ({
      comparison: name,
      levels: levels.map(({ name: level, m, u, household = null }) => ({ level, m, u, household })),
    })),
    ...changes,
  })
}
