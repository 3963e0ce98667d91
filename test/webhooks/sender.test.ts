import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  type EndpointResponse,
  KEPT_BODY_BYTES,
  openSender,
  parseRetryAfter,
  type SenderOptions,
} from '../../src/webhooks/sender.ts'
import { createCertificate } from '../support/certificate.ts'
import { timerCount } from '../support/timer-count.ts'
import { NOW, postOnce } from './post-once.ts'
import { answer, type Receiver, type Script, withReceiver } from './receiver.ts'

/** Posts to a receiver that is configured as a test host. */
function postTo(receiver: Receiver, options: Partial<SenderOptions> = {}): Promise<EndpointResponse> {
  return postOnce(receiver.url, {
    testHosts: new Set([receiver.host]),
    ca: receiver.certificate.cert,
    ...options,
  })
}

describe('an endpoint that answers', () => {
  test('gets the body and the headers, and its answer comes back', async () => {
    await withReceiver(
      async (receiver) => {
        const startedAt = performance.now()
        const came = await postTo(receiver)
        expect(came.duration_ms).toBeGreaterThanOrEqual(0)
        expect(came.duration_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt))
        expect(came).toMatchObject({ status_code: 202, failure: null, body: 'thanks', retry_after_ms: null })
        expect(receiver.received).toHaveLength(1)
        expect(receiver.received[0]).toMatchObject({
          path: '/hook',
          body: '{"a":1}',
          headers: { 'webhook-id': 'msg_1', 'content-type': 'application/json', 'content-length': '7' },
        })
      },
      { script: answer(202, {}, 'thanks') },
    )
  })

  test('is asked at its own path and query', async () => {
    await withReceiver(async (receiver) => {
      await postOnce(`${receiver.url}/a%20b?token=x%26y`, { testHosts: new Set([receiver.host]) })
      expect(receiver.received[0]?.path).toBe('/hook/a%20b?token=x%26y')
    })
  })

  test.each([200, 204, 301, 404, 410, 500, 503])('with %i: that is its answer', async (status) => {
    await withReceiver(async (receiver) => {
      receiver.script = answer(status)
      expect(await postTo(receiver)).toMatchObject({ status_code: status, failure: null })
    })
  })

  test('with a redirect to the inside is not followed', async () => {
    await withReceiver(async (inside) => {
      await withReceiver(
        async (receiver) => {
          const came = await postTo(receiver, { testHosts: new Set([receiver.host, inside.host]) })
          expect(came).toMatchObject({ status_code: 307, failure: null })
          expect(inside.received).toEqual([])
        },
        { script: answer(307, { location: inside.url }) },
      )
    })
  })

  test('with Retry-After says for how long', async () => {
    await withReceiver(
      async (receiver) => {
        expect(await postTo(receiver)).toMatchObject({ status_code: 429, retry_after_ms: 120_000 })
      },
      { script: answer(429, { 'retry-after': '120' }) },
    )
  })

  test('over IPv6', async () => {
    await withReceiver(
      async (receiver) => {
        expect(await postTo(receiver)).toMatchObject({ status_code: 200, failure: null })
      },
      { address: '::1', isTls: true },
    )
  })

  test('keeps its connections for the next notification', async () => {
    await withReceiver(async (receiver) => {
      const ports = new Set<number | undefined>()
      receiver.script = (response) => {
        ports.add(response.socket?.remotePort)
        response.end('ok')
      }
      const sender = openSender({ now: () => NOW, perHost: 2, testHosts: new Set([receiver.host]) })
      for (let n = 0; n < 9; n += 1) await sender.post(receiver.url, {}, '{}')
      await sender.close()
      expect(receiver.received).toHaveLength(9)
      expect(ports.size).toBeLessThanOrEqual(2)
    })
  })
})

test('an answer that came leaves no timer behind', async () => {
  await withReceiver(async (receiver) => {
    const options = { now: () => NOW, perHost: 2, testHosts: new Set([receiver.host]) }
    const sender = openSender({ ...options, answerWithinMs: 3_600_000 })
    const before = timerCount()
    for (let n = 0; n < 50; n += 1) await sender.post(receiver.url, {}, '{}')
    await sender.close()
    expect(timerCount() - before).toBeLessThan(50)
  })
})

describe('an endpoint that behaves badly', () => {
  const failures: [string, Script, Partial<EndpointResponse>, number?][] = [
    ['never answers', () => {}, { status_code: 0, failure: 'timeout' }, 100],
    [
      'sends its headers byte by byte',
      (response) => void drip(response.socket, 'HTTP/1.1 200 OK\r\nx: ', 'a'),
      { status_code: 0, failure: 'timeout' },
      200,
    ],
    [
      'sends its body byte by byte',
      (response) => void drip(response.socket, 'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', 'a'),
      { status_code: 200, failure: 'timeout' },
      // Long enough to receive the headers even on a busy machine.
      2_000,
    ],
    [
      'hangs up before it answers',
      (response) => void response.socket?.resetAndDestroy(),
      { status_code: 0, failure: 'connection_lost' },
    ],
    [
      'hangs up in the middle of its answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('half', () => response.socket?.end())
      },
      { status_code: 200, failure: 'connection_lost' },
    ],
    [
      'does not speak HTTP',
      (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
      { status_code: 0, failure: 'not_http' },
    ],
    [
      'sends a megabyte of headers',
      (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1_000_000)}\r\n\r\n`),
      { status_code: 0, failure: 'not_http' },
    ],
  ]
  test.each(failures)('%s', async (_, script, expected, answerWithinMs = 60_000) => {
    await withReceiver(
      async (receiver) => {
        expect(await postTo(receiver, { answerWithinMs })).toMatchObject(expected)
      },
      { script },
    )
  })

  test('sends a body of a gigabyte: its start is kept, and the connection cut', async () => {
    await withReceiver(async (receiver) => {
      let sent = 0
      const { promise: isCut, resolve: cut } = Promise.withResolvers<void>()
      receiver.script = (response) => {
        const chunk = Buffer.alloc(65_536, 'a')
        response.writeHead(200, { 'content-length': String(2 ** 30) })
        response.on('close', cut)
        const more = (): void => {
          while (sent < 2 ** 30 && !response.destroyed) {
            sent += chunk.length
            if (!response.write(chunk)) {
              response.once('drain', more)
              return
            }
          }
        }
        more()
      }
      const came = await postTo(receiver)
      expect(came).toMatchObject({ status_code: 200, failure: null })
      expect(came.body).toBe('a'.repeat(KEPT_BODY_BYTES))
      await isCut
      expect(sent).toBeLessThan(2 ** 26)
    })
  })

  test('has a certificate of somebody else, or of nobody', async () => {
    await withReceiver(
      async (receiver) => {
        expect(await postTo(receiver)).toMatchObject({ status_code: 0, failure: 'tls_failed' })
        const trusted = await postTo(receiver, { ca: createCertificate(['127.0.0.1']).cert })
        expect(trusted).toMatchObject({ failure: 'tls_failed' })
        expect(receiver.received).toEqual([])
      },
      { isTls: true, certificate: createCertificate(['somebody-else.example.com']) },
    )
  })

  test('has a certificate that has run out', async () => {
    await withReceiver(
      async (receiver) => {
        expect(await postTo(receiver)).toMatchObject({ failure: 'tls_failed' })
      },
      { isTls: true, certificate: createCertificate(['127.0.0.1'], new Date('2021-01-01T00:00:00Z')) },
    )
  })

  test('answers TLS with plain HTTP', async () => {
    await withReceiver(async (receiver) => {
      const url = receiver.url.replace('http:', 'https:')
      const came = await postOnce(url, { testHosts: new Set([receiver.host]) })
      expect(came).toMatchObject({ failure: 'tls_failed' })
    })
  })

  test('does not listen', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const came = await postOnce(`http://127.0.0.1:${port}/`, { testHosts: new Set(['127.0.0.1']) })
    expect(came).toMatchObject({ status_code: 0, failure: 'connect_failed' })
  })

  test('does not listen at any of the addresses of its name', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const came = await postOnce(`https://receiver.example.com:${port}/`, {
      isPublic: () => true,
      resolve: async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
    })
    expect(came).toMatchObject({ status_code: 0, failure: 'connect_failed' })
  })

  test('accepts a connection and never finishes the handshake', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const came = await postOnce(`https://127.0.0.1:${port}/`, {
      testHosts: new Set(['127.0.0.1']),
      connectWithinMs: 100,
    })
    server.close()
    expect(came).toMatchObject({ status_code: 0, failure: 'connect_timeout' })
  })
})

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  [['120', '5'], 120_000],
  [[], null],
  ['Fri, 14 Aug 2026 12:01:00 GMT', 60_000],
  ['999999999', 86_400_000],
  ['Fri, 14 Aug 2026 11:00:00 GMT', null],
  ['soon', null],
  ['-5', null],
  ['', null],
  [undefined, null],
])('Retry-After %o', (header, expected) => {
  expect(parseRetryAfter(header, NOW.getTime())).toBe(expected)
})

// Sends `start`, then single bytes until the connection is closed.
async function drip(socket: Socket | null, start: string, byte: string): Promise<void> {
  socket?.write(start)
  const timer = setInterval(() => socket?.write(byte), 20)
  socket?.once('close', () => clearInterval(timer))
}
