import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { type Log, silentLog } from '../../src/log.ts'
import { envelopeOf } from './envelope.ts'
import { connectTo, withApi } from './support.ts'

const ANYTHING = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n'

/** Connects and waits until the server has accepted the connection (with `answered`: until it has answered a request). */
async function openIdle({ server }: FastifyInstance, isUsed = false): Promise<Socket> {
  const admitted = once(server, 'connection')
  const socket = connectTo(server)
  // The system resets a connection that is closed with an unread request.
  socket.on('error', () => undefined)
  await admitted
  if (isUsed) await use(socket)
  return socket
}

async function use(socket: Socket): Promise<void> {
  socket.write(ANYTHING)
  await once(socket, 'data')
}

async function openMany(app: FastifyInstance, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n += 1) sockets.push(await openIdle(app))
  return sockets
}

async function listen(app: FastifyInstance): Promise<string> {
  return app.listen({ port: 0, host: '127.0.0.1' })
}

const isOpen = ({ readableEnded, destroyed }: Socket): boolean => !readableEnded && !destroyed

test('a newcomer takes the place of the connection that has been idle for longest', async () => {
  await withApi(
    async ({ app }) => {
      const address = await listen(app)
      const sockets = await openMany(app, 30)
      const closed = sockets.slice(0, 10).map((socket) => once(socket.resume(), 'close'))
      for (let n = 0; n < 10; n += 1) {
        const reply = await fetch(`${address}/health`, { headers: { connection: 'close' } })
        expect([reply.status, app.reading().connections.open <= 30]).toEqual([200, true])
        sockets.push(await openIdle(app))
      }
      await Promise.all(closed)
      await use(sockets.at(-1)!)
      expect(sockets.slice(10).filter(isOpen)).toHaveLength(30)
      expect(app.reading().connections).toMatchObject({ idleClosed: 10, refused: 0 })
      for (const socket of sockets) socket.destroy()
    },
    { env: { CONNECTIONS_MOST: '30' } },
  )
})

test('a connection that was used since counts as idle from then on', async () => {
  await withApi(
    async ({ app }) => {
      await listen(app)
      const [first, second] = await openMany(app, 2)
      await use(first!)
      const closed = once(second!.resume(), 'close')
      const third = await openIdle(app, true)
      await closed
      await use(first!)
      first!.destroy()
      third.destroy()
    },
    { env: { CONNECTIONS_MOST: '2' } },
  )
})

test('beyond the limit of an address its own oldest idle connection is closed, a proxy has no such limit', async () => {
  const env = { CONNECTIONS_MOST_PER_ADDRESS: '2' }
  await withApi(
    async ({ app }) => {
      await listen(app)
      const [first, second] = await openMany(app, 2)
      const closed = once(first!.resume(), 'close')
      const third = await openIdle(app, true)
      await closed
      await use(second!)
      second!.destroy()
      third.destroy()
    },
    { env },
  )
  await withApi(
    async ({ app }) => {
      await listen(app)
      const sockets = await openMany(app, 3)
      for (const socket of sockets) await use(socket)
      for (const socket of sockets) socket.destroy()
    },
    { env: { ...env, TRUSTED_PROXIES: 'loopback' } },
  )
})

/** Returns a connection from `remoteAddress` that sends nothing. */
function silentFrom(remoteAddress: string): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  return Object.assign(stream, { remoteAddress, setTimeout() {}, setNoDelay() {}, setKeepAlive() {} })
}

test('an address of IPv6 is its first 64 bits, an IPv4 address within IPv6 that address', async () => {
  await withApi(
    async ({ app }) => {
      await app.ready()
      const come = (address: string): Duplex => {
        const stream = silentFrom(address)
        app.server.emit('connection', stream)
        return stream
      }
      const addresses = ['2001:db8::1', '2001:db8:0:1::1', '192.0.2.1', '2001:db8::', '2001:db8:0:0:5::1']
      const streams = [...addresses, '::ffff:192.0.2.1'].map(come)
      expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, false, true, true, false, false])
      for (const stream of streams) stream.destroy()
    },
    { env: { CONNECTIONS_MOST_PER_ADDRESS: '1' } },
  )
})

/** Adds the route `/v1/slow`. It answers when the returned gate is resolved. */
function addSlowRoute(app: FastifyInstance): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  app.get('/v1/slow', async () => {
    await gate.promise
    return { done: true }
  })
  return gate
}

test('when every connection has a request under way, a newcomer is answered 503, then served again', async () => {
  await withApi(
    async ({ app }) => {
      const gate = addSlowRoute(app)
      const address = await listen(app)
      const entered = once(app.server, 'request')
      const slow = fetch(`${address}/v1/slow`)
      await entered
      const refused = await fetch(`${address}/health`)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(refused.headers.get('connection')).toBe('close')
      expect(await refused.json()).toEqual(
        envelopeOf(
          503,
          'Service Unavailable',
          'The service has reached its limit of connections. Try again in a few seconds.',
        ),
      )
      gate.resolve()
      expect((await slow).status).toBe(200)
      expect((await fetch(`${address}/health`, { headers: { connection: 'close' } })).status).toBe(200)
      expect(app.reading().connections).toMatchObject({ idleClosed: 1, refused: 1 })
    },
    { env: { CONNECTIONS_MOST: '1' } },
  )
})

test('a refused newcomer leaves the requests of other connections alone', async () => {
  await withApi(
    async ({ app }) => {
      const gate = addSlowRoute(app)
      await listen(app)
      const served = await openIdle(app)
      const entered = once(app.server, 'request')
      served.write(ANYTHING.replace('/health', '/v1/slow'))
      await entered
      const refused = await openIdle(app)
      gate.resolve()
      expect(String((await once(served, 'data'))[0])).toMatch(/^HTTP\/1.1 200 [^]*"done":true/)
      served.write(ANYTHING)
      expect(String((await once(served, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
      expect(app.reading().connections).toMatchObject({ idleClosed: 0, refused: 1 })
      served.destroy()
      refused.destroy()
    },
    { env: { CONNECTIONS_MOST: '1' } },
  )
})

test('the limit of open files lowers the limit of connections, and the log says so', async () => {
  const warnings: object[] = []
  const log: Log = { ...silentLog, warn: (fields) => warnings.push(fields) }
  await withApi(
    async ({ app }) => {
      await app.ready()
      expect(app.server.maxConnections).toBe(1_024 - 512)
    },
    { filesLimit: 1_024, log },
  )
  expect(warnings).toEqual([{ connections: 448, wanted: 10_000, open_files: 1_024 }])
})

test.runIf(process.platform === 'linux')('the limit of open files is the one of the process', async () => {
  const file = fileURLToPath(new URL('../../src/api/open-files-limit.ts', import.meta.url))
  const script = `import(${JSON.stringify(file)}).then(({ openFilesLimit }) => console.log(openFilesLimit()))`
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'ulimit -n 300 && exec "$0" -e "$1"',
    process.execPath,
    script,
  ])
  expect(stdout).toBe('300\n')
})

const rawAnswer = async (app: FastifyInstance, head: string): Promise<string> => {
  const socket = connectTo(app.server)
  socket.end(head)
  return text(socket)
}

test.each([
  ['two Host headers', 'host: a\r\nHOST: b\r\n', 'header -> HOST: must be given only once'],
  ['two equal Host headers', 'host: a\r\nhost: a\r\n', 'header -> host: must be given only once'],
  ['no Host header', '', 'header -> Host: is missing'],
  ['a Host header that is no host', 'host: a b\r\n', 'header -> Host: is not a valid host name'],
  [
    'two tokens',
    'host: a\r\nauthorization: Bearer a\r\nauthorization: Bearer b\r\n',
    'header -> authorization: must be given only once',
  ],
])('%s are 400', async (_what, headers, message) => {
  await withApi(async ({ app }) => {
    await listen(app)
    const answer = await rawAnswer(app, `GET /health HTTP/1.1\r\n${headers}\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    const body: unknown = JSON.parse(answer.slice(answer.indexOf('{')))
    expect(body).toMatchObject({ error: { code: 400, long_message: message } })
  })
})

test.each(['HTTP/1.0\r\n', 'HTTP/1.1\r\nhost: [::1]:3000\r\n', 'HTTP/1.1\r\nhost:\r\n'])(
  'a request with %j is answered',
  async (rest) => {
    await withApi(async ({ app }) => {
      await listen(app)
      expect(await rawAnswer(app, `GET /health ${rest}\r\n`)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    })
  },
)
