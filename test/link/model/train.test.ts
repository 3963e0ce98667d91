import { expect, test } from 'vitest'
import { comparisonsOf, EMAIL } from '../../../src/link/compare/levels.ts'
import { estimate } from '../../../src/link/model/train.ts'
import { patternsOf } from './patterns-of.ts'

function patterns(...given: [levels: Record<string, number>, count: number][]) {
  return patternsOf(given)
}

function lastLevel(name: string): number {
  return comparisonsOf([]).find((one) => one.name === name)!.levels.length
}

test('true pairs among the candidates are counted as the estimation weighs them, relatives left out', () => {
  const another = lastLevel('first_name')
  const candidateScale = 4
  const totalPairs = 2_000_000
  const learned = estimate({
    attributes: [],
    candidates: patterns(
      [{ first_name: 1, last_name: 1, birth_date: 1, address: 1 }, 120],
      [{ first_name: 1, last_name: 1, address: 1 }, 80],
      // Relatives, of whom some bear one name.
      [{ first_name: another, last_name: 1, address: 1 }, 300],
      [{ first_name: another, last_name: lastLevel('last_name') }, 2_000],
    ),
    candidateScale,
    random: patterns([{ first_name: another, last_name: lastLevel('last_name') }, 5_000]),
    totalPairs,
    recordCount: 2_000,
    agreements: {},
  })
  const matches = learned.match_probability * (totalPairs + 100_000)
  expect(matches / candidateScale).toBeGreaterThan(110)
  expect(matches / candidateScale).toBeLessThan(220)
})

test('namesakes whose e-mail addresses are made of their names do not become what training calls one person', () => {
  const other = { first_name: lastLevel('first_name'), last_name: lastLevel('last_name') }
  const [birth, email] = [lastLevel('birth_date'), lastLevel('email')]
  const one = { first_name: 1, last_name: 1 }
  const people: [Record<string, number>, number][] = [
    [{ ...one, birth_date: 1, email: EMAIL.same }, 500],
    [{ ...one, birth_date: 1, email: EMAIL.near }, 400],
    [{ ...one, email: EMAIL.same }, 100],
  ]
  const strangers: [Record<string, number>, number][] = [
    [{ ...one, birth_date: birth, email: EMAIL.near }, 6000],
    [{ ...one, birth_date: birth, email }, 2000],
    [{ ...one, email: EMAIL.near }, 2000],
  ]
  const learned = estimate({
    attributes: [],
    candidates: patterns(...people, ...strangers),
    candidateScale: 1,
    random: patterns([{ ...other, birth_date: birth, email }, 500_000]),
    namesakes: patterns(...people, ...strangers),
    totalPairs: 50_000_000,
    recordCount: 10_000,
    // Ten thousand pairs of strangers have one name by chance.
    agreements: { first_name: 0.02, last_name: 0.01 },
  })
  const level = (comparison: string, at: number) =>
    learned.comparisons.find(({ comparison: name }) => name === comparison)!.levels[at - 1]!
  expect(learned.match_probability * 50_100_000).toBeLessThan(1300)
  expect(level('birth_date', birth).m).toBeLessThan(0.1)
  expect(level('email', EMAIL.near).u).toBeLessThan(0.001)
  expect(level('email', EMAIL.near).u_by_names!.both).toBeGreaterThan(0.6)
})

test('twins, who share all but the first name, stay another class than one person', () => {
  const first = lastLevel('first_name')
  const family = { last_name: 1, birth_date: 1, address: 1 }
  const learned = estimate({
    attributes: [],
    candidates: patterns(
      [{ ...family, first_name: 1 }, 1300],
      [{ ...family, first_name: first }, 400],
      [{ first_name: first, last_name: 1, birth_date: lastLevel('birth_date'), address: 1 }, 100],
    ),
    candidateScale: 1,
    random: patterns([{ first_name: first, last_name: lastLevel('last_name') }, 500_000]),
    totalPairs: 5_000_000,
    recordCount: 3000,
    agreements: {},
  })
  const [names] = learned.comparisons
  expect(names!.levels[first - 1]!.m).toBeLessThanOrEqual(0.02)
  expect(learned.match_probability * 5_100_000).toBeLessThan(1400)
})
