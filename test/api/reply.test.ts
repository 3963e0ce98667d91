import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import type { Access } from '../../src/api/endpoint.ts'
import { Envelopes, sendJson } from '../../src/api/reply.ts'
import { INVENTED } from '../support/published.ts'
import { connectTo, inventedSnapshots, withApi } from './support.ts'

/** Sends all requests at once on one connection and returns the answers. The last request must close the connection. */
async function talk(app: FastifyInstance, requests: string[]): Promise<Answer[]> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connectTo(app.server)
  socket.setEncoding('latin1').write(requests.join(''))
  const answers: Answer[] = []
  for (let rest = await text(socket); rest !== '';) {
    const end = rest.indexOf('\r\n\r\n') + 4
    const [status = '', ...lines] = rest.slice(0, end - 4).split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]))
    const bodyEnd = end + Number(headers['content-length'])
    answers.push({ status: Number(status.slice(9, 12)), headers, body: rest.slice(end, bodyEnd) })
    rest = rest.slice(bodyEnd)
  }
  return answers
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  /** One character per byte (latin1). */
  readonly body: string
}

const get = (path: string, key: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\n${more}\r\n`

test('answers to requests sent all at once come in order, with the same headers whichever way they are made', async () => {
  await withApi(
    async ({ app, key, get: inject }) => {
      const paths = [
        `/v2/person/${INVENTED.jane}`,
        '/health',
        '/v2/person/?name=Smith',
        '/v2/person/P0000000000',
        '/v2/phone/5125550101',
        '/v1/person/?name=Jane',
        '/nowhere',
      ]
      const last = get('/v2/property/?street=1', key, 'connection: close\r\n')
      const answers = await talk(app, [...paths.map((path) => get(path, key)), last])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200, 200, 404, 200])
      for (const [index, { headers, body }] of answers.entries()) {
        const path = paths[index]
        const { 'content-location': location, ...others } = headers
        expect(location).toBe(path?.startsWith('/v2/phone/') === true ? '/v2/phone/15125550101' : undefined)
        expect(Object.keys(others).toSorted()).toEqual([...EVERY, ...(path === undefined ? [] : ['Keep-Alive'])].toSorted()) // prettier-ignore
        expect(others).toMatchObject(SAME)
        if (path === undefined || !body.includes('"results"')) continue
        expect(Buffer.from(body, 'latin1').toString()).toBe((await inject(path)).body)
      }
    },
    { snapshots: await inventedSnapshots() },
  )
})

const SAME = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
}
const EVERY = [...Object.keys(SAME), 'content-length', 'Date', 'Connection']

const document = (length: number): Buffer => Buffer.from(JSON.stringify(`${'ñ'.repeat(length)}—Zoë 李`))

test('documents of any length and script go out byte for byte', async () => {
  const envelopes = new Envelopes()
  await withApi(async ({ app, key }) => {
    app.get<{ Params: { length: string } }>('/v1/bytes/:length', ({ params }, reply) => {
      sendJson(reply, document(Number(params.length)))
    })
    app.get<{ Params: { length: string } }>('/v1/text/:length', ({ params }, reply) => {
      sendJson(reply, document(Number(params.length)).toString())
    })
    app.get<{ Params: { length: string } }>('/v1/result/:length', ({ params }, reply) => {
      envelopes.sendResult(reply, document(Number(params.length)))
    })
    const lengths = [0, 1_500, 1_520, 1_521, 1_522, 1_523, 1_524, 1_525, 1_526, 200_000]
    const paths = lengths.flatMap((length) => ['bytes', 'text', 'result'].map((kind) => `/v1/${kind}/${length}`)) // prettier-ignore
    const last = get('/health', key, 'connection: close\r\n')
    const answers = await talk(app, [...paths.map((path) => get(path, key)), last])
    expect(answers).toHaveLength(paths.length + 1)
    for (const [index, path] of paths.entries()) {
      const sent = document(Number(path.split('/')[3])).toString()
      const body = Buffer.from(answers[index]!.body, 'latin1').toString()
      expect(body).toBe(path.startsWith('/v1/result/') ? `{"result":${sent}}` : sent)
    }
  })
})

test('an answer that cannot be recorded is a failure of ours, which the caller is told', async () => {
  await withApi(async ({ app, get: inject }) => {
    const access: Access = {
      scheme: null,
      hooks: () => ({
        beforeResponse() {
          throw new Error('the disk is full')
        },
      }),
    }
    app.endpoint(
      {
        method: 'GET',
        path: '/v1/unrecorded',
        operationId: 'get',
        tag: 'Test',
        summary: '',
        access,
        responses: {},
      },
      (_request, reply) => sendJson(reply, '{}'),
    )
    expect((await inject('/v1/unrecorded')).statusCode).toBe(500)
    expect(app.reading().inFlight).toBe(0)
  })
})

test.each([
  ['/v1/webhooks/', 'application/json'],
  ['/v1/enrichments', 'text/csv'],
])(
  'a body that POST %s announces and does not bring is refused, and nobody waits for it',
  async (path, type) => {
    await withApi(
      async ({ app, newKey }) => {
        const key = await newKey({ invitations: ['webhooks'] })
        const request = `POST ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`
        const [answer] = await talk(app, [request])
        expect(answer?.status).toBe(422)
        expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error: { code: 422 } })
      },
      { snapshots: await inventedSnapshots() },
    )
  },
)
