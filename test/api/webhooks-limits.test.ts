import { expect, test } from 'vitest'
import { createCertificate } from '../support/certificate.ts'
import { answer, type Receiver, type Script, withReceiver } from '../webhooks/receiver.ts'
import { type Api, type ApiOptions, withApi } from './support.ts'
import { RATE_LIMITED } from './messages.ts'

const WANTED = { event_type: 'deed.*', region: 'state:tx' }

/** Opens a service for which every host name leads to one receiver. */
async function withInternet(
  body: (api: Api, receiver: Receiver, endpoint: (host: string, path: string) => string) => Promise<void>,
  env: Record<string, string> = {},
  more: ApiOptions = {},
): Promise<void> {
  await withReceiver(
    (receiver) =>
      withApi((api) => body(api, receiver, (host, path) => `https://${host}:${receiver.port}/${path}`), {
        env,
        internet: {
          ca: receiver.certificate.cert,
          isPublic: () => true,
          resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        },
        ...more,
      }),
    { isTls: true, certificate: createCertificate(['receiver.example.com', 'other.example.com']) },
  )
}

const invited = async ({ newKey }: Api): Promise<string> =>
  newKey({ invitations: ['webhooks'], rate_per_second: 1_000_000 })

const echo: Script = (response, { headers }) => {
  response.end(String(headers['webhook-challenge']))
}

async function create({ send }: Api, key: string, url: string) {
  const reply = await send('POST', '/v1/webhooks/', { url, ...WANTED }, key)
  return { status: reply.statusCode, reply, said: reply.json().error?.long_message as string | undefined }
}

test('an account has at most as many webhooks, at all and at one host, as it may have; deleting makes room', async () => {
  await withInternet(
    async (api, _, at) => {
      const key = await invited(api)
      const first = await create(api, key, at('receiver.example.com', '1'))
      expect((await create(api, key, at('receiver.example.com', '2'))).status).toBe(201)
      const third = await create(api, key, at('receiver.example.com', '3'))
      expect([third.status, third.said]).toEqual([
        409,
        'the account has 2 webhooks at receiver.example.com, the most that are allowed at one host: delete one first',
      ])
      expect((await create(api, key, at('other.example.com', '1'))).status).toBe(201)
      const fourth = await create(api, key, at('other.example.com', '2'))
      expect([fourth.status, fourth.said]).toEqual([
        409,
        'the account has 3 webhooks, the most that are allowed: delete one first',
      ])
      const id = String(first.reply.json().result.id)
      const moved = await api.send(
        'PATCH',
        `/v1/webhooks/${id}`,
        { url: at('receiver.example.com', '9') },
        key,
      )
      expect(moved.statusCode).toBe(200)
      await api.send('DELETE', `/v1/webhooks/${id}`, undefined, key)
      expect((await create(api, key, at('other.example.com', '2'))).status).toBe(201)
    },
    { WEBHOOKS_PER_ACCOUNT: '3', WEBHOOKS_PER_HOST: '2' },
  )
})

test('creation and test share a token bucket: beyond it 429 with Retry-After, and the endpoint is not called', async () => {
  await withInternet(
    async (api, receiver, at) => {
      const key = await invited(api)
      const made = await create(api, key, at('receiver.example.com', '1'))
      const id = String(made.reply.json().result.id)
      const tryIt = () => api.send('POST', `/v1/webhooks/${id}/test`, {}, key)
      expect((await tryIt()).statusCode).toBe(200)
      const third = await tryIt()
      expect([third.statusCode, third.json(), third.headers['retry-after']]).toEqual([
        429,
        { message: RATE_LIMITED },
        '30',
      ])
      expect((await create(api, key, at('other.example.com', '1'))).status).toBe(429)
      expect(receiver.received).toHaveLength(2)
      // Another account cannot call the host more often.
      expect((await create(api, await invited(api), at('receiver.example.com', '2'))).status).toBe(429)
      api.pass(30_000)
      expect((await tryIt()).statusCode).toBe(200)
    },
    { WEBHOOK_CALLS_PER_MINUTE: '2', WEBHOOK_CHALLENGE: 'never' },
  )
})

test('a host that another account uses must answer the challenge, in one of two forms', async () => {
  await withInternet(async (api, receiver, at) => {
    expect((await create(api, await invited(api), at('receiver.example.com', 'mine'))).status).toBe(201)
    const stranger = await invited(api)
    const refused = await create(api, stranger, at('receiver.example.com', 'theirs'))
    expect([refused.status, refused.said]).toEqual([
      400,
      expect.stringContaining('must answer the challenge'),
    ])
    receiver.script = answer(200, {}, 'A'.repeat(32))
    expect((await create(api, stranger, at('receiver.example.com', 'theirs'))).status).toBe(400)
    receiver.script = echo
    expect((await create(api, stranger, at('receiver.example.com', 'theirs'))).status).toBe(201)
    receiver.script = (response, { headers }) =>
      void response.end(JSON.stringify({ challenge: headers['webhook-challenge'] }))
    expect((await create(api, await invited(api), at('receiver.example.com', 'json'))).status).toBe(201)
  })
})

test('the sixth webhook of an account at one host must answer the challenge', async () => {
  await withInternet(async (api, receiver, at) => {
    const key = await invited(api)
    for (let n = 1; n <= 5; n += 1)
      expect((await create(api, key, at('receiver.example.com', String(n)))).status).toBe(201)
    expect((await create(api, key, at('receiver.example.com', '6'))).status).toBe(400)
    receiver.script = echo
    expect((await create(api, key, at('receiver.example.com', '6'))).status).toBe(201)
  })
})

test.each([
  ['always', 400],
  ['never', 201],
])(
  'WEBHOOK_CHALLENGE=%s: a first webhook at a host that only answers 2xx is %i',
  async (WEBHOOK_CHALLENGE, status) => {
    await withInternet(
      async (api, _, at) => {
        expect((await create(api, await invited(api), at('receiver.example.com', '1'))).status).toBe(status)
      },
      { WEBHOOK_CHALLENGE },
    )
  },
)

test('a name with control characters is refused', async () => {
  await withInternet(async (api, receiver, at) => {
    const body = { url: at('receiver.example.com', '1'), ...WANTED, name: 'a\u001b[2Jb' }
    expect((await api.send('POST', '/v1/webhooks/', body, await invited(api))).statusCode).toBe(422)
    expect(receiver.received).toEqual([])
  })
})
