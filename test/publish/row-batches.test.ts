import { describe, expect, test } from 'vitest'
import { readLists, rowBatches, rowChunks } from '../../src/publish/row-batches.ts'
import { withWarehouse } from '../support/warehouse.ts'

const NUMBERS = 'select range::integer as n from range($low, least($high, 10)) order by n'
const signal = new AbortController().signal

describe('rows in ranges of numbers', () => {
  test('come whole and in order, also when the last range is short', async () => {
    await withWarehouse(async (db) => {
      for (const size of [1, 3, 5, 10, 11]) {
        const seen: number[] = []
        for await (const rows of rowBatches(db, NUMBERS, 10, size, signal)) {
          for (let row = 0; row < rows.count; row++) seen.push(rows.integers(0, row))
        }
        expect(seen, `ranges of ${size}`).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      }
    })
  })

  test('without any number nothing is asked', async () => {
    await withWarehouse(async (db) => {
      for await (const rows of rowBatches(db, 'select no_such_column', 0, 5, signal)) expect(rows).toBeNull()
    })
  })

  test('end with the error of the range that fails, after the rows before it', async () => {
    await withWarehouse(async (db) => {
      const failing = `select case when $low >= 4 then error('range ' || $low) else '1' end as n, $high`
      let seen = 0
      const read = async (): Promise<void> => {
        for await (const rows of rowBatches(db, failing, 10, 4, signal)) {
          seen += rows.count
          // The next range has failed by now; nobody waits for it yet.
          await db.run('select 1')
        }
      }
      await expect(read()).rejects.toThrow('range 4')
      expect(seen).toBe(1)
    })
  })

  test('end at the next range when the caller is stopped', async () => {
    await withWarehouse(async (db) => {
      const stopping = new AbortController()
      const seen: number[] = []
      const read = async (): Promise<void> => {
        for await (const rows of rowBatches(db, NUMBERS, 10, 2, stopping.signal)) {
          seen.push(rows.integers(0, 0))
          stopping.abort(new Error('the run is stopped'))
        }
      }
      await expect(read()).rejects.toThrow('the run is stopped')
      expect(seen).toEqual([0])
    })
  })

  test('a caller that leaves early finds the engine at rest', async () => {
    await withWarehouse(async (db) => {
      await db.run('create temp table numbers as select range::integer as n from range(200000)')
      const select = 'select n from numbers where n >= $low and n < $high order by n'
      for await (const rows of rowBatches(db, select, 200_000, 100_000, signal)) {
        expect(rows.integers(0, 0)).toBe(0)
        break
      }
      await db.run('drop table numbers')
    })
  })
})

test('a null is 0 as an integer, NaN as a double, null as a text and no bytes as a blob', async () => {
  await withWarehouse(async (db) => {
    const select = 'select null::integer, null::double, null::varchar, null::blob'
    for await (const { integers, doubles, text, bytes } of rowChunks(db, select, signal)) {
      expect([integers(0, 0), doubles(1, 0), text(2, 0), bytes(3, 0).length]).toEqual([0, NaN, null, 0])
    }
  })
})

test('the rows of one statement and lists are not read on when the caller is stopped', async () => {
  await withWarehouse(async (db) => {
    const stopped = AbortSignal.abort(new Error('the run is stopped'))
    await expect(rowChunks(db, 'select 1', stopped).next()).rejects.toThrow('the run is stopped')
    await expect(readLists(db, 'select 0, 1', 1, stopped)).rejects.toThrow('the run is stopped')
  })
})

test('lists hold the items of each number, and none where there is none', async () => {
  await withWarehouse(async (db) => {
    const select = 'select * from (values (0, 5), (2, 7), (2, 6), (2, 9)) order by 1'
    const { start, items } = await readLists(db, select, 4, signal)
    const lists = [0, 1, 2, 3].map((number) => [...items.subarray(start[number], start[number + 1])])
    expect(lists).toEqual([[5], [], [7, 6, 9], []])
  })
})
