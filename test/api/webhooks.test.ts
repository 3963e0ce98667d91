import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/state/database.ts'
import { answer, type Receiver, withReceiver } from '../webhooks/receiver.ts'
import { type Api, withApi } from './support.ts'

interface Resource {
  readonly id: string
  readonly signing_secret: string
  readonly status: string
  readonly updated_at: string
}

interface Subscriber {
  readonly receiver: Receiver
  /** A key of an account that is invited. */
  readonly key: string
  readonly send: (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ) => ReturnType<Api['send']>
  /** A webhook to all deeds of Texas at the receiver, or as said. */
  readonly create: (wanted?: object) => Promise<Resource>
}

// One service for all tests here: each test is an account of its own. Its clock begins now, because the package of
// Standard Webhooks refuses notifications of another time.
let api: Api
let close: () => Promise<void>
beforeAll(async () => {
  const opened = Promise.withResolvers<Api>()
  const done = Promise.withResolvers<void>()
  const closed = withApi(
    async (one) => {
      opened.resolve(one)
      await done.promise
    },
    {
      start: new Date().toISOString(),
      env: { WEBHOOK_TEST_HOSTS: '127.0.0.1', PLATBOOK_URL: 'https://platbook.example.com/' },
      internet: { answerWithinMs: 3_000, resolve: async () => [{ address: '10.0.0.1', family: 4 }] },
    },
  )
  api = await opened.promise
  close = () => {
    done.resolve()
    return closed
  }
})
afterAll(() => close())

async function withSubscriber(body: (subscriber: Subscriber) => Promise<void>): Promise<void> {
  await withReceiver(async (receiver) => {
    const key = api.newKey({ invitations: ['webhooks', 'events'], rate_per_second: 1_000_000 })
    const send: Subscriber['send'] = (method, path, content) => api.send(method, path, content, key)
    const create = async (wanted: object = {}): Promise<Resource> => {
      const reply = await send('POST', '/v1/webhooks/', { url: receiver.url, ...WANTED, ...wanted })
      expect(reply.body).toContain('signing_secret')
      return reply.json<{ result: Resource }>().result
    }
    await body({ receiver, key, send, create })
  })
}

const WANTED = { event_type: 'deed.*', region: 'state:tx' }

describe('who may', () => {
  const ROUTES = [
    ['POST', '/v1/webhooks/'],
    ['GET', '/v1/webhooks/'],
    ['GET', '/v1/webhooks/wh_0000000000000000000000'],
    ['PATCH', '/v1/webhooks/wh_0000000000000000000000'],
    ['DELETE', '/v1/webhooks/wh_0000000000000000000000'],
    ['POST', '/v1/webhooks/wh_0000000000000000000000/test'],
    ['POST', '/v1/webhooks/wh_0000000000000000000000/rotate_secret'],
  ] as const

  test.each(ROUTES)('%s %s is 403 without a key, and with one that is not invited', async (method, path) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    for (const key of ['', api.newKey(), api.newKey({ invitations: ['events'] })]) {
      const reply = await api.send(method, path, body, key)
      expect(reply.statusCode).toBe(403)
      expect(reply.json()).toEqual({ message: 'Forbidden' })
    }
    const invited = api.newKey({ invitations: ['webhooks'] })
    expect((await api.send(method, path, body, invited)).statusCode).not.toBe(403)
  })

  test('an account sees its own webhooks only', async () => {
    await withSubscriber(async ({ create }) => {
      const { id } = await create()
      const other = api.newKey({ invitations: ['webhooks'] })
      expect((await api.send('GET', '/v1/webhooks/', undefined, other)).json()).toEqual({ results: [] })
      for (const [method, path, body] of [
        ['GET', `/v1/webhooks/${id}`, undefined],
        ['PATCH', `/v1/webhooks/${id}`, { name: 'mine now' }],
        ['DELETE', `/v1/webhooks/${id}`, undefined],
        ['POST', `/v1/webhooks/${id}/test`, {}],
        ['POST', `/v1/webhooks/${id}/rotate_secret`, {}],
      ] as const) {
        expect((await api.send(method, path, body, other)).statusCode).toBe(404)
      }
    })
  })

  test('none of it is billed', async () => {
    await withSubscriber(async ({ key, send, create }) => {
      const { id } = await create()
      await send('POST', `/v1/webhooks/${id}/test`, {})
      await send('DELETE', `/v1/webhooks/${id}`)
      const mine = api.state.keys.find(key)?.api_key_id
      const events = (await api.events()).filter(({ api_key_id }) => api_key_id === mine)
      expect(events.map(({ route, billable }) => `${String(route)} ${String(billable)}`)).toEqual([
        '/v1/webhooks/ 0',
        '/v1/webhooks/{webhook_id}/test 0',
        '/v1/webhooks/{webhook_id} 0',
      ])
    })
  })
})

describe('POST /v1/webhooks/', () => {
  test('answers 201 with the resource and its secret, which nothing shows again', async () => {
    await withSubscriber(async ({ send, receiver }) => {
      const reply = await send('POST', '/v1/webhooks/', { url: receiver.url, ...WANTED, name: 'deeds' })
      expect(reply.statusCode).toBe(201)
      const { result } = reply.json<{ result: Resource }>()
      expect(result).toEqual({
        id: expect.stringMatching(/^wh_[0-9A-Za-z]{22}$/) as string,
        url: receiver.url,
        name: 'deeds',
        event_type: 'deed.*',
        region: 'state:tx',
        status: 'active',
        created_at: result.updated_at,
        updated_at: api.now().toISOString(),
        signing_secret: expect.stringMatching(/^whsec_/) as string,
      })
      const { signing_secret: _, ...shown } = result
      expect((await send('GET', `/v1/webhooks/${result.id}`)).json()).toEqual({ result: shown })
      expect((await send('GET', '/v1/webhooks/')).json()).toEqual({ results: [shown] })
    })
  })

  test('sends the endpoint a signed notification of an event, which can be fetched', async () => {
    await withSubscriber(async ({ create, receiver }) => {
      const { signing_secret } = await create()
      expect(receiver.received).toHaveLength(1)
      const { body, headers } = receiver.received[0] ?? { body: '', headers: {} }
      const notification = new Webhook(signing_secret).verify(body, headers as Record<string, string>)
      expect(notification).toMatchObject({ event_type: 'deed.transfer' })
    })
  })

  test('makes an event that only its account can fetch, before the endpoint has answered', async () => {
    await withSubscriber(async ({ key, create, receiver }) => {
      const fetched: number[] = []
      receiver.script = async (response, { body }) => {
        const { event_id } = JSON.parse(body) as { event_id: string }
        const event = await api.send('GET', `/v1/events/${event_id}`, undefined, key)
        expect(event.json()).toMatchObject({
          id: event_id,
          object: 'event',
          event_type: 'deed.transfer',
          test: true,
          data: { jurisdiction: { county: 'Travis', state: 'TX', fips_code: '48453' } },
        })
        const other = api.newKey({ invitations: ['events'] })
        const foreign = await api.send('GET', `/v1/events/${event_id}`, undefined, other)
        fetched.push(event.statusCode, foreign.statusCode)
        response.end()
      }
      await create({ region: 'county:tx.travis' })
      // For somebody else it could only be in the snapshot, of which there is none here.
      expect(fetched).toEqual([200, 503])
    })
  })

  test.each([
    'state:tx',
    'STATE:NY',
    'county:tx.travis',
    'county:FL.miami_dade',
    'county:12086',
    ' state:fl ',
  ])('takes the region %s', async (region) => {
    await withSubscriber(async ({ create }) => {
      expect(await create({ region })).toMatchObject({ region: region.trim().toLowerCase() })
    })
  })

  test.each([
    'deed.*',
    'deed.transfer',
    'deed.quitclaim',
    'deed.foreclosure',
    'deed.correction',
    'deed.other',
  ])('takes the event type %s', async (event_type) => {
    await withSubscriber(async ({ create }) => {
      expect(await create({ event_type })).toMatchObject({ event_type })
    })
  })

  test.each([
    ['an endpoint without TLS', { url: 'http://receiver.example.com/' }, 'must be an https address'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'must be a public address'],
    ['loopback', { url: 'https://127.0.0.2/' }, 'must be a public address'],
    ['link-local', { url: 'https://169.254.169.254/' }, 'must be a public address'],
    ['a name of the inside', { url: 'https://localhost/' }, 'must be the public name of a host'],
    ['no URL', { url: 'receiver' }, 'must be a URL'],
    ['a region elsewhere', { region: 'state:wa' }, 'must lie in TX, NY, FL'],
    ['a county elsewhere', { region: 'county:53033' }, 'must lie in TX, NY, FL'],
    ['a state that there is not', { region: 'state:zz' }, 'must be a state or county that there is'],
    [
      'a county that there is not',
      { region: 'county:tx.nowhere' },
      '/v1/regions/states/TX/counties lists them',
    ],
  ])('is 400 for %s', async (_, wrong, reason) => {
    await withSubscriber(async ({ send, receiver }) => {
      const reply = await send('POST', '/v1/webhooks/', { url: receiver.url, ...WANTED, ...wrong })
      expect(reply.statusCode).toBe(400)
      const { error } = reply.json<{ error: { long_message: string; meta: { field: string } } }>()
      const [field] = Object.keys(wrong)
      expect(error.long_message).toContain(`body -> ${field}: `)
      expect(error.long_message).toContain(reason)
      expect(error.meta.field).toBe(field)
      expect(receiver.received).toEqual([])
    })
  })

  test.each([
    ['no url', { url: undefined }],
    ['a url that is no text', { url: ['https://receiver.example.com/'] }],
    ['no event type', { event_type: undefined }],
    ['an event type that there is not', { event_type: 'deed.sale' }],
    ['another family of events', { event_type: 'mortgage.*' }],
    ['no region', { region: undefined }],
    ['a region that is none', { region: 'texas' }],
    ['a name that is no text', { name: 7 }],
    ['a very long name', { name: 'x'.repeat(201) }],
  ])('is 422 for %s', async (_, wrong) => {
    await withSubscriber(async ({ send, receiver }) => {
      const reply = await send('POST', '/v1/webhooks/', { url: receiver.url, ...WANTED, ...wrong })
      expect(reply.statusCode).toBe(422)
      expect(reply.json()).toMatchObject({
        error: { code: 422, message: 'Unprocessable Entity', meta: { field: Object.keys(wrong)[0] } },
      })
      expect(receiver.received).toEqual([])
    })
  })

  test.each(['[]', '"text"', '7', 'null', '{', ''])('is 422 for the body %s', async (payload) => {
    await withSubscriber(async ({ key }) => {
      const reply = await api.app.inject({
        method: 'POST',
        url: '/v1/webhooks/',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        payload,
      })
      expect(reply.statusCode).toBe(422)
    })
  })

  test.each([
    ['500', answer(500), 'it answered 500'],
    ['a redirect', answer(302, { location: 'https://receiver.example.com/' }), 'it answered 302'],
    ['nothing', () => {}, 'no whole answer within the time'],
  ])('is 400, and says so, when the endpoint answers %s', async (_, script, reason) => {
    await withSubscriber(async ({ send, receiver }) => {
      receiver.script = script
      const reply = await send('POST', '/v1/webhooks/', { url: receiver.url, ...WANTED })
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toMatchObject({ error: { meta: { field: 'url' } } })
      expect(reply.json<{ error: { long_message: string } }>().error.long_message).toContain(reason)
      expect((await send('GET', '/v1/webhooks/')).json()).toEqual({ results: [] })
    })
  })

  test('is 400 when the name of the endpoint leads inside', async () => {
    await withSubscriber(async ({ send }) => {
      const reply = await send('POST', '/v1/webhooks/', { url: 'https://receiver.example.com/', ...WANTED })
      expect(reply.statusCode).toBe(400)
      expect(reply.body).toContain('its address is not a public one')
    })
  })

  test('is 409 when there is an active one with the same url, event type and region, without a call', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create({ region: 'county:tx.travis' })
      receiver.received.length = 0
      const twin = { url: receiver.url, event_type: 'deed.*', region: 'county:48453', name: 'another label' }
      const reply = await send('POST', '/v1/webhooks/', twin)
      expect(reply.statusCode).toBe(409)
      expect(reply.json()).toMatchObject({ error: { code: 409, message: 'Conflict' } })
      expect(receiver.received).toEqual([])
      await send('PATCH', `/v1/webhooks/${id}`, { status: 'inactive' })
      expect((await send('POST', '/v1/webhooks/', twin)).statusCode).toBe(201)
    })
  })

  test('twice at once makes one', async () => {
    await withSubscriber(async ({ send, receiver }) => {
      const wanted = { url: receiver.url, ...WANTED }
      const replies = await Promise.all([
        send('POST', '/v1/webhooks/', wanted),
        send('POST', '/v1/webhooks/', wanted),
      ])
      expect(replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([201, 409])
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

describe('PATCH /v1/webhooks/{webhook_id}', () => {
  test('changes what is named and answers with all of it', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { signing_secret: _, ...before } = await create()
      api.pass(1_000)
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
          updated_at: api.now().toISOString(),
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

describe('POST /v1/webhooks/{webhook_id}/test', () => {
  test('says what came back, and what was sent', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create({ event_type: 'deed.foreclosure' })
      receiver.received.length = 0
      const reply = await send('POST', `/v1/webhooks/${id}/test`, {})
      expect(reply.statusCode).toBe(200)
      const { payload, ...rest } = reply.json<{ payload: { event_id: string } }>()
      expect(rest).toEqual({
        success: true,
        delivery: {
          status_code: 200,
          response_time_ms: expect.any(Number) as number,
          timestamp: api.now().toISOString(),
        },
      })
      expect(payload).toEqual({
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        event_type: 'deed.foreclosure',
        links: [{ version: '1', url: `https://platbook.example.com/v1/events/${payload.event_id}` }],
      })
      expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([payload])
      const db = openDatabase(`${api.folder}/state.sqlite`)
      const logged = db
        .prepare('select event_id, status_code from delivery_attempts where subscription_id = ?')
        .all(id)
      db.close()
      expect(logged.map((row) => ({ ...row }))).toEqual([{ event_id: payload.event_id, status_code: 200 }])
    })
  })

  test('that fails says so, with the status or with 0 for no answer, and is not tried again', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create()
      receiver.received.length = 0
      receiver.script = answer(503)
      const refused = await send('POST', `/v1/webhooks/${id}/test`, {})
      expect(refused.json()).toMatchObject({ success: false, delivery: { status_code: 503 } })
      receiver.script = (response) => void response.socket?.resetAndDestroy()
      const broken = await send('POST', `/v1/webhooks/${id}/test`)
      expect(broken.json()).toMatchObject({ success: false, delivery: { status_code: 0 } })
      expect(receiver.received).toHaveLength(2)
      expect((await send('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({ result: { status: 'active' } })
    })
  })

  test('that is answered with 410 makes it inactive', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create()
      receiver.script = answer(410)
      await send('POST', `/v1/webhooks/${id}/test`, {})
      expect((await send('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({
        result: { status: 'inactive' },
      })
    })
  })

  test.each(['[]', '"text"', '7'])('with the body %s is 422', async (payload) => {
    await withSubscriber(async ({ key, create }) => {
      const { id } = await create()
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const url = `/v1/webhooks/${id}/test`
      expect((await api.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(422)
    })
  })
})

describe('POST /v1/webhooks/{webhook_id}/rotate_secret', () => {
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
