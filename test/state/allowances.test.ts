import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Allowances, LEASES_FILE } from '../../src/state/allowances.ts'
import { openLeases, openState, type State } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { IN_POSTGRES, newStatePlace, openPlace } from '../support/state-place.ts'
import { accessEvent, givenKey, rowsIn, withState } from './support.ts'

const ACCOUNT = { account_id: 'acct_a', monthly_cap: 10 }

async function taken(allowances: Allowances, at: number, tries: number): Promise<number> {
  let count = 0
  for (let n = 0; n < tries; n += 1) if (await allowances.take(ACCOUNT, at)) count += 1
  return count
}

test('a cap gives exactly as many requests as it says; what is given back can be taken again', async () => {
  await withState(async ({ allowances }, { at }) => {
    expect(await taken(allowances, at(), 30)).toBe(10)
    await allowances.giveBack(ACCOUNT.account_id, at())
    await allowances.giveBack(ACCOUNT.account_id, at())
    expect(await taken(allowances, at(), 30)).toBe(2)
  })
})

test('what one process had taken can be given back by the one after it', async () => {
  await withState(async (state, { path, at }) => {
    expect(await taken(state.allowances, at(), 30)).toBe(10)
    const next = await openState(path)
    await next.allowances.giveBack(ACCOUNT.account_id, at(), 3)
    expect(await taken(next.allowances, at(), 30)).toBe(3)
    await next.close()
  })
})

test('a cap starts anew with the month', async () => {
  await withState(async ({ allowances }) => {
    expect(await taken(allowances, Date.parse('2026-08-31T23:59:59.999Z'), 30)).toBe(10)
    expect(await taken(allowances, Date.parse('2026-09-01T00:00:00Z'), 30)).toBe(10)
  })
})

test('a raised cap gives what was added, a lowered one nothing', async () => {
  await withState(async ({ allowances }, { at }) => {
    await taken(allowances, at(), 10)
    expect(await allowances.take({ ...ACCOUNT, monthly_cap: 9 }, at())).toBe(false)
    expect(await allowances.take({ ...ACCOUNT, monthly_cap: 11 }, at())).toBe(true)
    expect(await allowances.take({ ...ACCOUNT, monthly_cap: 11 }, at())).toBe(false)
  })
})

// In PostgreSQL these loops last longer than a second, after which the other process gives its lease back.
test.skipIf(IN_POSTGRES)(
  'two processes share one cap, and what one has left when it ends is the other’s',
  async () => {
    await withState(async (state, { path, at }) => {
      const large = { account_id: 'acct_a', monthly_cap: 10_000 }
      const other = await openState(path)
      expect(await other.allowances.take(large, at())).toBe(true)
      let count = 1
      while (await state.allowances.take(large, at())) count += 1
      expect(count).toBeGreaterThan(9_900)
      expect(count).toBeLessThan(10_000)
      await other.close()
      while (await state.allowances.take(large, at())) count += 1
      expect(count).toBe(10_000)
    })
  },
)

test('what a list gives back is there for all processes at once, also while its own goes on', async () => {
  await withState(async (state, { path, at }) => {
    const large = { account_id: 'acct_a', monthly_cap: 2_000 }
    let count = 0
    while (await state.allowances.take(large, at())) count += 1
    expect(count).toBe(2_000)
    // One more request is in progress, which keeps this process's lease.
    await state.allowances.giveBack(large.account_id, at())
    await state.allowances.giveBack(large.account_id, at(), 1_500)
    expect(await state.allowances.take(large, at())).toBe(true)
    const other = await openState(path)
    count = 0
    while (await other.allowances.take(large, at())) count += 1
    expect(count).toBe(1_500)
    await other.close()
  })
})

test('what the state file has counts, also when the leases are lost', async () => {
  await withState(async (state, { at }) => {
    await givenKey(state, 'key_a', 'acct_a')
    for (let n = 0; n < 7; n += 1) state.events.record(accessEvent({ event_ts: at() }))
    await state.events.flush()
    expect(await taken(state.allowances, at(), 30)).toBe(3)
  })
})

test.skipIf(IN_POSTGRES)('what a killed process had taken is lost to nobody', async () => {
  await withState(async (state, { path, at }) => {
    const large = { account_id: 'acct_a', monthly_cap: 10_000 }
    const killed = await openState(path)
    expect(await killed.allowances.take(large, at())).toBe(true)
    let count = 1
    while (await state.allowances.take(large, at())) count += 1
    expect(count).toBeLessThan(10_000)
    const leases = await openPlace(leasesPlace(path))
    await leases.exec(`update account_leases set renewed_at = renewed_at - 11000 where "left" > 0`)
    await leases.close()
    while (await state.allowances.take(large, at())) count += 1
    expect(count).toBeGreaterThanOrEqual(10_000)
    expect(count).toBeLessThanOrEqual(10_000 * 1.01)
    await killed.close()
  })
})

test.skipIf(IN_POSTGRES)(
  'a disk that refuses the leases does not stop the requests: what is written decides',
  async () => {
    await withState(async (state, { path, at }) => {
      await givenKey(state, 'key_a', 'acct_a')
      await mkdir(join(dirname(path), LEASES_FILE))
      expect(await taken(state.allowances, at(), 3)).toBe(3)
      for (let n = 0; n < 10; n += 1) state.events.record(accessEvent({ event_ts: at() }))
      await state.events.flush()
      expect(await taken(state.allowances, at(), 3)).toBe(0)
    })
  },
)

test('four processes that spend one cap at once never pass it, and leave hardly anything of it', async () => {
  await withFolder(async (folder) => {
    const path = await newStatePlace(folder)
    const state = await openState(path)
    await givenKey(state, 'key_a', 'acct_a')
    const cap = 6_000
    const script = fileURLToPath(new URL('./spend-cap.ts', import.meta.url))
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [script, path, 'acct_a', 'key_a', String(cap)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    const exits = children.map((child) => once(child, 'exit'))
    const lines = children.map((child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]())
    for (const line of lines) expect((await line.next()).value).toBe('ready')
    for (const child of children) child.stdin.write('go\n')
    expect((await Promise.all(exits)).map(([code]) => code as number)).toEqual([0, 0, 0, 0])
    const row = await state.db.get('select sum(billable_count) as billable from usage_days')
    await state.close()
    expect(Number(row?.['billable'])).toBeLessThanOrEqual(cap)
    expect(Number(row?.['billable'])).toBeGreaterThanOrEqual(cap * 0.99)
  })
})

/** A folder has the name of the lease file, so the file cannot be opened. */
async function withoutLeases(
  body: (allowances: Allowances, state: State, path: string) => Promise<void>,
  processCount = 1,
): Promise<void> {
  await withState(async (state, { path }) => {
    const folder = join(dirname(path), LEASES_FILE)
    await mkdir(folder)
    const allowances = new Allowances(() => openLeases(path), state.usage, processCount)
    await body(allowances, state, folder)
    await allowances.close()
  })
}

// PostgreSQL keeps the leases beside the other tables of the state.
const leasesPlace = (path: string): string => (IN_POSTGRES ? path : join(dirname(path), LEASES_FILE))

const leasesIn = (path: string) => rowsIn(leasesPlace(path), 'select "left", renewed_at from account_leases')

const claimedIn = async (path: string) =>
  (await rowsIn(leasesPlace(path), 'select claimed from account_claims'))[0]?.['claimed']

describe.skipIf(IN_POSTGRES)('while the disk refuses the leases', () => {
  const AT = Date.parse('2026-08-14T12:00:00Z')

  test('each process answers its equal share of the cap, and counts what it puts back', async () => {
    await withoutLeases(async (allowances) => {
      expect(await taken(allowances, AT, 30)).toBe(3)
      await allowances.giveBack(ACCOUNT.account_id, AT, 2)
      expect(await taken(allowances, AT, 30)).toBe(2)
      // This process did not take that many requests itself.
      await allowances.giveBack(ACCOUNT.account_id, AT, 4)
      expect(await taken(allowances, AT, 30)).toBe(0)
      await allowances.giveBack(ACCOUNT.account_id, AT, 3)
      expect(await taken(allowances, AT, 30)).toBe(3)
      expect(await taken(allowances, Date.parse('2026-09-01T00:00:00Z'), 30)).toBe(3)
    }, 3)
  })

  test('a state that is opened for one process answers the whole cap', async () => {
    await withState(async ({ allowances }, { path, at }) => {
      await mkdir(join(dirname(path), LEASES_FILE))
      expect(await taken(allowances, at(), 30)).toBe(10)
    })
  })

  test('the requests count when the disk takes the file again', async () => {
    await withoutLeases(async (allowances, _, folder) => {
      expect(await taken(allowances, AT, 4)).toBe(4)
      await rmdir(folder)
      expect(await taken(allowances, AT, 30)).toBe(6)
    })
  })

  test('what the file knew before counts, too', async () => {
    await withState(async ({ allowances }, { path, at }) => {
      expect(await taken(allowances, at(), 4)).toBe(4)
      const leases = await openPlace(leasesPlace(path))
      await leases.exec('drop table account_leases')
      await leases.close()
      expect(await taken(allowances, at(), 30)).toBe(6)
    })
  })
})

describe('leases', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())
  const LARGE = { account_id: 'acct_a', monthly_cap: 10_000 }

  test('a process takes 1/256 of what remains at a time, 1,024 at most', async () => {
    await withState(async ({ allowances }, { path, at }) => {
      await allowances.take(LARGE, at())
      expect(await leasesIn(path)).toMatchObject([{ left: 39 }])
      for (let n = 0; n < 38; n += 1) await allowances.take(LARGE, at())
      expect(await claimedIn(path)).toBe(39)
      await allowances.take(LARGE, at())
      expect(await claimedIn(path)).toBe(39 + 38)
    })
    await withState(async ({ allowances }, { path, at }) => {
      await allowances.take({ ...LARGE, monthly_cap: 10_000_000 }, at())
      expect(await leasesIn(path)).toMatchObject([{ left: 1_024 }])
    })
  })

  // The driven clock does not wait for the replies of PostgreSQL.
  test.skipIf(IN_POSTGRES)(
    'a lease in use is kept and renewed every three seconds; one that rests for a second is given back',
    async () => {
      await withState(async ({ allowances }, { path, at }) => {
        const start = Date.now()
        const second = async (): Promise<void> => {
          await allowances.take(LARGE, at())
          await vi.advanceTimersByTimeAsync(1_000)
        }
        await second()
        await second()
        expect(await leasesIn(path)).toEqual([{ left: 39, renewed_at: start }])
        await second()
        // Write the file before the new time, so that the time in the file is never too late.
        expect(await leasesIn(path)).toMatchObject([{ left: 36 }])
        await second()
        expect(await claimedIn(path)).toBe(39)
        await vi.advanceTimersByTimeAsync(1_000)
        expect(await leasesIn(path)).toEqual([])
        expect(await claimedIn(path)).toBe(4)
      })
    },
  )

  test('what a process took that says nothing for ten seconds is lost to it', async () => {
    await withState(async (state, { path, at }) => {
      const killed = await openState(path)
      expect(await killed.allowances.take(LARGE, at())).toBe(true)
      let count = 1
      while (await state.allowances.take(LARGE, at())) count += 1
      expect(count).toBe(10_000 - 38)
      vi.setSystemTime(Date.now() + 10_000)
      expect(await state.allowances.take(LARGE, at())).toBe(false)
      vi.setSystemTime(Date.now() + 1)
      while (await state.allowances.take(LARGE, at())) count += 1
      // The cap is exceeded by 2. One of the 39 requests was answered before the process stopped. And the last lease of this
      // process counts as stale, too, because no sweep has renewed it here.
      expect(count).toBe(10_002)
      await killed.close()
    })
  })

  test('a request of the month before goes back to that month', async () => {
    await withState(async ({ allowances }) => {
      const [august, september] = [Date.parse('2026-08-31T23:59:59Z'), Date.parse('2026-09-01T00:00:01Z')]
      expect(await taken(allowances, august, 30)).toBe(10)
      expect(await taken(allowances, september, 30)).toBe(10)
      await allowances.giveBack(ACCOUNT.account_id, august)
      expect(await taken(allowances, september, 30)).toBe(0)
      expect(await taken(allowances, august, 30)).toBe(1)
    })
  })

  test('closing gives back what is left and ends the sweeps', async () => {
    await withState(async ({ allowances }, { path, at }) => {
      await allowances.take(LARGE, at())
      expect(vi.getTimerCount()).toBe(1)
      await allowances.close()
      expect(vi.getTimerCount()).toBe(0)
      expect([await leasesIn(path), await claimedIn(path)]).toEqual([[], 1])
    })
  })
})
