import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AnswerReader } from './answer-reader.ts'
import type { Round, RoundResult } from './load.ts'
import { ask, withProcesses } from './processes.ts'

const ANSWERS = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello' +
    'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n' +
    'HTTP/1.1 200 OK\r\ncontent-length: 12\r\ndate: now\r\n\r\n\r\n\r\nagain\r\n\r',
)

test.each([1, 2, 7, 1_000])('answers are told apart when they arrive in pieces of %i bytes', (size) => {
  const statuses: number[] = []
  const reader = new AnswerReader((status) => statuses.push(status))
  // One request waits for the answer to the last, so no piece holds parts of two.
  const ends = [ANSWERS.indexOf('HTTP/1.1 404'), ANSWERS.lastIndexOf('HTTP/1.1 200'), ANSWERS.length]
  let start = 0
  for (const end of ends) {
    for (let at = start; at < end; at += size) {
      const piece = ANSWERS.subarray(at, Math.min(end, at + size))
      reader.read(Buffer.concat([piece, Buffer.alloc(9)]), piece.length)
    }
    start = end
  }
  expect(statuses).toEqual([200, 404, 200])
})

test('an answer longer than it says is no answer', () => {
  const reader = new AnswerReader(() => undefined)
  const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello')
  expect(() => reader.read(answer, answer.length)).toThrow('longer than its content-length')
})

test.each([null, 2_000])('the load tool counts as many requests as the server, at rate %s', async (rate) => {
  const asked = new Map<string, number>()
  const answer: RequestListener = (request, reply) => {
    const path = request.url ?? ''
    asked.set(path, (asked.get(path) ?? 0) + 1)
    reply.statusCode = path === '/missing' ? 404 : 200
    reply.setHeader('content-length', 5)
    reply.end(request.headers['x-api-key'])
  }
  await withLoad(answer, async (load, port) => {
    const { requests, notOk } = await fire(load, { port, paths: ['/a', '/b', '/missing'], rate })
    expect(requests).toBeGreaterThan(0)
    if (rate !== null) expect(requests).toBe(1_000)
    expect([...asked.values()].reduce((sum, count) => sum + count, 0)).toBe(requests)
    expect(asked.get('/missing') ?? 0).toBe(notOk)
  })
})

test('what a server leaves waiting until the round is over is asked and timed all the same', async () => {
  const held = Promise.withResolvers<void>()
  let isFirst = true
  const answer: RequestListener = (_request, reply) => {
    if (isFirst) setTimeout(held.resolve, 600)
    isFirst = false
    void held.promise.then(() => reply.setHeader('content-length', 0).end())
  }
  await withLoad(answer, async (load, port) => {
    const { requests, p50 } = await fire(load, { port, paths: ['/'], rate: 2_000 })
    // Half of them were due within the first 250 of 600 ms, so they waited for 350 and more.
    expect([requests, p50 >= 300]).toEqual([1_000, true])
  })
})

test('what the tool itself is late with is timed from when it was due', async () => {
  const begun = Promise.withResolvers<void>()
  const answer: RequestListener = (_request, reply) => {
    begun.resolve()
    reply.setHeader('content-length', 0).end()
  }
  await withLoad(answer, async (load, port) => {
    const fired = fire(load, { port, paths: ['/'], rate: 500, seconds: 2 })
    await begun.promise
    load.kill('SIGSTOP')
    await delay(400)
    load.kill('SIGCONT')
    const { requests, p99 } = await fired
    // 200 of them were due meanwhile.
    expect([requests, p99 >= 200]).toEqual([1_000, true])
  })
})

/** Runs `body` with the load tool beside a server that answers like this. */
async function withLoad(
  answer: RequestListener,
  body: (load: ChildProcess, port: number) => Promise<void>,
): Promise<void> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await withProcesses(async (start) => body(await start.load(), port))
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function fire(
  load: ChildProcess,
  asked: Pick<Round, 'port' | 'paths' | 'rate'> & Partial<Round>,
): Promise<RoundResult> {
  const round: Round = { key: 'a key', seconds: 0.5, connections: 8, ...asked }
  return (await ask(load, round)) as RoundResult
}
