import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { answer } from '../webhooks/receiver.ts'
import { type Resource, subscribers } from './subscriber.ts'

const shared = subscribers()
const { withSubscriber } = shared

describe('PATCH /v1/webhooks/{webhook_id}', () => {
  test('changes what is named and answers with all of it', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { signing_secret: _, ...before } = await create()
      shared.api.pass(1_000)
      const reply = await send('PATCH', `/v1/webhooks/${before.id}`, {
        name: 'renamed',
        event_type: 'deed.other',
        region: 'county:fl.broward',
        url: `${receiver.url}/2`,
      })
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({
        result: {
          ...before,
          name: 'renamed',
          event_type: 'deed.other',
          region: 'county:fl.broward',
          url: `${receiver.url}/2`,
          updated_at: shared.api.now().toISOString(),
        },
      })
      expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook/2'])
    })
  })

  test('calls the endpoint for a new url and when it is made active again, and for nothing else', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create()
      const patch = (changes: object) => send('PATCH', `/v1/webhooks/${id}`, changes)
      receiver.received.length = 0
      receiver.script = answer(500)
      expect((await patch({ name: 'a' })).statusCode).toBe(200)
      expect((await patch({ status: 'inactive' })).statusCode).toBe(200)
      expect((await patch({ url: `${receiver.url}/2` })).statusCode).toBe(200)
      expect(receiver.received).toEqual([])
      expect((await patch({ status: 'active' })).statusCode).toBe(400)
      receiver.script = answer(200)
      expect((await patch({ status: 'active' })).json()).toMatchObject({ result: { status: 'active' } })
      receiver.script = answer(404)
      expect((await patch({ url: receiver.url })).statusCode).toBe(400)
      expect((await patch({ url: 'https://10.0.0.1/' })).statusCode).toBe(400)
      expect((await send('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({
        result: { url: `${receiver.url}/2`, status: 'active', name: 'a' },
      })
    })
  })

  test('into a twin of another is 409', async () => {
    await withSubscriber(async ({ send, create }) => {
      await create()
      const { id } = await create({ region: 'state:fl' })
      expect((await send('PATCH', `/v1/webhooks/${id}`, { region: 'state:tx' })).statusCode).toBe(409)
    })
  })

  test.each([{}, { unknown: 1 }, { status: 'asleep' }, { url: null }, { event_type: 'deed' }, []])(
    'with %j is 422',
    async (changes) => {
      await withSubscriber(async ({ send, create }) => {
        const { id } = await create()
        expect((await send('PATCH', `/v1/webhooks/${id}`, changes)).statusCode).toBe(422)
      })
    },
  )
})

describe('DELETE /v1/webhooks/{webhook_id}', () => {
  test('answers 204 without a body, and then 404', async () => {
    await withSubscriber(async ({ send, create }) => {
      const { id } = await create()
      const reply = await send('DELETE', `/v1/webhooks/${id}`)
      expect([reply.statusCode, reply.body]).toEqual([204, ''])
      for (const method of ['GET', 'DELETE'] as const) {
        expect((await send(method, `/v1/webhooks/${id}`)).statusCode).toBe(404)
      }
      expect((await send('GET', '/v1/webhooks/anything')).statusCode).toBe(404)
    })
  })
})

describe('POST /v1/webhooks/{webhook_id}/rotate_secret', () => {
  test('what the caller meant to choose is refused, and the secret stays as it is', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id, signing_secret } = await create()
      for (const [path, body, status, words] of [
        ['rotate_secret?dry_run=true', {}, 400, 'has no query parameters'],
        ['rotate_secret', { dry_run: true }, 422, 'must be an empty object'],
        ['rotate_secret', [], 422, 'must be a JSON object'],
      ] as const) {
        const reply = await send('POST', `/v1/webhooks/${id}/${path}`, body)
        expect([reply.statusCode, reply.body]).toEqual([status, expect.stringContaining(words)])
      }
      await send('POST', `/v1/webhooks/${id}/test`, {})
      const { body, headers } = receiver.received.at(-1) ?? { body: '', headers: {} }
      const { 'webhook-signature': signature = '' } = headers as Record<string, string>
      expect(signature.split(' ')).toHaveLength(1)
      expect(() =>
        new Webhook(signing_secret ?? '').verify(body, headers as Record<string, string>),
      ).not.toThrow()
    })
  })

  test('a rotated secret is shown once, and test notifications carry both signatures', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id, signing_secret } = await create()
      const reply = await send('POST', `/v1/webhooks/${id}/rotate_secret`, {})
      expect(reply.statusCode).toBe(200)
      const fresh = reply.json<{ result: Resource }>().result.signing_secret
      expect(fresh).not.toBe(signing_secret)
      await send('POST', `/v1/webhooks/${id}/test`, {})
      const { body, headers } = receiver.received.at(-1) ?? { body: '', headers: {} }
      for (const secret of [signing_secret, fresh]) {
        expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow()
      }
    })
  })
})
