import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { refuseUnparsed } from '../../src/api/connections.ts'
import { AppError } from '../../src/errors.ts'
import type { Log } from '../../src/log.ts'
import { envelopeOf, TRACE } from './envelope.ts'
import { type Api, connectTo, withApi } from './support.ts'

/** Adds a route that throws unexpected errors, which no real route should do. */
async function withRoute(fail: () => never, body: (api: Api) => Promise<void>, log?: Log): Promise<void> {
  await withApi(
    async (api) => {
      api.app.get('/v1/broken', fail)
      api.app.post('/v1/taking-json', () => ({}))
      await body(api)
    },
    log === undefined ? {} : { log },
  )
}

const SECRET = 'Jane Smith (512) 555-0101'

function failNever(): never {
  throw new Error('never called')
}

function failAlien(): never {
  throw new TypeError(`cannot read '${SECRET}'`)
}

function failOurs(): never {
  throw new AppError('model_failed', 'select secret from table')
}

function failOddly(): never {
  throw 'a string' as unknown as Error
}

describe('an address that is no resource', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v2'],
    ['GET', '/v3/person/'],
    ['GET', '/v2/person/P0000000001/more'],
    ['GET', '/v2/phone/'],
    ['POST', '/v2/person/'],
    ['PUT', '/v2/person/P0000000001'],
    ['DELETE', '/v2/property/R0000000001'],
    ['OPTIONS', '/v2/person/'],
  ] as const)('%s %s is 404 in the envelope, key or not', async (method, url) => {
    await withApi(async ({ app, key }) => {
      for (const headers of [{}, { 'x-api-key': key }]) {
        const reply = await app.inject({ method, url, headers })
        expect(reply.statusCode).toBe(404)
        expect(reply.json()).toEqual(envelopeOf(404, 'Not Found', expect.any(String)))
      }
    })
  })

  test('is 404 also with a body that nobody would read', async () => {
    await withApi(async ({ app }) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/v2/person/',
        headers: { 'content-type': 'text/xml' },
        payload: 'x'.repeat(2_000_000),
      })
      expect(reply.statusCode).toBe(404)
    })
  })
})

describe('what the framework refuses has the envelope too', () => {
  test('413 for a body that is too large', async () => {
    await withRoute(failNever, async ({ app }) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/v1/taking-json',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify('x'.repeat(2_000_000)),
      })
      expect(reply.statusCode).toBe(413)
      expect(reply.json()).toEqual(envelopeOf(413, 'Payload Too Large', expect.any(String)))
    })
  })

  test('414 for an address of more than 8,000 characters', async () => {
    await withApi(async ({ get }) => {
      const reply = await get(`/v2/person/?name=${'x'.repeat(8_000)}`)
      expect(reply.statusCode).toBe(414)
      expect(reply.json()).toEqual(envelopeOf(414, 'URI Too Long', expect.any(String)))
    })
  })

  test('415 for a body of another type', async () => {
    await withRoute(failNever, async ({ app }) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/v1/taking-json',
        headers: { 'content-type': 'text/xml' },
        payload: '<a/>',
      })
      expect(reply.statusCode).toBe(415)
      expect(reply.json()).toEqual(envelopeOf(415, 'Unsupported Media Type', expect.any(String)))
    })
  })

  test('422 for a body that is not JSON', async () => {
    await withRoute(failNever, async ({ app }) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/v1/taking-json',
        headers: { 'content-type': 'application/json' },
        payload: '{',
      })
      expect(reply.statusCode).toBe(422)
      expect(reply.json()).toEqual(envelopeOf(422, 'Unprocessable Entity', expect.any(String)))
    })
  })

  test('400 for an address that cannot be decoded', async () => {
    await withApi(async ({ get, key }) => {
      for (const headers of [{}, { 'x-api-key': key }, { 'x-api-key': 'nobody’s' }]) {
        const reply = await get('/v2/person/%E0%A4%A', headers)
        expect(reply.statusCode).toBe(400)
        expect(reply.json()).toEqual(envelopeOf(400, 'Bad Request', expect.any(String)))
        expect(reply.headers['x-trace-id']).toBe(reply.json().wp_trace_id)
      }
    })
  })

  test.each([
    ['not HTTP at all', 'hello\r\n\r\n', 400],
    [
      'more headers than a request may have',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
    ],
  ])('%s', async (_, bytes, status) => {
    await withApi(async ({ app }) => {
      await app.listen({ port: 0, host: '127.0.0.1' })
      const socket = connectTo(app.server)
      socket.write(bytes)
      const [head = '', json = ''] = (await text(socket)).split('\r\n\r\n')
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      const body = JSON.parse(json) as { error: { code: number }; wp_trace_id: string }
      expect(body.error.code).toBe(status)
      expect(head).toContain(`\r\nx-trace-id: ${body.wp_trace_id}\r\n`)
      expect(head).toContain('\r\ncontent-type: application/json; charset=utf-8\r\n')
      expect(head).toContain('\r\ncache-control: no-store\r\n')
    })
  })
})

test('a request that does not arrive in time is 408 in the envelope', async () => {
  // Node reports this error after 30 seconds. The test reports it at once.
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const server = createServer((socket) => refuseUnparsed(late, socket, 'a'.repeat(32)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connectTo(server)
  const [head = '', json = ''] = (await text(socket)).split('\r\n\r\n')
  server.close()
  expect(head).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/)
  expect(JSON.parse(json)).toEqual(
    envelopeOf(408, 'Request Timeout', 'the whole request was not received in time: send it again'),
  )
})

describe('a failure of ours', () => {
  test('is 500, says nothing of its cause, and leaves it in the log under the trace id', async () => {
    const lines: [object, string][] = []
    const log: Log = {
      debug() {},
      info() {},
      warn() {},
      error: (fields, message) => void lines.push([fields, message]),
    }
    await withRoute(
      failAlien,
      async ({ get }) => {
        const reply = await get('/v1/broken')
        expect(reply.statusCode).toBe(500)
        expect(reply.json()).toEqual(envelopeOf(500, 'Internal Server Error', expect.any(String)))
        expect(reply.body).not.toContain('cannot read')
        expect(lines).toEqual([
          [
            expect.objectContaining({
              trace_id: reply.json().wp_trace_id,
              route: '/v1/broken',
              error: 'TypeError',
            }),
            'request failed',
          ],
        ])
        expect(JSON.stringify(lines)).not.toContain('Jane')
        expect(JSON.stringify(lines)).toContain('errors.test.ts')
      },
      log,
    )
  })

  test('of a kind that callers are not told of is 500 as well', async () => {
    await withRoute(failOurs, async ({ get }) => {
      const reply = await get('/v1/broken')
      expect(reply.statusCode).toBe(500)
      expect(reply.body).not.toContain('secret')
    })
  })

  test('is 500 also when what was thrown is no error', async () => {
    await withRoute(failOddly, async ({ get }) => {
      expect((await get('/v1/broken')).statusCode).toBe(500)
    })
  })
})

describe('the trace id', () => {
  test.each([
    ['/health', 200],
    ['/ready', 503],
    ['/nowhere', 404],
    ['/v2/person/P1', 400],
    ['/v2/person/P0000000001', 503],
  ])('of %s is 32 hex digits in X-Trace-Id and in the envelope', async (path, status) => {
    await withApi(async ({ get }) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(status)
      expect(reply.headers['x-trace-id']).toMatch(TRACE)
      if (status >= 400) expect(reply.json().wp_trace_id).toBe(reply.headers['x-trace-id'])
    })
  })

  test('is in the header of a refusal that has no envelope', async () => {
    await withApi(async ({ get }) => {
      const reply = await get('/v2/person/?name=Jane', {})
      expect(reply.statusCode).toBe(403)
      expect(reply.headers['x-trace-id']).toMatch(TRACE)
    })
  })

  test('is another one for every request', async () => {
    await withApi(async ({ get }) => {
      const ids = new Set<unknown>()
      for (let n = 0; n < 1_100; n += 1) ids.add((await get('/health')).headers['x-trace-id'])
      expect(ids.size).toBe(1_100)
    })
  })
})

test('answers are JSON in UTF-8 that no cache may keep', async () => {
  await withApi(async ({ get }) => {
    for (const path of ['/health', '/ready', '/nowhere', '/v2/person/?name=Jane', '/v2/person/P1']) {
      const { headers } = await get(path)
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(headers['cache-control']).toBe('no-store')
    }
  })
})

describe.each([
  ['GET /v2/person/', '/v2/person/?name=Jane'],
  ['GET /v1/person/', '/v1/person/?name=Jane'],
  ['GET /v2/person/{id}', '/v2/person/P0000000001'],
  ['GET /v1/person/{id}', '/v1/person/P0000000001'],
  ['GET /v2/property/', '/v2/property/?street=1'],
  ['GET /v1/property/', '/v1/property/?street=1'],
  ['GET /v2/property/{property_id}', '/v2/property/R0000000001'],
  ['GET /v2/phone/{phone}', '/v2/phone/2065550142'],
  ['GET /ready', '/ready'],
])('%s', (_, path) => {
  test('without any snapshot is 503 and says why', async () => {
    await withApi(async ({ get }) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(503)
      expect(reply.json()).toEqual(
        envelopeOf(503, 'Service Unavailable', expect.stringContaining('No data is published yet')),
      )
    })
  })
})

describe('GET /health', () => {
  test('needs neither a key nor data; HEAD is answered too', async () => {
    await withApi(async ({ get, app }) => {
      expect((await get('/health', {})).json()).toEqual({ status: 'ok', snapshot: null })
      expect((await app.inject({ method: 'HEAD', url: '/health' })).statusCode).toBe(200)
      expect((await app.inject({ method: 'HEAD', url: '/ready' })).statusCode).toBe(503)
    })
  })
})
