import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { WORLDS } from './all-worlds.ts'
import { recordsOf, WORLD_COLUMNS } from './kit/world.ts'

const RECORDS = 3000

test.each(WORLDS)('world $name: the same records from the same seed', (world) => {
  const hashOf = (): string =>
    createHash('sha256')
      .update(JSON.stringify([...recordsOf(world, 500)]))
      .digest('hex')
  expect(hashOf()).toBe(hashOf())
})

test.each(WORLDS)('world $name: the stated share of records repeats a person', (world) => {
  const truths = [...recordsOf(world, RECORDS)].map(({ truth }) => truth)
  expect(truths).toHaveLength(RECORDS)
  const share = 1 - new Set(truths).size / RECORDS
  expect(Math.abs(share - world.repeats)).toBeLessThan(0.03)
})

test.each(WORLDS)('world $name: the named columns have values, and no other column has', (world) => {
  const records = [...recordsOf(world, RECORDS)]
  const filled = WORLD_COLUMNS.filter((column) =>
    records.some((record) => record[column] !== undefined && record[column] !== ''),
  )
  expect(filled.sort()).toEqual(world.columns.flat().sort())
})

test('no two worlds have one name', () => {
  expect(new Set(WORLDS.map(({ name }) => name)).size).toBe(WORLDS.length)
})
