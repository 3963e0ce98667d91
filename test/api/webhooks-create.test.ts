import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { answer } from '../webhooks/receiver.ts'
import { type Resource, subscribers, WANTED } from './subscriber.ts'

const shared = subscribers()
const { withSubscriber } = shared

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
        updated_at: shared.api.now().toISOString(),
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
        const event = await shared.api.send('GET', `/v1/events/${event_id}`, undefined, key)
        expect(event.json()).toMatchObject({
          id: event_id,
          object: 'event',
          event_type: 'deed.transfer',
          test: true,
          data: { jurisdiction: { county: 'Travis', state: 'TX', fips_code: '48453' } },
        })
        const other = await shared.api.newKey({ invitations: ['events'] })
        const foreign = await shared.api.send('GET', `/v1/events/${event_id}`, undefined, other)
        fetched.push(event.statusCode, foreign.statusCode)
        response.end()
      }
      await create({ region: 'county:tx.travis' })
      // For another account, the event could only be in a snapshot, and there is none.
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
    ['an endpoint without TLS', { url: 'http://receiver.example.com/' }, 'must be an https URL'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'must have a public IP address'],
    ['loopback', { url: 'https://127.0.0.2/' }, 'must have a public IP address'],
    ['link-local', { url: 'https://169.254.169.254/' }, 'must have a public IP address'],
    ['a name of the inside', { url: 'https://localhost/' }, 'must have a public host name'],
    ['no URL', { url: 'receiver' }, 'must be a URL'],
    [
      'a URL with an escape',
      { url: 'https://receiver.example.com/\u001b[2J' },
      'must not contain control characters',
    ],
    ['a region elsewhere', { region: 'state:wa' }, 'must be in TX, NY, FL'],
    ['a county elsewhere', { region: 'county:53033' }, 'must be in TX, NY, FL'],
    ['a state that there is not', { region: 'state:zz' }, 'must be an existing state or county'],
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
      const reply = await shared.api.app.inject({
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
    ['nothing', () => {}, 'the whole response was not received in time'],
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
      expect(reply.body).toContain('the address of its host is not public')
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
