import { expect, test } from 'vitest'
import { linkAllRecords } from '../../../src/link/run.ts'
import { withWarehouse } from '../../support/warehouse.ts'
import { truthOf } from './run-set.ts'
import { truthModel } from './truth-model.ts'
import { recordsOf, type WorldRecord } from './worlds/kit/world.ts'
import { fillWorldRecords, loadWorld } from './worlds/load-world.ts'
import { NAMES_AND_BIRTH } from './worlds/names-and-birth.ts'

const RECORDS = 600

test('the truth-trained model has the shares that counting all true pairs gives', async () => {
  const world = NAMES_AND_BIRTH[0]!
  await withWarehouse(async (db) => {
    await fillWorldRecords(db, world, RECORDS)
    await loadWorld(db, world)
    const run = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
    const { model } = truthModel(run, await truthOf(db), '2026-01-01')

    const pairs = truePairs([...recordsOf(world, RECORDS)])
    const allPairs = (RECORDS * (RECORDS - 1)) / 2
    expect(model.match_probability * allPairs).toBeCloseTo(pairs.length, 6)
    const birth = model.comparisons.find(({ comparison }) => comparison === 'birth_date')!.levels
    const m = Object.fromEntries(birth.map((level) => [level.level, level.m]))
    // January 1 has a level of its own.
    const equal = pairs.filter(([one, other]) => one.birth_date === other.birth_date)
    const exact = equal.filter(([one]) => !one.birth_date!.endsWith('-01-01'))
    // The prior counts as one pair.
    expect(m['exact']).toBeCloseTo(exact.length / pairs.length, 2)
    for (const { levels } of model.comparisons) {
      expect(levels.reduce((sum, level) => sum + level.m, 0)).toBeCloseTo(1, 9)
    }
    expect(model.people_by_records.reduce((sum, people, k) => sum + people * (k + 1), 0)).toBe(RECORDS)
  })
})

function truePairs(records: readonly WorldRecord[]): [WorldRecord, WorldRecord][] {
  return [...Map.groupBy(records, ({ truth }) => truth).values()].flatMap((own) =>
    own.flatMap((one, a) => own.slice(a + 1).map((other): [WorldRecord, WorldRecord] => [one, other])),
  )
}
