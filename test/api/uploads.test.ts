import { readdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { openFiles, tellsOpenFiles } from '../support/open-files.ts'
import { type Api, connectTo, inventedSnapshots, withApi } from './support.ts'

const LIST = 'name,phone,city,state\nJane Smith,512-555-0101,Austin,TX\nJonathan Smythe,,Austin,TX\n'

/** Opens a connection and begins a request to `path`. The caller sends the body. */
async function begin(
  api: Api,
  path: string,
  type: string,
  length: number,
  key = api.key,
  options: Parameters<typeof connectTo>[1] = {},
): Promise<Socket> {
  const socket = connectTo(api.app.server, options)
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-api-key: ${key}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
  )
  return socket
}

test('a list may come slowly, for which another request is cut off', async () => {
  await withApi(
    async (api) => {
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      const list = await begin(api, '/v1/enrichments', 'text/csv', Buffer.byteLength(LIST))
      list.write(LIST.slice(0, 20))
      const other = await begin(
        api,
        '/v1/webhooks',
        'application/json',
        100,
        await api.newKey({ invitations: ['webhooks'] }),
      )
      other.write('{')
      expect(await text(other)).toMatch(/^HTTP\/1.1 408 /)
      list.write(LIST.slice(20))
      expect(await text(list)).toMatch(/^HTTP\/1.1 200 [^]*"matched":2/)
    },
    {
      snapshots: await inventedSnapshots(),
      receiveTimes: { request: 300, upload: 600_000, pause: 600_000 },
    },
  )
})

test('a list that stops on its way is told so, and one whose sender hangs up leaves nothing behind', async () => {
  await withApi(
    async (api) => {
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      const list = await begin(api, '/v1/enrichments', 'text/csv', 1_000)
      list.write('name,phone\nJane')
      expect(await text(list)).toMatch(
        /^HTTP\/1.1 408 [^]*no data was received for 0.3 seconds: send the input file again/,
      )
      const hungUp = await begin(api, '/v1/enrichments', 'text/csv', 1_000)
      hungUp.write('name,phone\nJane')
      const folder = join(api.folder, 'out', 'enrichments')
      await expect.poll(() => readdir(folder), { timeout: 30_000 }).toHaveLength(1)
      hungUp.destroy()
      await expect.poll(() => readdir(folder), { timeout: 30_000 }).toEqual([])
      expect((await api.events()).map((event) => [event['status_code'], event['billable']])).toContainEqual([
        408, 0,
      ])
    },
    {
      snapshots: await inventedSnapshots(),
      receiveTimes: { request: 60_000, upload: 600_000, pause: 300 },
    },
  )
})

test.skipIf(!tellsOpenFiles)(
  'a list whose sender hangs up while its rows are counted becomes no job, and is closed',
  async () => {
    await withApi(
      async (api) => {
        await api.app.listen({ port: 0, host: '127.0.0.1' })
        const key = await api.newKey({ monthly_cap: 10, rate_per_second: 1_000_000 })
        const body = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(2_000_000)}`
        const socket = await begin(api, '/v1/enrichments', 'text/csv', body.length, key)
        socket.write(body)
        const folder = join(api.folder, 'out', 'enrichments')
        // Counting the rows opens the list a second time.
        const isCounted = async (): Promise<void> => expect(await openFiles(folder)).toHaveLength(2)
        await vi.waitFor(isCounted, { timeout: 30_000, interval: 1 })
        socket.destroy()
        await expect.poll(() => readdir(folder), { timeout: 30_000 }).toEqual([])
        await expect.poll(() => openFiles(folder), { timeout: 30_000 }).toEqual([])
        expect(await api.state.db.all('select * from enrichments')).toEqual([])
      },
      { snapshots: await inventedSnapshots() },
    )
  },
)

test('somebody who is cut off keeps neither the connection nor a place among the requests under way', async () => {
  await withApi(
    async (api) => {
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      const key = await api.newKey({ invitations: ['webhooks'] })
      const socket = await begin(api, '/v1/webhooks', 'application/json', 100, key, { allowHalfOpen: true })
      socket.on('error', () => undefined)
      expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /)
      await expect.poll(() => api.app.reading().inFlight, { timeout: 30_000 }).toBe(0)
      await expect.poll(() => connectionsOf(api), { timeout: 30_000 }).toBe(0)
      socket.destroy()
    },
    { receiveTimes: { request: 300, upload: 600_000, pause: 600_000 } },
  )
})

test('1,010 slow uploads of one key take its four places; others are answered, and /ready says so', async () => {
  await withApi(
    async (api) => {
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      const sockets: Socket[] = []
      const refused: Promise<string>[] = []
      try {
        for (let count = 0; count < 1_010; count += 1) {
          const socket = await begin(api, '/v1/enrichments', 'text/csv', 1_000)
          socket.on('error', () => undefined)
          socket.write('name,phone\nJane')
          sockets.push(socket)
          refused.push(
            new Promise((resolve) => socket.once('data', (bytes: Buffer) => resolve(String(bytes)))),
          )
        }
        let count = 0
        for (const answer of refused)
          void answer.then((reply) => (count += /^HTTP\/1.1 429 /.test(reply) ? 1 : 0))
        await expect.poll(() => count, { timeout: 60_000 }).toBe(1_006)
        const other = { 'x-api-key': await api.newKey({ rate_per_second: 1_000_000 }) }
        expect((await api.get('/v2/person/?name=Jane%20Smith&state_code=TX', other)).statusCode).toBe(200)
        expect((await api.get('/ready')).statusCode).toBe(200)
        // A refused request does not keep its connection.
        await expect.poll(() => connectionsOf(api), { timeout: 60_000 }).toBe(4)
        for (const socket of sockets) socket.destroy()
        await expect.poll(() => api.app.reading().inFlight, { timeout: 30_000 }).toBe(0)
        const list = await begin(api, '/v1/enrichments', 'text/csv', Buffer.byteLength(LIST))
        list.write(LIST)
        expect(await text(list)).toMatch(/^HTTP\/1.1 200 /)
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    },
    { snapshots: await inventedSnapshots() },
  )
}, 120_000)

test('an upload that trickles is cut off, though it never pauses', async () => {
  await withApi(
    async (api) => {
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      const list = await begin(api, '/v1/enrichments', 'text/csv', 100_000)
      list.on('error', () => undefined)
      const trickle = setInterval(() => list.write('x'), 50)
      try {
        expect(await text(list)).toMatch(
          /^HTTP\/1.1 408 [^]*the input file was received too slowly, with less than 1000 bytes per second/,
        )
      } finally {
        clearInterval(trickle)
      }
    },
    {
      snapshots: await inventedSnapshots(),
      receiveTimes: { request: 60_000, upload: 600_000, pause: 500 },
    },
  )
})

const connectionsOf = (api: Api): Promise<number> =>
  new Promise((resolve, reject) =>
    api.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )

test('a list of 256 MiB is read; one with a byte more is 413', async () => {
  const part = Buffer.alloc(2 ** 20, 'x')
  await withApi(
    async (api) => {
      for (const [more, status, reason] of [[0, 422, /./], [1, 413, /^the request body is too large: it may have at most 256 MiB; send several smaller files$/]] as const) {
        const parts = [...Array<Buffer>(256).fill(part), part.subarray(0, more)]
        const reply = await api.app.inject({
          method: 'POST',
          url: '/v1/enrichments',
          headers: { 'x-api-key': api.key, 'content-type': 'text/csv' },
          payload: Readable.from(parts),
        })
        expect(reply.statusCode).toBe(status)
        expect(reply.json<{ error: { long_message: string } }>().error.long_message).toMatch(reason)
      }
    },
    { snapshots: await inventedSnapshots() },
  )
}) // prettier-ignore
