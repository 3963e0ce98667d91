import { sample, string } from 'fast-check'
import { expect, test } from 'vitest'
import { addressId, businessId, propertyId } from '../../src/normalize/identifier.ts'
import { createMacros } from '../../src/warehouse/models.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

test('ids made in SQL are the ids made in TypeScript', async () => {
  await withWarehouse(async (db) => {
    await createMacros(db)
    const keys = sample(string({ unit: 'grapheme', minLength: 1 }), { numRuns: 200, seed: 7 })
    for (const key of [...keys, '12011|494126DD0410', 'a', '']) {
      const [row] = (
        await db.runAndReadAll("select derived_id('A', $key), derived_id('B', $key)", { key })
      ).getRows()
      expect(row).toEqual([addressId(key), businessId(key)])
    }
    const [row] = await rowsOf(db, "select derived_id('R', '12011|' || upper(trim(' 494126dd0410 '))) as id")
    expect(row).toEqual({ id: propertyId('12011', ' 494126dd0410 ') })
  })
})

test('an event id is a version 5 UUID, the same for the same document', async () => {
  await withWarehouse(async (db) => {
    await createMacros(db)
    const [row] = await rowsOf(db, "select event_uuid('12011|119840338|494126DD0410') as one, event_uuid('12011|119840338|494126DD0410') as again, event_uuid('x') as other") // prettier-ignore
    expect(row?.['one']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(row?.['again']).toBe(row?.['one'])
    expect(row?.['other']).not.toBe(row?.['one'])
  })
})

test.each([
  ["middle_name_level('ANN', 'A')", 1],
  ["middle_name_level('ANN', 'BETH')", -1],
])('%s is %i', async (call, expected) => {
  await withWarehouse(async (db) => {
    await createMacros(db)
    expect(await rowsOf(db, `select ${call} as level`)).toEqual([{ level: expected }])
  })
})

test.each([
  ['123 MAIN ST', null, null, '123 MAIN ST'],
  ['C/O JANE ROE', '123 MAIN ST', 'APT 4', '123 MAIN ST APT 4'],
  ['ATTN TAX DEPT', 'SUITE', 'PO BOX 12', 'PO BOX 12'],
  ['GENERAL DELIVERY', null, null, 'GENERAL DELIVERY'],
])('the street line of %s, %s, %s is %s', async (line_1, line_2, line_3, expected) => {
  await withWarehouse(async (db) => {
    await createMacros(db)
    const [row] = (
      await db.runAndReadAll('select mail_line($line_1, $line_2, $line_3)', { line_1, line_2, line_3 })
    ).getRows()
    expect(row).toEqual([expected])
  })
})

test('keys of dictionaries that older versions filled are still found', async () => {
  await withWarehouse(async (db) => {
    await createMacros(db)
    const texts = `(values (''), ('surname_first ROE JANE'), ('MÜLLER'), (null)) as texts(text)`
    const rows = await rowsOf(db, `select text_key(text) = md5_number_lower(text) as is_same from ${texts}`)
    expect(rows.map((row) => row['is_same'])).toEqual([true, true, true, null])
  })
})
