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
    const first = await subscribe(URL)
    pass(1)
    const second = await subscribe(URL, { account_id: first.account_id, event_type: 'deed.quitclaim' })
    const foreign = await subscribe(URL)
    const { account_id } = first
    expect((await subscriptions.list({ account_id })).map((one) => one.subscription_id)).toEqual([
      first.id,
      second.id,
    ])
    expect(await subscriptions.list()).toHaveLength(3)
    expect(await subscriptions.get(account_id, first.id)).toMatchObject({
      url: URL,
      status: 'active',
      name: null,
    })
    await expect(subscriptions.get(account_id, foreign.id)).rejects.toThrow(/there is no webhook with the id/)
    await expect(subscriptions.delete(account_id, foreign.id)).rejects.toThrow(/there is no webhook/)
    await expect(subscriptions.update(account_id, foreign.id, { name: 'x' })).rejects.toThrow(
      /there is no webhook/,
    )
    await expect(subscriptions.rotateSecret(account_id, foreign.id)).rejects.toThrow(/there is no webhook/)
  })
})

test('a list can be narrowed by status and by what was subscribed to', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, account }) => {
    const account_id = await account()
    const all = await subscribe(URL, { account_id })
    const one = await subscribe(URL, { account_id, event_type: 'deed.transfer' })
    await subscriptions.update(account_id, one.id, { status: 'inactive' })
    const idsOf = async (filter: { status?: string; event_type?: string }): Promise<string[]> =>
      (await subscriptions.list({ account_id, ...filter })).map(({ subscription_id }) => subscription_id)
    expect(await idsOf({ status: 'active' })).toEqual([all.id])
    expect(await idsOf({ status: 'inactive' })).toEqual([one.id])
    expect(await idsOf({ event_type: 'deed.*' })).toEqual([all.id])
    expect(await idsOf({ event_type: 'deed.transfer', status: 'active' })).toEqual([])
  })
})

test('a second active one with the same url, event type and region is a conflict; an inactive one is not', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, account }) => {
    const account_id = await account()
    const first = await subscribe(URL, { account_id })
    await expect(subscribe(URL, { account_id, name: 'again' })).rejects.toThrow(
      /already has an active webhook/,
    )
    // Another spelling of the same region.
    await expect(subscribe(URL, { account_id, region: 'STATE:TX' })).rejects.toThrow(
      /already has an active webhook/,
    )
    await subscribe(URL, { account_id, event_type: 'deed.transfer' })
    await subscribe(URL, { account_id, region: 'county:48453', area: '48453' })
    await subscribe(`${URL}/2`, { account_id })
    await subscribe(URL)
    await subscriptions.update(account_id, first.id, { status: 'inactive' })
    await subscribe(URL, { account_id })
    await expect(subscriptions.update(account_id, first.id, { status: 'active' })).rejects.toThrow(
      /already has an active webhook/,
    )
    expect((await subscriptions.get(account_id, first.id)).status).toBe('inactive')
  })
})

test('a change changes what it names, and when it was changed', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe, pass }) => {
    const { id, account_id } = await subscribe(URL)
    const before = await subscriptions.get(account_id, id)
    pass(1_000)
    const after = await subscriptions.update(account_id, id, { name: 'deeds', event_type: 'deed.other' })
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
    const { id, account_id, secret } = await subscribe(URL)
    expect(await subscriptions.secrets(id)).toEqual([secret])
    const second = await subscriptions.rotateSecret(account_id, id)
    expect(await subscriptions.secrets(id)).toEqual([second, secret])
    pass(DAY / 2)
    const third = await subscriptions.rotateSecret(account_id, id)
    expect(await subscriptions.secrets(id)).toEqual([third, second, secret])
    pass(DAY / 2)
    expect(await subscriptions.secrets(id)).toEqual([third, second])
    pass(DAY / 2)
    expect(await subscriptions.secrets(id)).toEqual([third])
  })
})

test('deleting forgets secrets, deliveries and log', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions, deliveries }, subscribe, release, rows }) => {
    const { id, account_id } = await subscribe(URL)
    await release([{ id: 'e1' }])
    const failed = {
      status_code: 0,
      duration_ms: 1,
      failure: 'timeout',
      retry_after_ms: null,
      body: '',
    } as const
    await deliveries.log(id, 'e1', 0, failed)
    await subscriptions.delete(account_id, id)
    for (const table of ['subscriptions', 'signing_secrets', 'deliveries', 'delivery_attempts']) {
      expect(await rows(`select * from ${table}`)).toEqual([])
    }
    // An attempt that was in progress cannot be written any more.
    await deliveries.log(id, 'e1', 0, failed)
    expect(await rows('select * from delivery_attempts')).toEqual([])
  })
})

test('secrets lie sealed in the file once there is a key, those from before too', async () => {
  await withWebhooks(async ({ state, subscribe, at, rows }) => {
    const { id, secret } = await subscribe(URL)
    const kept = async (): Promise<Buffer> =>
      Buffer.from((await rows('select secret from signing_secrets'))[0]?.['secret'] as Uint8Array)
    expect((await kept()).includes(secret)).toBe(true)
    const key = randomBytes(32).toString('base64')
    const reopen = (keys: string) =>
      openWebhooks({ state, config: loadConfig({ WEBHOOK_SECRETS_KEY: keys }), now: at })
    expect(await (await reopen(key)).subscriptions.secrets(id)).toEqual([secret])
    expect((await kept()).includes(secret)).toBe(false)
    // The new key first, then the old one until all secrets are encrypted with the new one.
    const newer = randomBytes(32).toString('base64')
    expect(await (await reopen(`${newer},${key}`)).subscriptions.secrets(id)).toEqual([secret])
    expect(await (await reopen(newer)).subscriptions.secrets(id)).toEqual([secret])
    await expect(reopen(key)).rejects.toThrow(/WEBHOOK_SECRETS_KEY does not contain/)
    await expect((await reopen('')).subscriptions.secrets(id)).rejects.toThrow(
      /WEBHOOK_SECRETS_KEY does not contain/,
    )
  })
})

test('a subscription that its owner ends says so, and being made active again forgets why and every failure', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions, deliveries }, subscribe, at, rows }) => {
    const { id, account_id } = await subscribe(URL)
    const failures = () => rows('select failing_since, quiet_until from subscriptions')
    const fail = async (): Promise<void> =>
      deliveries.noteFailure(id, at().getTime(), {
        status_code: 429,
        duration_ms: 1,
        failure: null,
        retry_after_ms: null,
        body: '',
      })
    const failed = [{ failing_since: at().getTime(), quiet_until: at().getTime() + 60_000 }]
    const forgotten = [{ failing_since: null, quiet_until: 0 }]
    await fail()
    expect(await failures()).toEqual(failed)
    expect(await subscriptions.update(account_id, id, { status: 'inactive' })).toMatchObject({
      status: 'inactive',
      inactive_reason: 'asked',
    })
    expect(await failures()).toEqual(failed)
    expect(await subscriptions.update(account_id, id, { status: 'active' })).toMatchObject({
      status: 'active',
      inactive_reason: null,
    })
    expect(await failures()).toEqual(forgotten)
    await fail()
    await subscriptions.update(account_id, id, { name: 'deeds' })
    expect(await failures()).toEqual(failed)
    await subscriptions.update(account_id, id, { url: `${URL}/2` })
    expect(await failures()).toEqual(forgotten)
  })
})

test('a twin is refused before its endpoint is called, and a subscription is no twin of itself', async () => {
  await withWebhooks(async ({ webhooks: { subscriptions }, subscribe }) => {
    const { id, account_id } = await subscribe(URL)
    const wanted = { account_id, url: URL, name: null, event_type: 'deed.*', region: 'state:tx', area: 'TX' }
    await expect(subscriptions.refuseDuplicate(wanted)).rejects.toThrow(/already has an active webhook/)
    await expect(subscriptions.refuseDuplicate(wanted, id)).resolves.toBeUndefined()
    await expect(subscriptions.refuseDuplicate({ ...wanted, area: 'FL' })).resolves.toBeUndefined()
    expect((await subscriptions.find(id)).subscription_id).toBe(id)
    await expect(subscriptions.find('wh_none')).rejects.toThrow(/no webhook wh_none.*webhooks list/)
  })
})
