import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { AnswerReader } from './answer-reader.ts'
import type { Round, RoundResult } from './load.ts'
import { ask, startLoad } from './processes.ts'

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
  const server = createServer((request, reply) => {
    const path = request.url ?? ''
    asked.set(path, (asked.get(path) ?? 0) + 1)
    reply.statusCode = path === '/missing' ? 404 : 200
    reply.setHeader('content-length', 5)
    reply.end(request.headers['x-api-key'])
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const load = await startLoad()
  try {
    const { port } = server.address() as AddressInfo
    const paths = ['/a', '/b', '/missing']
    const round: Round = { port, key: 'a key', paths, seconds: 0.5, connections: 8, rate }
    const { requests, notOk } = (await ask(load, round)) as RoundResult
    expect(requests).toBeGreaterThan(0)
    expect([...asked.values()].reduce((sum, count) => sum + count, 0)).toBe(requests)
    expect(asked.get('/missing') ?? 0).toBe(notOk)
  } finally {
    load.kill()
    server.close()
    server.closeAllConnections()
  }
})
