import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Allowances, LEASES_FILE } from '../../src/state/allowances.ts'
import { openDatabase } from '../../src/state/database.ts'
import { openState } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { accessEvent, givenKey, withState } from './support.ts'

const ACCOUNT = { account_id: 'acct_a', monthly_cap: 10 }

function taken(allowances: Allowances, at: number, tries: number): number {
  let count = 0
  for (let n = 0; n < tries; n += 1) if (allowances.take(ACCOUNT, at)) count += 1
  return count
}

test('a cap gives exactly as many requests as it says; what is given back can be taken again', async () => {
  await withState(async ({ allowances }, { at }) => {
    expect(taken(allowances, at(), 30)).toBe(10)
    allowances.giveBack(ACCOUNT.account_id, at())
    allowances.giveBack(ACCOUNT.account_id, at())
    expect(taken(allowances, at(), 30)).toBe(2)
  })
})

test('what one process had taken can be given back by the one after it', async () => {
  await withState(async (state, { path, at }) => {
    expect(taken(state.allowances, at(), 30)).toBe(10)
    const next = openState(path)
    next.allowances.giveBack(ACCOUNT.account_id, at(), 3)
    expect(taken(next.allowances, at(), 30)).toBe(3)
    await next.close()
  })
})

test('a cap starts anew with the month', async () => {
  await withState(async ({ allowances }) => {
    expect(taken(allowances, Date.parse('2026-08-31T23:59:59.999Z'), 30)).toBe(10)
    expect(taken(allowances, Date.parse('2026-09-01T00:00:00Z'), 30)).toBe(10)
  })
})

test('a raised cap gives what was added, a lowered one nothing', async () => {
  await withState(async ({ allowances }, { at }) => {
    taken(allowances, at(), 10)
    expect(allowances.take({ ...ACCOUNT, monthly_cap: 9 }, at())).toBe(false)
    expect(allowances.take({ ...ACCOUNT, monthly_cap: 11 }, at())).toBe(true)
    expect(allowances.take({ ...ACCOUNT, monthly_cap: 11 }, at())).toBe(false)
  })
})

test('two processes share one cap, and what one has left when it ends is the other’s', async () => {
  await withState(async (state, { path, at }) => {
    const large = { account_id: 'acct_a', monthly_cap: 10_000 }
    const other = openState(path)
    expect(other.allowances.take(large, at())).toBe(true)
    let count = 1
    while (state.allowances.take(large, at())) count += 1
    expect(count).toBeGreaterThan(9_900)
    expect(count).toBeLessThan(10_000)
    await other.close()
    while (state.allowances.take(large, at())) count += 1
    expect(count).toBe(10_000)
  })
})

test('what a list gives back is there for all processes at once, also while its own goes on', async () => {
  await withState(async (state, { path, at }) => {
    const large = { account_id: 'acct_a', monthly_cap: 2_000 }
    let count = 0
    while (state.allowances.take(large, at())) count += 1
    expect(count).toBe(2_000)
    // One more is under way here, and keeps this process's lease.
    state.allowances.giveBack(large.account_id, at())
    state.allowances.giveBack(large.account_id, at(), 1_500)
    expect(state.allowances.take(large, at())).toBe(true)
    const other = openState(path)
    count = 0
    while (other.allowances.take(large, at())) count += 1
    expect(count).toBe(1_500)
    await other.close()
  })
})

test('what the state file has counts, also when the leases are lost', async () => {
  await withState(async (state, { at }) => {
    givenKey(state, 'key_a', 'acct_a')
    for (let n = 0; n < 7; n += 1) state.events.record(accessEvent({ event_ts: at() }))
    await state.events.flush()
    expect(taken(state.allowances, at(), 30)).toBe(3)
  })
})

test('what a killed process had taken is lost to nobody', async () => {
  await withState(async (state, { path, at }) => {
    const large = { account_id: 'acct_a', monthly_cap: 10_000 }
    const killed = openState(path)
    expect(killed.allowances.take(large, at())).toBe(true)
    let count = 1
    while (state.allowances.take(large, at())) count += 1
    expect(count).toBeLessThan(10_000)
    const leases = openDatabase(join(dirname(path), LEASES_FILE))
    leases.exec(`update account_leases set renewed_at = renewed_at - 11_000 where left > 0`)
    leases.close()
    while (state.allowances.take(large, at())) count += 1
    expect(count).toBeGreaterThanOrEqual(10_000)
    expect(count).toBeLessThanOrEqual(10_000 * 1.01)
    await killed.close()
  })
})

test('a disk that refuses the leases does not stop the requests: what is written decides', async () => {
  await withState(async (state, { path, at }) => {
    givenKey(state, 'key_a', 'acct_a')
    await mkdir(join(dirname(path), LEASES_FILE))
    expect(taken(state.allowances, at(), 3)).toBe(3)
    for (let n = 0; n < 10; n += 1) state.events.record(accessEvent({ event_ts: at() }))
    await state.events.flush()
    expect(taken(state.allowances, at(), 3)).toBe(0)
  })
})

test('four processes that spend one cap at once never pass it, and leave hardly anything of it', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'state.sqlite')
    const state = openState(path)
    givenKey(state, 'key_a', 'acct_a')
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
    const row = state.db.prepare('select sum(billable_count) as billable from usage_days').get()
    await state.close()
    expect(Number(row?.['billable'])).toBeLessThanOrEqual(cap)
    expect(Number(row?.['billable'])).toBeGreaterThanOrEqual(cap * 0.99)
  })
})
