import { expect, test } from 'vitest'
import type { Log } from '../../src/log.ts'
import { INVENTED } from '../support/published.ts'
import { inventedSnapshots, withApi } from './support.ts'

interface Line {
  readonly level: string
  readonly fields: object
  readonly message: string
}

function keepingLog(lines: Line[]): Log {
  const keep =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields, message })
  return { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}

const ASKED = [
  `/v2/person/${INVENTED.jane}`,
  '/v2/person/?name=Jane+Smith&email=jane.smith%40example.com',
  '/v2/property/?street=123+N+Main+St',
  `/v2/phone/${INVENTED.janesPhone}`,
  '/v2/person/P123',
  '/nowhere/Jane',
]

test('a line of a request has trace id, template, status and duration, and nothing of what was asked', async () => {
  const lines: Line[] = []
  const snapshots = await inventedSnapshots()
  await withApi(
    async ({ get, key }) => {
      const traces: unknown[] = []
      for (const path of ASKED) traces.push((await get(path)).headers['x-trace-id'])
      const requests = lines.filter(({ message }) => message === 'request')
      expect(requests.map(({ fields }) => fields)).toEqual(
        [
          ['/v2/person/:id', 200],
          ['/v2/person/', 200],
          ['/v2/property/', 200],
          ['/v2/phone/:phone', 200],
          ['/v2/person/:id', 400],
          [null, 404],
        ].map(([route, status], index) => ({
          trace_id: traces[index],
          route,
          status,
          duration_ms: expect.any(Number) as number,
        })),
      )
      const all = JSON.stringify(lines)
      for (const secret of [key, 'Jane', 'Main', 'example.com', '5550101', INVENTED.jane, 'P123']) {
        expect(all).not.toContain(secret)
      }
    },
    { snapshots, log: keepingLog(lines), env: { LOG_LEVEL: 'debug' } },
  )
})

test('without debugging there is no line per request', async () => {
  const lines: Line[] = []
  const snapshots = await inventedSnapshots()
  await withApi(
    async ({ get }) => {
      for (const path of ASKED) await get(path)
    },
    { snapshots, log: keepingLog(lines) },
  )
  expect(lines.map(({ message }) => message)).toEqual(['snapshot served'])
})

test('a state file that fails under the service is a 500 that says nothing of it', async () => {
  const lines: Line[] = []
  await withApi(
    async ({ app, get, state, newKey }) => {
      const key = await newKey()
      await app.ready()
      await state.close()
      const reply = await get('/v2/person/?name=Jane', { 'x-api-key': key })
      expect(reply.statusCode).toBe(500)
      expect(reply.json().error.long_message).not.toContain('database')
      expect(lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'request failed' }))
    },
    { log: keepingLog(lines) },
  )
})
