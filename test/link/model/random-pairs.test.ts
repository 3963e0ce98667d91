import { expect, test } from 'vitest'
import { compareBirthDates } from '../../../src/link/compare/birth-dates.ts'
import {
  COUNT_BIRTH_PAIRS,
  type BirthCounts,
  birthCounts,
  type Births,
  birthsOf,
} from '../../../src/link/model/birth-pairs.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { driftBetween } from '../../../src/link/model/model-file.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'
import { DUPLICATE_FREE, SLOT } from '../../../src/link/records/records.ts'
import { patternsOf } from '../../../src/link/model/count-patterns.ts'
import { randomPairs, shuffled } from '../../../src/link/model/draw-pairs.ts'
import type { Pattern } from '../../../src/link/model/patterns.ts'
import { mixInto } from '../../../src/link/records/texts.ts'
import { LinkThreads } from '../../../src/link/threads/threads.ts'
import { fillWorld } from '../../bench/link/world.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { withWarehouse } from '../../support/warehouse.ts'

interface Person {
  readonly rank: number
  readonly source: number
  /** Year * 512 + month * 32 + day; 0 is unknown. */
  readonly birth: number
}

const TODAY = '2026-01-01'
const FREE_SOURCE = 1
const WIDTH = 16

function below(limit: number, seed: number, i: number): number {
  return (mixInto(seed, i) >>> 0) % limit
}

function people(count: number): Person[] {
  return Array.from({ length: count }, (_, i) => ({
    rank: below(2 ** 26, 1, i) * 2 ** 26 + below(2 ** 26, 2, i),
    source: below(3, 3, i),
    birth: below(9, 4, i) === 0 ? 0 : (1960 + below(4, 5, i)) * 512 + below(4, 6, i) * 32 + below(4, 7, i),
  }))
}

function births(of: readonly Person[]): Births {
  const rows = new Int32Array(of.length * WIDTH)
  of.forEach(({ source, birth }, i) => {
    rows[i * WIDTH + SLOT.source] = source
    rows[i * WIDTH + SLOT.birth] = birth
  })
  const order = shuffled({ count: of.length, ranks: Float64Array.from(of, ({ rank }) => rank) })
  return birthsOf(
    { count: of.length, rows, width: WIDTH, sources: Uint8Array.of(0, DUPLICATE_FREE, 0) },
    order,
  )
}

function ranked(of: readonly Person[]): number[] {
  const ranks = Float64Array.from(of, ({ rank }) => rank)
  return [...shuffled({ count: of.length, ranks })].map((i) => ranks[i]!)
}

async function counted(of: Births, threadCount: number): Promise<BirthCounts> {
  const threads = new LinkThreads(threadCount, 0)
  const found = birthCounts(
    of,
    await threads.run(COUNT_BIRTH_PAIRS, of, { units: of.dates.length, records: of.dates.length }),
  )
  await threads.close()
  return found
}

test.each([0, 1, 2, 3, 40, 41])(
  'of %i people the birth dates of every pair are compared, once',
  async (count) => {
    const all = people(count)
    const levels = new Float64Array(10)
    all.forEach((one, i) =>
      all.slice(i + 1).forEach((other) => {
        if (one.birth === 0 || other.birth === 0) return
        if (one.source === FREE_SOURCE && other.source === FREE_SOURCE) return
        levels[compareBirthDates(one.birth, other.birth)]!++
      }),
    )
    const share = levels.some((pairs) => pairs > 0) ? 1 : 0
    expect(await counted(births(all), 1)).toEqual({ levels, share })
  },
)

test('of many people the same pairs are drawn by any number of threads, whatever order they stand in', async () => {
  const all = people(9_000)
  const drawn = births(all)
  expect(births(all.toReversed())).toEqual(drawn)
  const { levels, share } = await counted(drawn, 1)
  expect(await counted(drawn, 3)).toEqual({ levels, share })
  // Less than there are in all, and of them a ninth less within the source that holds nobody twice.
  const { dates, steps } = drawn
  expect(share).toBeCloseTo((2 * steps) / dates.length, 2)
  const pairs = levels.reduce((sum, n) => sum + n, 0)
  expect(pairs / (dates.length * steps)).toBeCloseTo(8 / 9, 1)
})

test('records that come or leave change nothing in who follows whom among the others', () => {
  const all = people(2_000)
  const order = ranked(all).filter((rank) => rank !== all[7]!.rank && rank !== all[1_900]!.rank)
  expect(ranked(all.toSpliced(1_900, 1).toSpliced(7, 1))).toEqual(order)
  expect(order).not.toEqual([...order].sort((a, b) => b - a))
})

test('of many records three threads count the random pairs that one does', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await fillWorld(db, 1_600)
    const { records } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const drawn = async (count: number): Promise<Pattern[]> => {
      const threads = new LinkThreads(count, 0)
      const found = await patternsOf(randomPairs(records, shuffled(records)), records, threads)
      await threads.close()
      return found
    }
    const alone = await drawn(1)
    expect(await drawn(3)).toEqual(alone)
    expect(alone.reduce((sum, { count }) => sum + count, 0)).toBe(500_000)
  })
})

test('a few records more or less change what birth dates weigh by less than half a bit, and are no drift', async () => {
  await withWarehouse(async (db) => {
    const trained = async (): Promise<LinkModel> =>
      (await linkAllRecords(db, { threads: 1, today: TODAY })).model
    await createRecordTables(db)
    await fillWorld(db, 6_000)
    const before = await trained()
    await db.run(
      'delete from link.records where record_id in (select record_id from link.records order by hash(record_id) limit 40)',
    )
    const after = await trained()
    const bits = birthBits(after)
    birthBits(before).forEach((was, level) => expect(Math.abs(bits[level]! - was)).toBeLessThan(0.5))
    expect(driftBetween(before, after)).toEqual([])
  })
})

function birthBits({ comparisons }: LinkModel): number[] {
  const { levels } = comparisons.find(({ comparison }) => comparison === 'birth_date')!
  // Hardly any true pairs: what weighs nothing tells nothing.
  return levels.filter(({ m }) => m >= 0.001).map(({ m, u }) => Math.log2(m / u))
}
