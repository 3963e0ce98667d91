import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { openState } from '../../../src/state/open.ts'
import { openWebhooks } from '../../../src/webhooks/open.ts'
import { releaseEvents } from '../../../src/webhooks/release.ts'
import { createSecret } from '../../../src/webhooks/signing.ts'
import { createSubscriptionId } from '../../../src/webhooks/subscriptions.ts'
import { type Ended, runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'
import { answer, type Receiver, withReceiver } from '../../webhooks/receiver.ts'

interface Subscriber {
  readonly id: string
  readonly receiver: Receiver
  readonly webhooks: (...argv: string[]) => Promise<Ended>
}

/** A data folder with a webhook and two events that it has not been told of yet. */
async function withSubscriber(body: (subscriber: Subscriber) => Promise<void>): Promise<void> {
  await withReceiver((receiver) =>
    withFolder(async (data) => {
      const env = { WEBHOOK_TEST_HOSTS: receiver.host }
      const state = await openState(join(data, 'state', 'state.sqlite'))
      const webhooks = await openWebhooks({ state, config: loadConfig(env), now: () => new Date() })
      const id = createSubscriptionId()
      await webhooks.subscriptions.create(id, createSecret(), {
        account_id: (await state.keys.create({ name: 'test', invitations: ['webhooks'] })).key.account_id,
        url: receiver.url,
        name: null,
        event_type: 'deed.*',
        region: 'state:tx',
        area: 'TX',
      })
      const events = ['e1', 'e2'].map((event_id) => ({
        event_id,
        event_type: 'deed.transfer',
        state: 'TX',
        county_fips: '48453',
      }))
      await releaseEvents(state.db, events, new Date())
      await webhooks.close()
      await state.close()
      await body({
        id,
        receiver,
        webhooks: (...argv) => runCommand(['webhooks', ...argv, '--data', data], { env }),
      })
    }),
  )
}

test('webhooks and deliveries are listed, delivered, and delivered again after a replay', async () => {
  await withSubscriber(async ({ id, receiver, webhooks }) => {
    const listed = await webhooks('list')
    expect(listed.stdout).toMatch(new RegExp(`${id} .* deed\\.\\* +state:tx +active +\\S+ +${receiver.url}`))
    expect((await webhooks('deliveries', '--status', 'pending')).stdout).toMatch(/e1 +pending +0 +- +-/)
    expect((await webhooks('deliver')).stdout).toBe('2 delivered, 0 to be retried, 0 given up\n')
    const delivered = await webhooks('deliveries', '--webhook', id, '--json')
    expect(JSON.parse(delivered.stdout)).toMatchObject([
      { event_id: 'e2', status: 'delivered', status_code: 200 },
      { event_id: 'e1', status: 'delivered', status_code: 200 },
    ])
    expect((await webhooks('replay', '--since', '1h', '--webhook', id)).stdout).toMatch(
      /^2 deliveries since /,
    )
    expect(JSON.parse((await webhooks('deliver', '--json')).stdout)).toEqual({
      delivered: 2,
      retried: 0,
      failed: 0,
    })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(receiver.received).toHaveLength(4)
  })
})

test('a webhook is tested, paused, resumed, and given a new secret', async () => {
  await withSubscriber(async ({ id, receiver, webhooks }) => {
    expect((await webhooks('test', id)).code).toBe(0)
    receiver.script = answer(503)
    const failed = await webhooks('test', id)
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('not delivered: status 503')])
    expect((await webhooks('pause', id)).stdout).toBe(`${id} is inactive\n`)
    expect((await webhooks('list', '--status', 'inactive')).stdout).toContain('inactive (asked)')
    expect((await webhooks('resume', id)).stdout).toBe(`${id} is active\n`)
    expect((await webhooks('rotate', id)).stdout).toMatch(/^whsec_\S{44}\n$/)
  })
})

test.each([
  [['replay'], 'replay needs --since'],
  [['replay', '--since', 'yesterday'], "not 'yesterday'"],
  [['deliveries', '--limit', 'all'], "not 'all'"],
  [['test'], 'name a webhook'],
  [['send'], "there is no action 'webhooks send'"],
  [[], 'name an action'],
])('webhooks %j ends with 2 and says what is wrong', async (argv, reason) => {
  await withFolder(async (data) => {
    const { code, stderr } = await runCommand(['webhooks', ...argv, '--data', data])
    expect(code).toBe(2)
    expect(stderr).toContain(reason)
  })
})

test('a webhook that there is not ends with 1 and says where they are shown', async () => {
  await withFolder(async (data) => {
    const { code, stderr } = await runCommand(['webhooks', 'pause', 'wh_1', '--data', data])
    expect(code).toBe(1)
    expect(stderr).toContain('`platbook webhooks list` shows them')
  })
})

test('what an older version has stored can neither obey on a terminal nor forge a line', async () => {
  await withFolder(async (data) => {
    const state = await openState(join(data, 'state', 'state.sqlite'))
    const webhooks = await openWebhooks({ state, config: loadConfig({}), now: () => new Date() })
    const { key } = await state.keys.create({ name: 'test', invitations: ['webhooks'] })
    await webhooks.subscriptions.create(createSubscriptionId(), createSecret(), {
      account_id: key.account_id,
      url: 'https://example.com/\u001b[2J\u009b1m\nwh_forged active\u202e',
      name: null,
      event_type: 'deed.*',
      region: 'state:tx',
      area: 'TX',
    })
    await state.db.run('update keys set name = ?', 'Partner\u001b]0;owned\u0007\nkey_forged')
    await webhooks.close()
    await state.close()
    const listed = await runCommand(['webhooks', 'list', '--data', data])
    expect(listed.stdout.split('\n')).toHaveLength(3)
    expect(listed.stdout).toContain('https://example.com/\\u001b[2J\\u009b1m\\u000awh_forged active\\u202e')
    const keys = await runCommand(['keys', 'list', '--data', data])
    expect(keys.stdout.split('\n')).toHaveLength(3)
    expect(keys.stdout).toContain('Partner\\u001b]0;owned\\u0007\\u000akey_forged')
    const json = await runCommand(['webhooks', 'list', '--json', '--data', data])
    expect(JSON.parse(json.stdout)).toMatchObject([
      { url: expect.stringContaining('\u009b1m\nwh_forged') as string },
    ])
    for (const { stdout } of [listed, keys, json])
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    const wrong = await runCommand(['\u001b[2J'])
    expect(wrong.stderr).toContain("there is no command '\\u001b[2J'")
    const unknown = await runCommand(['keys', 'revoke', '\u001b[2J', '--data', data])
    expect(unknown.stderr).toContain('there is no key \\u001b[2J')
  })
})
