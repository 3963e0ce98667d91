import { once } from 'node:events'
import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { connectTo, withApi } from './support.ts'

function ask(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet(url, { agent }, (reply) => {
      reply.resume()
      resolve(reply)
    }).on('error', reject)
  })
}

/** Adds the route `/v1/slow`. It reports the arrival of a request and answers when its gate is open. */
function addSlowRoute(app: FastifyInstance) {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  app.get('/v1/slow', async () => {
    entered.resolve()
    await gate.promise
    return { done: true }
  })
  return { entered, gate }
}

test('a stop waits for the request under way, which is answered, and then closes its connection', async () => {
  await withApi(async ({ app }) => {
    const { entered, gate } = addSlowRoute(app)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const reply = fetch(`${address}/v1/slow`)
    await entered.promise
    const closed = app.close()
    await expect(fetch(`${address}/health`)).rejects.toThrow()
    gate.resolve()
    expect((await reply).status).toBe(200)
    expect(await (await reply).json()).toEqual({ done: true })
    await closed
  })
})

test('a request that came on an open connection before the stop is answered too', async () => {
  await withApi(async ({ app }) => {
    const { entered, gate } = addSlowRoute(app)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connectTo(app.server)
    socket.write('GET /v1/slow HTTP/1.1\r\nhost: a\r\n\r\n')
    await entered.promise
    const closed = app.close()
    socket.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n')
    await new Promise((resolve) => setImmediate(resolve))
    gate.resolve()
    const answers = await text(socket)
    expect(answers).toContain('{"done":true}')
    expect(answers).not.toContain('HTTP/1.1 503')
    await closed
  })
})

test('a request that came while the loop was busy for longer than silent connections stay is answered too', async () => {
  await withApi(async ({ app }) => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connectTo(app.server)
    socket.write('GET /ready HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(socket, 'data')
    const closed = app.close()
    while (app.server.listening) await new Promise((resolve) => setImmediate(resolve))
    socket.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n')
    for (const busyUntil = performance.now() + 400; performance.now() < busyUntil;);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i)
    await closed
  })
})

test('connections that idle do not hold up a stop', async () => {
  await withApi(async ({ app }) => {
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const agent = new Agent({ keepAlive: true })
    expect((await ask(`${address}/health`, agent)).statusCode).toBe(200)
    await app.close()
    agent.destroy()
  })
})
