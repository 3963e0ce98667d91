import { describe, expect, test } from 'vitest'
import { type Resource, subscribers } from './subscriber.ts'
import { REFUSED_KEY } from './messages.ts'

const shared = subscribers()
const { withSubscriber } = shared

describe('who may', () => {
  const ROUTES = [
    ['POST', '/v1/webhooks/'],
    ['GET', '/v1/webhooks/'],
    ['GET', '/v1/webhooks/{webhook_id}'],
    ['PATCH', '/v1/webhooks/{webhook_id}'],
    ['DELETE', '/v1/webhooks/{webhook_id}'],
    ['POST', '/v1/webhooks/{webhook_id}/test'],
    ['POST', '/v1/webhooks/{webhook_id}/rotate_secret'],
  ] as const

  for (const [method, route] of ROUTES) {
    const path = route.replace('{webhook_id}', `wh_${'0'.repeat(22)}`)
    describe(`${method} ${route}`, () => {
      test('is 403 without a key, and with one that is not invited', async () => {
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        for (const key of [
          '',
          await shared.api.newKey(),
          await shared.api.newKey({ invitations: ['events'] }),
        ]) {
          const reply = await shared.api.send(method, path, body, key)
          expect(reply.statusCode).toBe(403)
          expect(reply.json()).toEqual({ message: REFUSED_KEY })
        }
        const invited = await shared.api.newKey({ invitations: ['webhooks'] })
        expect((await shared.api.send(method, path, body, invited)).statusCode).not.toBe(403)
      })
    })
  }

  test('an account sees its own webhooks only', async () => {
    await withSubscriber(async ({ create }) => {
      const { id } = await create()
      const other = await shared.api.newKey({ invitations: ['webhooks'] })
      expect((await shared.api.send('GET', '/v1/webhooks/', undefined, other)).json()).toEqual({
        results: [],
      })
      for (const [method, path, body] of [
        ['GET', `/v1/webhooks/${id}`, undefined],
        ['PATCH', `/v1/webhooks/${id}`, { name: 'mine now' }],
        ['DELETE', `/v1/webhooks/${id}`, undefined],
        ['POST', `/v1/webhooks/${id}/test`, {}],
        ['POST', `/v1/webhooks/${id}/rotate_secret`, {}],
      ] as const) {
        expect((await shared.api.send(method, path, body, other)).statusCode).toBe(404)
      }
    })
  })

  test('none of it is billed', async () => {
    await withSubscriber(async ({ key, send, create }) => {
      const { id } = await create()
      await send('POST', `/v1/webhooks/${id}/test`, {})
      await send('DELETE', `/v1/webhooks/${id}`)
      const mine = (await shared.api.state.keys.find(key))?.api_key_id
      const events = (await shared.api.events()).filter(({ api_key_id }) => api_key_id === mine)
      expect(events.map(({ route, billable }) => `${String(route)} ${String(billable)}`)).toEqual([
        '/v1/webhooks/ 0',
        '/v1/webhooks/{webhook_id}/test 0',
        '/v1/webhooks/{webhook_id} 0',
      ])
    })
  })
})

describe('GET /v1/webhooks/', () => {
  test('a list can be narrowed by status and event type; other values of status are 400', async () => {
    await withSubscriber(async ({ send, create }) => {
      const all = await create()
      const one = await create({ event_type: 'deed.transfer' })
      await send('PATCH', `/v1/webhooks/${one.id}`, { status: 'inactive' })
      const idsOf = async (query: string): Promise<string[]> =>
        (await send('GET', `/v1/webhooks/?${query}`))
          .json<{ results: Resource[] }>()
          .results.map(({ id }) => id)
      expect(await idsOf('')).toEqual([all.id, one.id])
      expect(await idsOf('status=active')).toEqual([all.id])
      expect(await idsOf('status=inactive')).toEqual([one.id])
      expect(await idsOf('event_type=deed.*')).toEqual([all.id])
      expect(await idsOf('event_type=deed.other')).toEqual([])
      expect(await idsOf('unknown=1')).toEqual([all.id, one.id])
      for (const query of ['status=asleep', 'status=', 'status=active&status=active']) {
        expect((await send('GET', `/v1/webhooks/?${query}`)).statusCode).toBe(400)
      }
    })
  })
})

describe('GET /v1/webhooks/{webhook_id}', () => {
  test('shows the webhook without its secret; an id that the account has not is 404', async () => {
    await withSubscriber(async ({ send, create }) => {
      const { signing_secret: _, ...shown } = await create()
      expect((await send('GET', `/v1/webhooks/${shown.id}`)).json()).toEqual({ result: shown })
      for (const id of ['wh_0000000000000000000000', 'anything', '%00', 'wh_'.repeat(500)]) {
        expect((await send('GET', `/v1/webhooks/${id}`)).statusCode).toBe(404)
      }
    })
  })
})
