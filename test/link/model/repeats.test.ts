import { expect, test } from 'vitest'
import { AT, FIRST, LAST, PLACE } from '../../../src/link/compare/levels.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { weightLessRepeats, repeatedShares } from '../../../src/link/model/repeats.ts'
import { clusterFigures } from '../../bench/link/figures.ts'
import { truthOf } from '../../bench/link/run-set.ts'
import { CANDIDATES } from '../../bench/link/worlds/candidates.ts'
import { fillWorldRecords, loadWorld } from '../../bench/link/worlds/load-world.ts'
import { withWarehouse } from '../../support/warehouse.ts'

const PARTY = AT.attributes
const shares = repeatedShares(
  { attributes: [{ kind: 'party', isIdentifier: false }] },
  {
    agreements: { party: 0.05 },
    repeats: [{ comparison: 'party', of: 'place', agreement: 0.24 }],
    comparisons: [],
  },
)

/** Levels of a pair with different names. */
function levelsOf(place: number): Uint8Array {
  const levels = new Uint8Array(PARTY + 1)
  levels[AT.first_name] = FIRST.different
  levels[AT.last_name] = LAST.different
  levels[AT.place] = place
  return levels
}

test('a rare trait of two records of one place adds no more than the share of neighbours who have it in common', () => {
  // A fifth of the neighbours agree because they are neighbours: (.24 - .05) / .95.
  const rare = weightLessRepeats(shares, levelsOf(PLACE.city), PARTY, 10)
  expect(rare).toBeCloseTo(Math.log2(0.05 / (0.2 + (0.8 * 0.05) / 1024)), 9)
  // Log2(1 / .05) bits of agreement as such come before it.
  expect(rare + Math.log2(1 / 0.05)).toBeLessThan(-Math.log2(0.2))
})

test('elsewhere, and where the place is not known, the trait adds what its frequency says', () => {
  for (const place of [0, PLACE.near, PLACE.different]) {
    expect(weightLessRepeats(shares, levelsOf(place), PARTY, 10)).toBe(10)
    expect(weightLessRepeats(shares, levelsOf(place), PARTY, -3)).toBe(-3)
  }
})

test('candidates of one list, who share district and party, are not taken for one person', async () => {
  const world = CANDIDATES[1]!
  await withWarehouse(async (db) => {
    await fillWorldRecords(db, world, 8000)
    await loadWorld(db, world)
    const { clusters, model } = await linkAllRecords(db, { threads: 2, today: '2026-01-01' })
    expect(model.repeats.map(({ comparison, of }) => `${comparison} of ${of}`)).toContain(
      'occupation of place',
    )
    const { precision, recall } = clusterFigures(clusters.smallest, await truthOf(db))
    expect(precision).toBeGreaterThan(0.97)
    expect(recall).toBeGreaterThan(0.97)
  })
})
