import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'

type Json = Record<string, unknown>

const LIST = 'name,phone\nJane Smith,512-555-0101\nJonathan Smythe,\nNobody Whatsoever,206-555-0142\n'

/** Adds a file name and a content type to files, as browsers do. */
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
  ['an unknown parameter', { list: file(LIST), dryrun: 'true' }, '', /unknown parameter 'dryrun'; the parameters of this resource are fields, require/],
  ['an unknown file', { list: file(LIST), photo: file('x') }, '', /has a file 'photo'; its files are list, suppress/],
  ['no list', { limit: '2' }, '', /no part 'list'/],
  ['a parameter twice', { list: file(LIST), limit: ['1', '2'] }, '', /limit: must be given only once/],
  ['a parameter in query and body', { list: file(LIST), limit: '1' }, '?limit=2', /limit: must be given only once, but the query and the body both have it/],
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

/** Jane's phone is in no row of the first list, and in a row of the second. */
const WITHOUT_PHONE = 'name,city\nJane Smith,Austin\nJonathan Smythe,Austin\n'
const WITH_PHONE = 'name,phone\nJane Smith,512-555-0101\nJonathan Smythe,\n'

const withOwn = (list: string, options: Readonly<Record<string, string>> = {}): FormData =>
  form({ list: file(list), suppress: file(OWN), ...options })

/** Sends a list to be enriched in the background and waits for the end. */
async function ended(api: Api, body: FormData): Promise<Json> {
  const job = await post(api, body, { headers: { prefer: 'respond-async' } })
  expect(job.statusCode).toBe(202)
  const { id } = job.json<{ result: { id: string } }>().result
  for (;;) {
    const { result } = (await api.get(`/v1/enrichments/${id}`)).json<{ result: Json }>()
    if (['done', 'failed'].includes(String(result['status']))) return result
    await delay(20)
  }
}

test('a row that holds an entry of the caller’s own list is suppressed and not billed, at once and in the background', async () => {
  await onInvented(async (api) => {
    const reply = await post(api, withOwn(WITH_PHONE))
    expect(statusesOf(reply)).toEqual(['suppressed', 'matched'])
    expect(reply.json()).toMatchObject({ results: [{ person_id: null, data: null }, {}], metadata: { billed: 1 } }) // prettier-ignore
    const job = await ended(api, withOwn(WITH_PHONE))
    expect(job).toMatchObject({ status: 'done', rows: 2, matched: 1, billed: 1 })
    const id = String(job['id'])
    expect((await api.get(`/v1/enrichments/${id}/result`)).body).toMatch(
      /^Jane Smith,512-555-0101,suppressed,/m,
    )
    // The job removes the lists after its status is done.
    const files = join(api.folder, 'out', 'enrichments', id)
    await vi.waitFor(async () => expect(await readdir(files)).toEqual(['result.csv']))
  })
})

test('the caller’s own list is no free test of facts: a row without the entry is suppressed, and billed as a match', async () => {
  await onInvented(async (api) => {
    const reply = await post(api, withOwn(WITHOUT_PHONE))
    expect(statusesOf(reply)).toEqual(['suppressed', 'matched'])
    expect(reply.json()).toMatchObject({
      results: [{ person_id: null, person_name: null, data: null, reason: 'the person is on the suppression list' }, {}],
      metadata: { matched: 1, billable: 2, billed: 2 },
    })
    expect(await ended(api, withOwn(WITHOUT_PHONE))).toMatchObject({ rows: 2, matched: 1, billable: 2, billed: 2 }) // prettier-ignore
    const capped = await post(api, withOwn(WITHOUT_PHONE, { max_billable: '1' }))
    expect(statusesOf(capped)).toEqual(['suppressed', 'no_match'])
    const twice = await post(api, withOwn(`${WITHOUT_PHONE}Jane Smith,Austin\n`, { dedupe: 'true' }))
    expect(twice.json()).toMatchObject({ results: [{}, {}, { match_status: 'suppressed', duplicate_of: 1 }], metadata: { billed: 2 } }) // prettier-ignore
  })
}) // prettier-ignore

test('a dry run counts a row without the entry as it does without the list', async () => {
  await onInvented(async (api) => {
    const counts = async (body: FormData): Promise<Json> =>
      (await post(api, body)).json<{ metadata: Json }>().metadata
    const plain = await counts(form({ list: file(WITHOUT_PHONE), dry_run: 'true' }))
    expect(plain).toMatchObject({ matched: 2, billable: 2, billed: 0 })
    expect(await counts(withOwn(WITHOUT_PHONE, { dry_run: 'true' }))).toEqual(plain)
    expect(await counts(withOwn(WITH_PHONE, { dry_run: 'true' }))).toMatchObject({ matched: 1, billable: 1 })
    const job = await ended(api, withOwn(WITHOUT_PHONE, { dry_run: 'true' }))
    expect(job).toMatchObject({ matched: 2, billable: 2, billed: 0 })
  })
})

test('a row of the caller’s own list that names nobody is 422 with its line', async () => {
  await onInvented(async (api) => {
    const reply = await post(api, form({ list: file(LIST), suppress: file('phone\n(512) 555-0101\nnone of them\n') })) // prettier-ignore
    expect([reply.statusCode, reply.body]).toEqual([422, expect.stringMatching(/the suppression list, line 3: the row has no readable person id/)]) // prettier-ignore
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
    const { account_id } = (await api.state.keys.find(api.key))!
    await api.events()
    expect(await api.state.usage.written(account_id, '2026-06')).toBe(1)
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
