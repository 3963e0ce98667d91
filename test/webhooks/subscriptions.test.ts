import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'
import { createSubscriptionId } from '../../src/webhooks/subscriptions.ts'
import { withWebhooks } from './support.ts'

const URL = 'https://receiver.example.com/hook'
const DAY = 86_400_000

test('an id is wh_ and 22 base62 characters', () => {
  expect(createSubscriptionId()).toMatch(/^wh_[0-9A-Za-z]{22}$/)
  expect(createSubscriptionId()).not.toBe(createSubscriptionId())
})

test('an account has its own subscriptions, oldest first, and sees no others', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, pass }) => {
    const first = subscribe(URL)
    pass(1)
    const second = subscribe(URL, { account_id: first.account_id, event_type: 'deed.quitclaim' })
    const foreign = subscribe(URL)
    const { account_id } = first
    expect(subscriptions.list({ account_id }).map((one) => one.subscription_id)).toEqual([
      first.id,
      second.id,
    ])
    expect(subscriptions.list()).toHaveLength(3)
    expect(subscriptions.get(account_id, first.id)).toMatchObject({ url: URL, status: 'active', name: null })
    expect(() => subscriptions.get(account_id, foreign.id)).toThrow(/there is no webhook with the id/)
    expect(() => subscriptions.delete(account_id, foreign.id)).toThrow(/there is no webhook/)
    expect(() => subscriptions.update(account_id, foreign.id, { name: 'x' })).toThrow(/there is no webhook/)
    expect(() => subscriptions.rotateSecret(account_id, foreign.id)).toThrow(/there is no webhook/)
  })
})

test('a list can be narrowed by status and by what was subscribed to', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, account }) => {
    const account_id = account()
    const all = subscribe(URL, { account_id })
    const one = subscribe(URL, { account_id, event_type: 'deed.transfer' })
    subscriptions.update(account_id, one.id, { status: 'inactive' })
    const idsOf = (filter: { status?: string; event_type?: string }): string[] =>
      subscriptions.list({ account_id, ...filter }).map(({ subscription_id }) => subscription_id)
    expect(idsOf({ status: 'active' })).toEqual([all.id])
    expect(idsOf({ status: 'inactive' })).toEqual([one.id])
    expect(idsOf({ event_type: 'deed.*' })).toEqual([all.id])
    expect(idsOf({ event_type: 'deed.transfer', status: 'active' })).toEqual([])
  })
})

test('a second active one with the same url, event type and region is a conflict; an inactive one is not', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, account }) => {
    const account_id = account()
    const first = subscribe(URL, { account_id })
    expect(() => subscribe(URL, { account_id, name: 'again' })).toThrow(/already has an active webhook/)
    // Another spelling of the same region.
    expect(() => subscribe(URL, { account_id, region: 'STATE:TX' })).toThrow(/already has an active webhook/)
    subscribe(URL, { account_id, event_type: 'deed.transfer' })
    subscribe(URL, { account_id, region: 'county:48453', area: '48453' })
    subscribe(`${URL}/2`, { account_id })
    subscribe(URL)
    subscriptions.update(account_id, first.id, { status: 'inactive' })
    subscribe(URL, { account_id })
    expect(() => subscriptions.update(account_id, first.id, { status: 'active' })).toThrow(
      /already has an active webhook/,
    )
    expect(subscriptions.get(account_id, first.id).status).toBe('inactive')
  })
})

test('a change changes what it names, and when it was changed', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, pass }) => {
    const { id, account_id } = subscribe(URL)
    const before = subscriptions.get(account_id, id)
    pass(1_000)
    const after = subscriptions.update(account_id, id, { name: 'deeds', event_type: 'deed.other' })
    expect(after).toEqual({
      ...before,
      name: 'deeds',
      event_type: 'deed.other',
      updated_at: '2026-08-14T12:00:01.000Z',
    })
  })
})

test('a replaced secret signs for 24 hours more, whatever is replaced in between', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, pass }) => {
    const { id, account_id, secret } = subscribe(URL)
    expect(subscriptions.secrets(id)).toEqual([secret])
    const second = subscriptions.rotateSecret(account_id, id)
    expect(subscriptions.secrets(id)).toEqual([second, secret])
    pass(DAY / 2)
    const third = subscriptions.rotateSecret(account_id, id)
    expect(subscriptions.secrets(id)).toEqual([third, second, secret])
    pass(DAY / 2)
    expect(subscriptions.secrets(id)).toEqual([third, second])
    pass(DAY / 2)
    expect(subscriptions.secrets(id)).toEqual([third])
  })
})

test('deleting forgets secrets, deliveries and log', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions, deliveries }, subscribe, release, rows }) => {
    const { id, account_id } = subscribe(URL)
    release([{ id: 'e1' }])
    const failed = {
      status_code: 0,
      duration_ms: 1,
      failure: 'timeout',
      retry_after_ms: null,
      body: '',
    } as const
    deliveries.log(id, 'e1', 0, failed)
    subscriptions.delete(account_id, id)
    for (const table of ['subscriptions', 'signing_secrets', 'deliveries', 'delivery_attempts']) {
      expect(rows(`select * from ${table}`)).toEqual([])
    }
    // An attempt that was in progress cannot be written any more.
    deliveries.log(id, 'e1', 0, failed)
    expect(rows('select * from delivery_attempts')).toEqual([])
  })
})

test('secrets lie sealed in the file once there is a key, those from before too', async () => {
  await withWebhooks(async ({ state, subscribe, at, rows }) => {
    const { id, secret } = subscribe(URL)
    const kept = (): Buffer =>
      Buffer.from(rows('select secret from signing_secrets')[0]?.['secret'] as Uint8Array)
    expect(kept().includes(secret)).toBe(true)
    const key = randomBytes(32).toString('base64')
    const reopen = (keys: string) =>
      openWebhooks({ state, config: loadConfig({ WEBHOOK_SECRETS_KEY: keys }), now: at })
    expect(reopen(key).subscriptions.secrets(id)).toEqual([secret])
    expect(kept().includes(secret)).toBe(false)
    // The new key first, then the old one until all secrets are encrypted with the new one.
    const newer = randomBytes(32).toString('base64')
    expect(reopen(`${newer},${key}`).subscriptions.secrets(id)).toEqual([secret])
    expect(reopen(newer).subscriptions.secrets(id)).toEqual([secret])
    expect(() => reopen(key)).toThrow(/WEBHOOK_SECRETS_KEY does not contain/)
    expect(() => reopen('').subscriptions.secrets(id)).toThrow(/WEBHOOK_SECRETS_KEY does not contain/)
  })
})

test('a subscription that its owner ends says so, and being made active again forgets why and every failure', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions, deliveries }, subscribe, at, rows }) => {
    const { id, account_id } = subscribe(URL)
    const failures = () => rows('select failing_since, quiet_until from subscriptions')
    const fail = (): void =>
      deliveries.noteFailure(id, at().getTime(), {
        status_code: 429,
        duration_ms: 1,
        failure: null,
        retry_after_ms: null,
        body: '',
      })
    const failed = [{ failing_since: at().getTime(), quiet_until: at().getTime() + 60_000 }]
    const forgotten = [{ failing_since: null, quiet_until: 0 }]
    fail()
    expect(failures()).toEqual(failed)
    expect(subscriptions.update(account_id, id, { status: 'inactive' })).toMatchObject({
      status: 'inactive',
      inactive_reason: 'asked',
    })
    expect(failures()).toEqual(failed)
    expect(subscriptions.update(account_id, id, { status: 'active' })).toMatchObject({
      status: 'active',
      inactive_reason: null,
    })
    expect(failures()).toEqual(forgotten)
    fail()
    subscriptions.update(account_id, id, { name: 'deeds' })
    expect(failures()).toEqual(failed)
    subscriptions.update(account_id, id, { url: `${URL}/2` })
    expect(failures()).toEqual(forgotten)
  })
})

test('a twin is refused before its endpoint is called, and a subscription is no twin of itself', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe }) => {
    const { id, account_id } = subscribe(URL)
    const wanted = { account_id, url: URL, name: null, event_type: 'deed.*', region: 'state:tx', area: 'TX' }
    expect(() => subscriptions.refuseDuplicate(wanted)).toThrow(/already has an active webhook/)
    expect(() => subscriptions.refuseDuplicate(wanted, id)).not.toThrow()
    expect(() => subscriptions.refuseDuplicate({ ...wanted, area: 'FL' })).not.toThrow()
    expect(subscriptions.find(id).subscription_id).toBe(id)
    expect(() => subscriptions.find('wh_none')).toThrow(/no webhook wh_none.*webhooks list/)
  })
})
