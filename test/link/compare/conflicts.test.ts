import { expect, test } from 'vitest'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { conflictOf } from '../../../src/link/compare/conflicts.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'
import type { MentionRow } from '../records/random-mentions.ts'

const CHARLES = { first_name: 'CHARLES', last_name: 'ORCHARD', birth_year: 1958, birth_month: 10, birth_day: 7 } // prettier-ignore
const OTHER_DATE = { birth_year: 1985, birth_month: 3, birth_day: 30 }

test.each<[string, MentionRow, string | undefined]>([
  [
    'another name on another day',
    { first_name: 'ROBERT', ...OTHER_DATE },
    'different first names and birth dates',
  ],
  [
    'a name that looks alike on another day',
    { first_name: 'CHARLOTTE', ...OTHER_DATE },
    'different first names and birth dates',
  ],
  ['a name that looks alike on one day', { first_name: 'CHARLOTTE' }, undefined],
  [
    'a name that looks alike in another year, the day unknown',
    { first_name: 'CHARLOTTE', birth_year: 1985, birth_month: null, birth_day: null },
    undefined,
  ],
  ['a slip of the pen on another day', { first_name: 'CHARLSE', ...OTHER_DATE }, undefined],
  ['the short form on another day', { first_name: 'CHUCK', ...OTHER_DATE }, undefined],
  [
    'another name on one day under another last name',
    { first_name: 'ROBERT', last_name: 'NOWAK' },
    undefined,
  ],
  [
    'another name without a date under another last name',
    { first_name: 'ROBERT', last_name: 'NOWAK', birth_year: null, birth_month: null, birth_day: null },
    'different first and last names',
  ],
])('CHARLES ORCHARD and %s', async (_, changed, reason) => {
  // prettier-ignore
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    const rows = [{ ...CHARLES, record_id: 'a' }, { ...CHARLES, ...changed, record_id: 'b' }]
    await given(db, 'link.records', rows.map((row) => ({ source_id: 'lists', ...row }))) // prettier-ignore
    const { records } = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
    const [a, b] = await rowsOf(db, 'select record_number from link.coded_records order by record_id')
    const [i, j] = [Number(a!['record_number']), Number(b!['record_number'])]
    const comparer = new PairComparer(records)
    comparer.compare(i, j)
    expect(conflictOf(records, comparer, i, j)?.reason).toBe(reason)
  })
})
