import { expect, test } from 'vitest'
import type { EventFilter } from '../../src/events/position.ts'
import { EventSearch } from '../../src/events/search.ts'
import { ENDLESS, SEARCHING } from '../support/deed-events.ts'

const TEXAS: EventFilter = { state_code: 'TX', fips_code: null, property_id: null, from: null, to: null }

async function withSearch(
  relation: string,
  timeoutMs: number,
  body: (search: EventSearch) => Promise<void>,
): Promise<void> {
  const search = new EventSearch(relation, { ...SEARCHING, timeoutMs })
  try {
    await body(search)
  } finally {
    await search.close()
  }
}

test('a search that takes too long is interrupted, and the engine is free for the next', async () => {
  await withSearch(ENDLESS, 200, async (search) => {
    // More than run at once: those that wait are ended by their own time, too.
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => search.find(TEXAS, null, 10)))
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'query_timeout' } })
    }
  })
})

test('an engine that fails is no timeout', async () => {
  await withSearch(`read_parquet('/nowhere/search.parquet')`, 60_000, async (search) => {
    await expect(search.find(TEXAS, null, 10)).rejects.not.toMatchObject({ code: 'query_timeout' })
  })
})
