import {
  Bool,
  DateMillisecond,
  Decimal,
  Field,
  Float64,
  Int32,
  Int64,
  List,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import { expect, test } from 'vitest'
import { rowsOf } from '../../../src/cluster/spark/arrow-rows.ts'

test('values of each type, and nulls, are plain values', () => {
  const table = new Table({
    id: vectorFromArray([2n ** 62n, null], new Int64()),
    unit: vectorFromArray([3, null], new Int32()),
    weight: vectorFromArray([0.1, null], new Float64()),
    is_new: vectorFromArray([true, null], new Bool()),
    name: vectorFromArray(['Ana', null], new Utf8()),
    seen_on: vectorFromArray([new Date('2026-01-02'), null], new DateMillisecond()),
    units: vectorFromArray([[1, 2], null], new List(new Field('item', new Int32(), true))),
    sum: vectorFromArray(
      [Uint32Array.of(7, 0, 1, 0), Uint32Array.of(2 ** 32 - 3, 2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1)],
      new Decimal(0, 38),
    ),
  })
  const nothing = { id: null, unit: null, weight: null, is_new: null, name: null, seen_on: null, units: null }
  expect(rowsOf(tableToIPC(table))).toEqual([
    {
      id: 2n ** 62n,
      unit: 3,
      weight: 0.1,
      is_new: true,
      name: 'Ana',
      seen_on: Date.UTC(2026, 0, 2),
      units: [1, 2],
      sum: 2n ** 64n + 7n,
    },
    { ...nothing, sum: -3n },
  ])
})

test('a decimal with a fraction is refused by its column', () => {
  const table = new Table({ price: vectorFromArray([Uint32Array.of(150, 0, 0, 0)], new Decimal(2, 10)) })
  expect(() => rowsOf(tableToIPC(table))).toThrow('the column price is a decimal with a fraction')
})

test('a batch without rows has no rows', () => {
  expect(rowsOf(tableToIPC(new Table({ id: vectorFromArray([], new Int64()) })))).toEqual([])
})
