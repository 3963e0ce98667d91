import { expect, test } from 'vitest'
import { Dictionary } from '../../src/lookup/format/dictionary.ts'
import { keyedTexts, readTexts, textsAsColumns } from '../../src/publish/dictionaries.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

const signal = new AbortController().signal

const keyOf = (text: string): string => text.toUpperCase()

const TEXTS = ['', 'A', 'AB', 'B', 'Z', 'É', 'ÉE', '中']

test('texts of any alphabet are read back by their numbers, and found by their texts', async () => {
  await withWarehouse(async (db) => {
    const values = TEXTS.map((text) => `('${text}')`).join(', ')
    const select = `select * from (values ${values}) as t(x) order by x`
    const texts = await readTexts(db, select, signal)
    const { start, text } = textsAsColumns(texts)
    const dictionary = new Dictionary(start, text)
    expect(texts).toEqual(TEXTS)
    expect(Array.from({ length: dictionary.size }, (_, number) => dictionary.text(number))).toEqual(TEXTS)
    expect(TEXTS.map((one) => dictionary.find(one))).toEqual(TEXTS.map((_, number) => number))
    expect(dictionary.find('AC')).toBe(-1)
  })
})

test('texts with one key share its number, the empty key is number 0, and every text has a row', async () => {
  await withWarehouse(async (db) => {
    await db.run(
      `create temp table streets as select * from (values ('Oak'), ('OAK'), ('elm'), ('Oak'), ('Ash')) as t(street)`,
    )
    const of = { name: 'street', expression: 'street', from: 'streets', keyOf }
    const { start, text } = await keyedTexts(db, of, signal)
    const dictionary = new Dictionary(start, text)
    expect(Array.from({ length: dictionary.size }, (_, number) => dictionary.text(number))).toEqual([
      '',
      'ASH',
      'ELM',
      'OAK',
    ])
    expect(await rowsOf(db, 'select text, number from street_texts order by text')).toEqual([
      { text: 'Ash', number: 1 },
      { text: 'OAK', number: 3 },
      { text: 'Oak', number: 3 },
      { text: 'elm', number: 2 },
    ])
  })
})
