import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'

type Json = Record<string, unknown>

const LIST = 'name,phone\nJane Smith,512-555-0101\nJonathan Smythe,\nNobody Whatsoever,206-555-0142\n'

/** Files have a file name and a content type, as browsers send them. */
function form(parts: Readonly<Record<string, string | Blob | readonly string[]>>): FormData {
  const body = new FormData()
  for (const [name, values] of Object.entries(parts))
    for (const value of Array.isArray(values) ? (values as string[]) : [values as string | Blob])
      if (value instanceof Blob) body.append(name, value, `${name}.csv`)
      else body.append(name, value)
  return body
}

const file = (text: string): Blob => new Blob([text], { type: 'application/octet-stream' })

async function post(api: Api, body: FormData, { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {}) {
  const encoded = new Response(body)
  return api.app.inject({
    method: 'POST',
    url: `/v1/enrichments${query}`,
    headers: { 'x-api-key': api.key, 'content-type': encoded.headers.get('content-type')!, ...headers },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
} // prettier-ignore

async function onInvented<T>(body: (api: Api) => Promise<T>): Promise<T> {
  return withApi(body, { snapshots: await inventedSnapshots() })
}

const statusesOf = (reply: { json: () => unknown }): unknown[] =>
  (reply.json() as { results: Json[] }).results.map((row) => row['match_status'])

const left = (api: Api): Promise<string[]> => readdir(join(api.folder, 'out', 'enrichments'))

test('a multipart body is a list with its parameters, in any order of the parts', async () => {
  await onInvented(async (api) => {
    for (const body of [
      form({ list: file(LIST), limit: '2', dedupe: 'true', fields: 'age' }),
      form({ fields: 'age', limit: '2', list: file(LIST) }),
    ]) {
      const reply = await post(api, body)
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toMatchObject({
        results: [{ person_id: INVENTED.jane, data: { age: 46 } }, { person_id: INVENTED.jonathan }],
        metadata: { rows: 2, billed: 2 },
      })
    }
    expect((await post(api, form({ list: file(LIST) }), { query: '?limit=1' })).json()).toMatchObject({ metadata: { rows: 1 } }) // prettier-ignore
    expect(await left(api)).toEqual([])
  })
})

test.each([
  ['an unknown parameter', { list: file(LIST), dryrun: 'true' }, '', /there is no parameter 'dryrun'; the parameters are fields, require/],
  ['an unknown file', { list: file(LIST), photo: file('x') }, '', /has a file 'photo'; its files are list, suppress/],
  ['no list', { limit: '2' }, '', /no part 'list'/],
  ['a parameter twice', { list: file(LIST), limit: ['1', '2'] }, '', /limit: must be given only once/],
  ['a parameter in query and body', { list: file(LIST), limit: '1' }, '?limit=2', /limit: must be given only once: it is in the query and in the body/],
  ['two options that exclude each other, one in the query', { list: file(LIST), dedupe: 'true' }, '?top=2', /leave out top/],
  ['a value that is none', { list: file(LIST), limit: 'many' }, '', /limit: must be a whole number/],
  ['a part that is too long', { list: file(LIST), map: 'x'.repeat(4_001) }, '', /a part 'map' of more than 4000 characters/],
  ['too many parts', { list: file(LIST), limit: Array.from({ length: 31 }, () => '1') }, '', /more than 30 parts beside its files/],
])('%s is 400, and nothing is billed or kept', async (_, parts, query, message) => {
  await onInvented(async (api) => {
    const reply = await post(api, form(parts), { query })
    expect([reply.statusCode, reply.json<{ error?: unknown }>()]).toMatchObject([400, {}])
    expect(reply.body.replaceAll('\\"', '"')).toMatch(message)
    expect((await api.events()).every(({ billable }) => billable === 0)).toBe(true)
    expect(await left(api)).toEqual([])
  })
}) // prettier-ignore

test('a multipart body without a boundary, or that is cut off, is 400; a suppression list that is too large 413', async () => {
  await onInvented(async (api) => {
    const send = (type: string, payload: string) =>
      api.app.inject({
        method: 'POST',
        url: '/v1/enrichments',
        headers: { 'x-api-key': api.key, 'content-type': type },
        payload,
      })
    expect((await send('multipart/form-data', 'x')).statusCode).toBe(400)
    const begun = '--b\r\ncontent-disposition: form-data; name="list"; filename="l.csv"\r\n\r\nname\nJane'
    const cut = await send('multipart/form-data; boundary=b', begun)
    expect([cut.statusCode, cut.body]).toEqual([400, expect.stringMatching(/can't be read/)])
    const large = form({ list: file(LIST), suppress: file('x'.repeat(4 * 2 ** 20 + 1)) })
    expect((await post(api, large)).statusCode).toBe(413)
    expect(await left(api)).toEqual([])
  })
})

const OWN = 'phone\n(512) 555-0101\n'

const listWithOwn = (): FormData =>
  form({ list: file('name,city\nJane Smith,Austin\nJonathan Smythe,Austin\n'), suppress: file(OWN) })

test('rows that mean people on the caller’s own list are suppressed and not billed, at once and in the background', async () => {
  await onInvented(async (api) => {
    const reply = await post(api, listWithOwn())
    expect(statusesOf(reply)).toEqual(['suppressed', 'matched'])
    expect(reply.json()).toMatchObject({ results: [{ person_id: null, data: null, reason: 'the person is on the suppression list' }, {}], metadata: { billed: 1 } })
    const job = await post(api, listWithOwn(), { headers: { prefer: 'respond-async' } })
    expect(job.statusCode).toBe(202)
    const { id } = job.json<{ result: { id: string } }>().result
    let ended: Json
    do {
      await delay(20)
      ended = (await api.get(`/v1/enrichments/${id}`)).json<{ result: Json }>().result
    } while (!['done', 'failed'].includes(String(ended['status'])))
    expect(ended).toMatchObject({ status: 'done', rows: 2, matched: 1, billed: 1 })
    expect((await api.get(`/v1/enrichments/${id}/result`)).body).toMatch(/^Jane Smith,Austin,suppressed,/m)
    expect(await readdir(join(api.folder, 'out', 'enrichments', id))).toEqual(['result.csv'])
  })
}) // prettier-ignore

test('a row of the caller’s own list that names nobody is 422 with its line', async () => {
  await onInvented(async (api) => {
    const reply = await post(api, form({ list: file(LIST), suppress: file('phone\n(512) 555-0101\nnone of them\n') })) // prettier-ignore
    expect([reply.statusCode, reply.body]).toEqual([422, expect.stringMatching(/the suppression list, line 3: no person id/)]) // prettier-ignore
  })
})

test('a repeated multipart request is billed once, whatever its boundary; another suppression list is another request', async () => {
  await onInvented(async (api) => {
    const headers = { 'idempotency-key': 'once' }
    const first = await post(api, form({ list: file(LIST), limit: '1' }), { headers })
    const again = await post(api, form({ limit: '1', list: file(LIST) }), { headers })
    expect([first.statusCode, again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, 200, 'true']) // prettier-ignore
    const other = await post(api, form({ list: file(LIST), limit: '1', suppress: file(OWN) }), { headers })
    expect(other.statusCode).toBe(422)
    const { account_id } = api.state.keys.find(api.key)!
    await api.events()
    expect(api.state.usage.written(account_id, '2026-06')).toBe(1)
  })
})

test('415 lists multipart among what is accepted', async () => {
  await onInvented(async (api) => {
    const reply = await api.app.inject({
      method: 'POST',
      url: '/v1/enrichments',
      headers: { 'x-api-key': api.key, 'content-type': 'application/pdf' },
      payload: 'x',
    })
    expect([reply.statusCode, reply.body]).toEqual([415, expect.stringMatching(/multipart\/form-data/)])
  })
})
