import { expect, test } from 'vitest'
import type { EventFilter } from '../../src/events/position.ts'
import { EventSearch } from '../../src/events/search.ts'
import { ENDLESS, SEARCHING } from '../support/deed-events.ts'
import { timerCount } from '../support/timer-count.ts'

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
    // More searches than run at once, because waiting searches must also time out.
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => search.find(TEXAS, null, 10)))
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'query_timeout' } })
      expect(String((outcome as PromiseRejectedResult).reason)).toContain('longer than 0.2 s and was stopped')
    }
  })
})

test('an engine that fails is no timeout', async () => {
  await withSearch(`read_parquet('/nowhere/search.parquet')`, 60_000, async (search) => {
    await expect(search.find(TEXAS, null, 10)).rejects.not.toMatchObject({ code: 'query_timeout' })
  })
})

/** One event of each Texas day of January 2026, as `EventSearch` reads them. */
const JANUARY = `(
  select 'TX' as scope, date '2026-01-01' + n::integer as recorded_on,
    format('00000000-0000-5000-8000-{:012d}', n)::uuid as event_id, n::integer as event_no,
    'TX' as state, '48453' as county_fips
  from range(31) as days(n)
)`

test('searches that have ended leave no timers behind', async () => {
  await withSearch(JANUARY, 3_600_000, async (search) => {
    const before = timerCount()
    for (let n = 0; n < 20; n += 1) {
      expect(await search.find(TEXAS, null, 2)).toMatchObject([{ event_no: 30 }, { event_no: 29 }])
    }
    // Other code in this process may start a few threads.
    expect(timerCount() - before).toBeLessThan(20)
  })
})

test('searches one after the other share a connection, and a closed engine is started again', async () => {
  await withSearch(JANUARY, 60_000, async (search) => {
    for (let round = 0; round < 3; round += 1) {
      const found = await search.find({ ...TEXAS, to: '2026-01-02' }, null, 10)
      expect(found.map(({ recorded_on }) => recorded_on)).toEqual(['2026-01-02', '2026-01-01'])
      if (round === 1) await search.close()
    }
  })
})
