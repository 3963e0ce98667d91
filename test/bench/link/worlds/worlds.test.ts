import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { WORLDS } from './all-worlds.ts'
import { MOST_TYPOS, withTypos } from './heavy-typos.ts'
import { Dice } from './kit/dice.ts'
import { mistyped, type TypoKind } from './kit/typos.ts'
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

test('random numbers follow from the seed alone, on every machine', () => {
  const dice = new Dice('a seed')
  expect([dice.below(1000), dice.below(1000), dice.below(1000)]).toEqual([941, 242, 905])
})

test.each<TypoKind>(['keyboard', 'reading', 'sound', 'slip'])(
  'a typo by %s changes one or two letters',
  (kind) => {
    const dice = new Dice(kind)
    for (const text of ['CATHERINE', 'PHILLIPS', 'OX', 'LEE', 'CEDAR RAPIDS']) {
      for (let time = 0; time < 200; time++) {
        const wrong = mistyped(dice, text, kind)
        expect(wrong).not.toBe(text)
        expect(editsBetween(text, wrong)).toBeLessThanOrEqual(2)
      }
    }
  },
)

test.each([1, 2, 3, MOST_TYPOS])('%i typos change one to so many fields of a record', (typos) => {
  const dice = new Dice('typos')
  const birth = { year: 1957, month: 6, day: 24 }
  const right = {
    first_name: 'CATHERINE',
    last_name: 'PHILLIPS',
    birth_date: '1957-06-24',
    street_name: 'WALNUT ST',
    city: 'CEDAR RAPIDS',
    zip: '30117',
    phone: '4125550199',
  }
  const changes = Array.from({ length: 300 }, () => {
    const wrong = withTypos(dice, right, birth, typos)
    const fields = Object.keys(right) as (keyof typeof right)[]
    return fields.filter((field) => wrong[field] !== right[field]).length
  })
  expect(Math.max(...changes)).toBe(typos)
  // Day and month exchanged twice, or a digit that is put right again.
  expect(changes.filter((changed) => changed === 0).length).toBeLessThan(5 * typos)
})

function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (let a = 1; a <= one.length; a++) {
    const next = [a]
    for (let b = 1; b <= other.length; b++) {
      const same = one[a - 1] === other[b - 1] ? 0 : 1
      next.push(Math.min(row[b]! + 1, next[b - 1]! + 1, row[b - 1]! + same))
    }
    row = next
  }
  return row[other.length]!
}
