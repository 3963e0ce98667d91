import { expect, test } from 'vitest'
import { checkTables } from '../../src/publish/check-tables.ts'
import type { Check } from '../../src/warehouse/models.ts'
import { withWarehouse } from '../support/warehouse.ts'

const signal = new AbortController().signal

function check(name: string, select: string): Check {
  return { name, file: `${name}.sql`, select, meaning: `${name} is wrong`, remedy: 'look at link.people.' }
}
const finding = (rows: number): string =>
  `select 'P' || range as person_id, 'x' as other from range(${rows}) order by 1`

test.each([
  [1, '(P0)'],
  [2, '(P0, P1)'],
  [3, '(P0, P1, P2, …)'],
  [9, '(P0, P1, P2, …)'],
])('a check that finds %i rows stops, with its name, meaning, keys and remedy', async (rows, keys) => {
  await withWarehouse(async (db) => {
    const failed = checkTables(db, [check('names', finding(rows))], signal)
    await expect(failed).rejects.toMatchObject({
      code: 'check_failed',
      message: `check names failed: names is wrong ${keys}. Look at link.people. The snapshot published before keeps serving.`,
      details: { check: 'names' },
    })
  })
})

test('checks run in their order: none that finds nothing stops, none runs after one that finds rows', async () => {
  await withWarehouse(async (db) => {
    await checkTables(db, [check('a', finding(0)), check('b', finding(0))], signal)
    const list = [check('a', finding(0)), check('b', finding(1)), check('c', 'select no_such_column')]
    await expect(checkTables(db, list, signal)).rejects.toMatchObject({ details: { check: 'b' } })
  })
})

test('a stopped run checks nothing more', async () => {
  await withWarehouse(async (db) => {
    const stopped = AbortSignal.abort(new Error('the run is stopped'))
    await expect(checkTables(db, [check('a', 'select no_such_column')], stopped)).rejects.toThrow(
      'the run is stopped',
    )
  })
})
