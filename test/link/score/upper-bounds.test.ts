import { expect, test } from 'vitest'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { AT, comparisonsOf } from '../../../src/link/compare/levels.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { UpperBounds } from '../../../src/link/score/upper-bounds.ts'
import { levelWeights, PairWeigher } from '../../../src/link/model/weights.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from '../records/random-mentions.ts'

test.each([1, 2, 3])(
  'in world %i no pair is given up for less than its places and contacts say',
  async (seed) => {
    await withWarehouse(async (db) => {
      await createRecordTables(db)
      await given(db, 'link.records', randomMentions(seed).take(250))
      const { records, frequencies, model } = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
      // What training learns of invented records says that an address is no evidence: so by the priors.
      const comparisons = comparisonsOf(records.attributes).map(({ name, levels }) => ({
        comparison: name,
        levels: levels.map(({ name: level, m, u, household = null }) => ({ level, m, u, household })),
      }))
      const weights = levelWeights({ ...model, comparisons }, records.attributes)
      const comparer = new PairComparer(records)
      const weigher = new PairWeigher(weights, frequencies, records)
      const bounds = new UpperBounds(records, weights, frequencies)
      const givenUp: unknown[] = []
      for (let i = 0; i < records.count; i++) {
        for (let j = 0; j < i; j++) {
          comparer.compare(i, j)
          const places = weigher.sumOf(comparer, AT.address, AT.phone)
          const contacts = weigher.sumOf(comparer, AT.phone, comparer.levels.length)
          // Bounds are kept as 32-bit numbers.
          if (bounds.places(i, j) < places - 1e-4) givenUp.push({ i, j, places, bound: bounds.places(i, j) })
          if (bounds.contacts(i, j) < contacts - 1e-4)
            givenUp.push({ i, j, contacts, bound: bounds.contacts(i, j) })
        }
      }
      expect(givenUp).toEqual([])
    })
  },
)
