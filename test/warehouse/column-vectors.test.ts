import { expect, test } from 'vitest'
import { appendColumns, readIntegers, readNumbers, readTexts } from '../../src/warehouse/column-vectors.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

// More rows than a chunk holds, and a last chunk that is not full.
const COUNT = 5_001
const integers = Int32Array.from({ length: COUNT }, (_, k) => (k % 2 === 0 ? -k : k * 400_000))
const doubles = Float64Array.from({ length: COUNT }, (_, k) => k / 7 - 100)

test('the vectors of DuckDB hold values as typed arrays, for reading and for writing', async () => {
  await withWarehouse(async (db) => {
    await db.run('create table numbers (id integer, value integer, weight double)')
    const ids = Int32Array.from({ length: COUNT }, (_, k) => k)
    await appendColumns(db, 'main.numbers', [ids, integers, doubles], COUNT)
    // Read as rows, without the vectors.
    const rows = await rowsOf(db, 'select value, weight from numbers order by id')
    expect(rows.map((row) => row['value'])).toEqual([...integers])
    expect(rows.map((row) => row['weight'])).toEqual([...doubles])
    const [read, weights] = [new Int32Array(COUNT), new Float64Array(COUNT)]
    let chunks = 0
    await readNumbers(db, 'select id, value, weight from numbers', ([id, value, weight], count) => {
      chunks++
      for (let k = 0; k < count; k++) {
        read[id![k]!] = value![k]!
        weights[id![k]!] = weight![k]!
      }
    })
    expect(chunks).toBeGreaterThan(1)
    expect(read).toEqual(integers)
    expect(weights).toEqual(doubles)
    let sum = 0
    await readIntegers(db, 'select id from numbers', ([id], count) => {
      for (let k = 0; k < count; k++) sum += id![k]!
    })
    expect(sum).toBe((COUNT * (COUNT - 1)) / 2)
  })
})

test('texts are read by their ids: empty, missing, and of several bytes a letter', async () => {
  await withWarehouse(async (db) => {
    await db.run(
      `create table words as select (i + 1)::integer as id,
        case i % 4 when 0 then null when 1 then '' when 2 then 'PEÑA ' || i else 'plain ' || i end as word,
        'second ' || i as other
      from range(20000) as t(i)`,
    )
    const found: string[] = []
    const decoder = new TextDecoder()
    await readTexts(db, { table: 'words', id: 'id', columns: ['word', 'other'] }, (id, bytes, from, to) => {
      found[id - 1] = bytes.map((own, c) => decoder.decode(own.subarray(from[c], to[c]))).join('|')
    })
    const expected = Array.from({ length: 20_000 }, (_, i) => {
      const word = ['', '', `PEÑA ${i}`, `plain ${i}`][i % 4]!
      return `${word}|second ${i}`
    })
    expect(found).toEqual(expected)
  })
})
