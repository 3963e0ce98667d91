import { expect, test } from 'vitest'
import { findRepeats } from '../../../src/link/model/find-repeats.ts'
import { LinkThreads } from '../../../src/link/threads/threads.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'

const CHANCE = 0.05

async function repeatsOf(plain: readonly PlainRecord[]): Promise<unknown> {
  const threads = new LinkThreads(1)
  const repeats = await findRepeats(recordsOf(plain), { party: CHANCE, school: CHANCE }, threads)
  await threads.close()
  return repeats
}

/** Eleven records in each of four cities: 55 pairs per city, of people without names. */
function neighbours(traitsOf: (city: number, n: number) => Record<string, string>): PlainRecord[] {
  return Array.from({ length: 44 }, (_, n) => {
    const city = n % 4
    return {
      addresses: [{ city: ['SPRINGFIELD', 'MIAMI', 'AUSTIN', 'TAMPA'][city]!, state: 'FL' }],
      traits: traitsOf(city, n),
    }
  })
}

test('a trait that all neighbours share repeats the place; one that all have alone does not', async () => {
  const people = neighbours((city, n) => ({ party: `PARTY ${city}`, school: `SCHOOL ${n}` }))
  // All 220 pairs agree, and 200 invented pairs agree at the rate of chance.
  const agreement = (220 + 200 * CHANCE) / (220 + 200)
  expect(await repeatsOf(people)).toEqual([{ comparison: 'party', of: 'place', agreement: expect.closeTo(agreement, 12) as number }]) // prettier-ignore
})

test('pairs with one name do not count: they may be one person', async () => {
  const people = neighbours((city, n) => ({ party: `PARTY ${city}`, school: `SCHOOL ${n}` }))
  const named = people.map((one, n) => (n === 0 || n === 4 ? { ...one, first: 'MARY', last: 'NOWAK' } : one))
  const agreement = (219 + 200 * CHANCE) / (219 + 200)
  expect(await repeatsOf(named)).toEqual([{ comparison: 'party', of: 'place', agreement: expect.closeTo(agreement, 12) as number }]) // prettier-ignore
})

test('a trait repeats an earlier trait, and not the reverse', async () => {
  const people = Array.from({ length: 44 }, (_, n) => ({
    traits: { party: `P${n % 4}`, school: `S${n % 4}` },
  }))
  expect(await repeatsOf(people)).toMatchObject([{ comparison: 'school', of: 'party' }])
})

test('an agreement that chance explains is no repeat', async () => {
  // Two neighbours of eleven share a party: 4 of 220 pairs, where chance gives 11.
  const few = neighbours((city, n) => ({ party: n < 8 ? `PARTY ${city}` : `PARTY ${city} ${n}` }))
  expect(await repeatsOf(few)).toEqual([])
})

test('records without traits have no repeats', async () => {
  expect(await repeatsOf([{ first: 'MARY' }, { first: 'MARY' }])).toEqual([])
})
