import { expect, test } from 'vitest'
import { type LimitOptions, WebhookLimits } from '../../src/webhooks/limits.ts'
import { withWebhooks } from './support.ts'

const URL = 'https://receiver.example.com/hook'
const OPEN = 'https://receiver.test/hook'

/** Opens the limits on a state file. */
async function withLimits(
  options: Partial<LimitOptions>,
  body: (
    limits: WebhookLimits,
    subscribe: (url: string, account_id?: string) => Promise<string>,
  ) => void | Promise<void>,
): Promise<void> {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, account }) => {
    const limits = new WebhookLimits(subscriptions, {
      perAccount: 100,
      perHost: 100,
      callsPerMinute: 120,
      challenge: 'shared',
      testHosts: new Set(['receiver.test']),
      ...options,
    })
    await body(limits, async (url, account_id) => {
      const owner = account_id ?? (await account())
      return (await subscribe(url, { account_id: owner })).account_id
    })
  })
}

test('an account waits for its next call also when that is less than a second away', async () => {
  await withLimits({}, (limits) => {
    for (let call = 0; call < 120; call += 1) expect(limits.take({ account_id: 'a', url: OPEN }, 0)).toBe(0)
    expect(limits.take({ account_id: 'a', url: OPEN }, 0)).toBeCloseTo(0.5)
    expect(limits.take({ account_id: 'a', url: OPEN }, 500)).toBe(0)
    // Test hosts have no limit per host.
    expect(limits.take({ account_id: 'b', url: OPEN }, 500)).toBe(0)
  })
})

test('a call that the host has no room for costs the account nothing', async () => {
  await withLimits({ callsPerMinute: 2 }, (limits) => {
    for (const account_id of ['a', 'b']) expect(limits.take({ account_id, url: URL }, 0)).toBe(0)
    expect(limits.take({ account_id: 'c', url: URL }, 0)).toBeCloseTo(30)
    const other = { account_id: 'c', url: 'https://other.example.com/' }
    expect([limits.take(other, 0), limits.take(other, 0)]).toEqual([0, 0])
    expect(limits.take(other, 0)).toBeCloseTo(30)
  })
})

test('calls are counted for 10,000 accounts and hosts, and then from the start', async () => {
  await withLimits({ callsPerMinute: 1 }, (limits) => {
    const take = (n: number): number => limits.take({ account_id: `a${n}`, url: OPEN }, 0)
    for (let n = 0; n < 10_000; n += 1) take(n)
    expect(take(0)).toBeCloseTo(60)
    expect(take(10_000)).toBe(0)
    expect(take(0)).toBe(0)
  })
})

test('a host that is shared needs proof; one that is opened by configuration, and a webhook of one own, do not', async () => {
  await withLimits({}, async (limits, subscribe) => {
    const mine = await subscribe(URL)
    expect(await limits.needsProof({ account_id: mine, url: `${URL}/2` })).toBe(false)
    expect(await limits.needsProof({ account_id: 'stranger', url: URL })).toBe(true)
    await subscribe(OPEN)
    expect(await limits.needsProof({ account_id: 'stranger', url: OPEN })).toBe(false)
  })
})

test('the fifth webhook at a host may be changed without proof, a sixth not be made', async () => {
  await withWebhooks(async ({ webhooks: { limits }, subscribe, account }) => {
    const account_id = await account()
    const urls = [1, 2, 3, 4, 5].map((n) => `${URL}/${n}`)
    const ids: string[] = []
    for (const url of urls) ids.push((await subscribe(url, { account_id })).id)
    expect(await limits.needsProof({ account_id, url: `${URL}/6` })).toBe(true)
    expect(await limits.needsProof({ account_id, url: `${URL}/6` }, ids[4])).toBe(false)
  })
})
