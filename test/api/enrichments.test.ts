import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays, tableFromIPC, tableToIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { toParquet } from '../../src/enrich/write/columnar-output.ts'
import { INVENTED } from '../support/published.ts'
import { withFolder } from '../support/folder.ts'
import { openFiles, tellsOpenFiles } from '../support/open-files.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'

const LIST = `key,name,phone,city,state
a,Jane Smith,512-555-0101,Austin,TX
b,Nobody Whatsoever,206-555-0142,,
"c
d",Jonathan Smythe,,Austin,TX
`

type Json = Record<string, unknown>

async function post(
  api: Api,
  body: string | Buffer,
  {
    type = 'text/csv',
    query = '',
    headers = {},
    key = api.key,
  }: { type?: string; query?: string; headers?: Record<string, string>; key?: string } = {},
) {
  return api.app.inject({
    method: 'POST',
    url: `/v1/enrichments${query}`,
    headers: { 'x-api-key': key, 'content-type': type, ...headers },
    payload: body,
  })
}

/** Waits for the end of a job and returns it. */
async function ended(api: Api, id: string, key = api.key): Promise<Json> {
  for (;;) {
    const { result } = (await api.get(`/v1/enrichments/${id}`, { 'x-api-key': key })).json<{ result: Json }>()
    if (result['status'] === 'done' || result['status'] === 'failed') return result
    await delay(20)
  }
}

/** Sends `list` to be enriched in the background and returns the job's id. */
async function jobOf(api: Api, list = LIST): Promise<string> {
  const reply = await post(api, list, { headers: { prefer: 'respond-async' } })
  return reply.json<{ result: { id: string } }>().result.id
}

/** Uses up the monthly cap of a key. */
async function left(
  { state, now }: Api,
  key: string,
  monthly_cap: number,
  at = now().getTime(),
): Promise<number> {
  const capped = { account_id: (await state.keys.find(key))!.account_id, monthly_cap }
  let count = 0
  while (await state.allowances.take(capped, at)) count += 1
  return count
}

async function onInvented<T>(body: (api: Api) => Promise<T>): Promise<T> {
  return withApi(body, { snapshots: await inventedSnapshots() })
}

/** Returns the number of rows billed to the account of a key in the month of the tests. */
const billedOf = async ({ state }: Api, api_key_id: string): Promise<number> =>
  state.usage.written((await state.keys.get(api_key_id)).account_id, '2026-06')

describe('POST /v1/enrichments', () => {
  test('a short list is answered at once, each row with its key, billed by matched rows', async () => {
    await onInvented(async (api) => {
      const reply = await post(api, LIST)
      expect(reply.statusCode).toBe(200)
      const { results, metadata } = reply.json<{ results: Json[]; metadata: Json }>()
      expect(results.map((row) => [row['row'], row['key'], row['match_status'], row['person_id']])).toEqual([
        [1, 'a', 'matched', INVENTED.jane],
        [2, 'b', 'no_match', null],
        [3, 'c\nd', 'matched', INVENTED.jonathan],
      ])
      expect(results[0]).toMatchObject({
        matched_by: ['name', 'phone', 'address'],
        data: { phone_1: '(512) 555-0101', age: 46 },
      })
      expect(results[1]!['data']).toBeNull()
      expect(metadata).toMatchObject({ rows: 3, matched: 2, billed: 2, rejected: [] })
      const events = await api.events()
      expect(events).toMatchObject([{ route: '/v1/enrichments', status_code: 200, billable: 1 }])
      expect(await billedOf(api, String(events[0]!['api_key_id']))).toBe(2)
      expect(await readdir(join(api.folder, 'out', 'enrichments'))).toEqual([])
    })
  })

  test('lists come as CSV, JSON lines, JSON arrays, Parquet or Arrow', async () => {
    await onInvented(async (api) => {
      const rows = [{ name: 'Jane Smith', email: INVENTED.janesEmail }, { name: 'Nobody Whatsoever', email: 'n@example.com' }] // prettier-ignore
      const lines = rows.map((row) => JSON.stringify(row)).join('\n')
      const arrow = tableFromArrays({
        name: rows.map(({ name }) => name),
        email: rows.map(({ email }) => email),
      })
      const parquet = await withFolder(async (folder) => {
        const [csv, path] = [join(folder, 'l.csv'), join(folder, 'l.parquet')]
        await writeFile(csv, `name,email\n${rows.map(({ name, email }) => `${name},${email}`).join('\n')}\n`)
        await toParquet(csv, path, [{ name: 'name', isNumber: false }, { name: 'email', isNumber: false }]) // prettier-ignore
        return readFile(path)
      })
      for (const [type, body] of [
        ['application/x-ndjson', lines],
        ['application/json', JSON.stringify(rows, null, 2)],
        ['application/json', JSON.stringify(rows)],
        ['application/json', gzipSync(JSON.stringify(rows))],
        ['application/vnd.apache.parquet', parquet],
        ['application/vnd.apache.arrow.stream', Buffer.from(tableToIPC(arrow, 'stream'))],
        [
          'text/csv; charset=utf-8',
          `name,email\n${rows.map(({ name, email }) => `${name},${email}`).join('\n')}`,
        ],
      ] as const) {
        const { results } = (await post(api, body, { type })).json<{ results: Json[] }>()
        expect(
          results.map((row) => row['person_id']),
          type,
        ).toEqual([INVENTED.jane, null])
      }
    })
  })

  test('fields, requirements, least match probability and columns are as asked', async () => {
    await onInvented(async (api) => {
      const ask = async (query: string): Promise<Json[]> =>
        (await post(api, LIST, { query })).json<{ results: Json[] }>().results
      const [jane] = await ask('?fields=age,property')
      expect(Object.keys(jane!['data'] as Json)[0]).toBe('age')
      expect(jane!['data']).toMatchObject({ property_bedrooms: 2 })
      expect((await ask('?require=email'))[2]).toMatchObject({
        match_status: 'no_match',
        reason: 'the match has no email, which is required',
      })
      const [unnamed] = await ask('?map=name=-')
      expect(unnamed!['matched_by']).toEqual(['phone', 'address'])
    })
  })

  test('a list with Prefer: respond-async, or of more than a thousand rows, becomes a job whose result comes in any form', async () => {
    await onInvented(async (api) => {
      const started = await post(api, LIST, { headers: { prefer: 'respond-async' } })
      expect(started.statusCode).toBe(202)
      const { id } = started.json<{ result: { id: string } }>().result
      expect(started.headers['location']).toBe(`/v1/enrichments/${id}`)
      expect(await ended(api, id)).toMatchObject({
        status: 'done',
        rows: 3,
        matched: 2,
        billed: 2,
        rejected: 0,
        result_url: `/v1/enrichments/${id}/result`,
        rejected_url: null,
        share_done: 1,
        rows_done: 3,
        rows_per_second: expect.any(Number),
      })
      const result = async (accept: string) =>
        api.get(`/v1/enrichments/${id}/result`, { 'x-api-key': api.key, accept })
      expect((await result('*/*')).body.split('\n')[1]).toMatch(
        /^a,Jane Smith,512-555-0101,Austin,TX,matched,0\.99,name phone address,/,
      )
      const lines = (await result('application/x-ndjson')).body.trim().split('\n').map((line) => JSON.parse(line) as Json) // prettier-ignore
      expect(lines[2]).toMatchObject({
        key: 'c\nd',
        pb_person_id: INVENTED.jonathan,
        pb_age: 36,
        pb_phone_1: null,
      })
      const arrow = tableFromIPC((await result('application/vnd.apache.arrow.stream')).rawPayload)
      expect(arrow.get(0)?.toJSON()).toMatchObject({ key: 'a', pb_person_id: INVENTED.jane, pb_age: 46 })
      const parquet = (await result('application/vnd.apache.parquet')).rawPayload
      expect(parquet.toString('latin1', 0, 4)).toBe('PAR1')
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'r.parquet'), parquet)
        const connection = await (await DuckDBInstance.create(':memory:')).connect()
        const reader = await connection.runAndReadAll(
          `select pb_match_status from '${join(folder, 'r.parquet')}'`,
        )
        expect(reader.getRows()).toEqual([['matched'], ['no_match'], ['matched']])
      })
      const events = await api.events()
      const keyId = String(events[0]!['api_key_id'])
      expect(await billedOf(api, keyId)).toBe(2)
      const long = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(1_001)}`
      const job = await post(api, long)
      expect(job.statusCode).toBe(202)
      expect(await ended(api, job.json<{ result: { id: string } }>().result.id)).toMatchObject({
        rows: 1_001,
        billed: 1_001,
      })
    })
  })

  const LONG = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(1_500)}`
  const JANES = { name: Array<string>(1_500).fill('Jane Smith'), phone: Array<string>(1_500).fill('512-555-0101') } // prettier-ignore
  const FORMS: readonly (readonly [how: string, type: string, (rows: number) => string | Buffer])[] = [
    ['carriage returns alone', 'text/csv', (rows) => LONG.slice(0, 11 + rows * 24).replaceAll('\n', '\r')],
    ['gzip', 'text/csv', (rows) => gzipSync(LONG.slice(0, 11 + rows * 24))],
    [
      'Arrow',
      'application/vnd.apache.arrow.stream',
      (rows) => {
        const columns = { name: JANES.name.slice(0, rows), phone: JANES.phone.slice(0, rows) }
        return Buffer.from(tableToIPC(tableFromArrays(columns), 'stream'))
      },
    ],
  ]

  test.each(FORMS)(
    'as %s, too, a list of 1,500 rows becomes a job that answers each, and a short one is answered at once',
    async (_, type, list) => {
      await onInvented(async (api) => {
        const key = await api.newKey({ monthly_cap: 1_600, rate_per_second: 1_000_000 })
        const long = await post(api, list(1_500), { type, key })
        expect(long.statusCode).toBe(202)
        const { id } = long.json<{ result: { id: string } }>().result
        expect(await ended(api, id, key)).toMatchObject({ status: 'done', rows: 1_500, billed: 1_500 })
        for (const [rows, billed] of [[60, 60], [60, 40]] as const) {
          const short = await post(api, list(rows), { type, key })
          expect(short.json<{ metadata: Json }>().metadata).toMatchObject({ rows, billed })
          await api.events()
        }
      })
    },
  ) // prettier-ignore

  const WIDE_HEADER = 'name,phone,note\n'
  const WIDE_ROW = `Jane Smith,512-555-0101,${'x'.repeat(10_000)}\n`
  const WIDE = WIDE_HEADER + WIDE_ROW.repeat(500)

  test('a short list that unzips to more than 4 MiB becomes a job', async () => {
    await onInvented(async (api) => {
      const zipped = gzipSync(WIDE)
      const whole = await post(api, zipped)
      expect(whole.statusCode).toBe(202)
    })
  })

  test('a short list of 4 MiB is answered at once; with one byte more it becomes a job', async () => {
    await onInvented(async (api) => {
      for (const [more, status] of [[0, 200], [1, 202]] as const) {
        const padding = 'x'.repeat(4 * 2 ** 20 + more - WIDE_ROW.length * 400 - WIDE_HEADER.length)
        const list = WIDE_HEADER + WIDE_ROW.repeat(400).slice(0, -1) + padding + '\n'
        expect([list.length, (await post(api, list)).statusCode]).toEqual([4 * 2 ** 20 + more, status])
      }
    })
  }) // prettier-ignore

  test('a list that is cut off behind its first rows is refused without saying where it lies', async () => {
    await onInvented(async (api) => {
      const key = await api.newKey({ monthly_cap: 5_000, rate_per_second: 1_000_000 })
      const reply = await post(api, gzipSync(WIDE).subarray(0, -20), { key })
      expect(reply.statusCode).toBe(422)
      const { long_message } = reply.json<{ error: { long_message: string } }>().error
      expect(long_message).toMatch(/^the list can't be unzipped: /)
      expect(reply.body).not.toContain('list.csv')
    })
  })

  test.skipIf(!tellsOpenFiles)(
    'of a list that became a job, or was refused, no file stays open',
    async () => {
      await onInvented(async (api) => {
        const refused = await post(api, WIDE, { query: '?map=hat=name' })
        expect(refused.statusCode).toBe(422)
        await ended(api, await jobOf(api, WIDE))
        expect(await openFiles(join(api.folder, 'out'))).toEqual([])
      })
    },
  )

  test('a monthly cap ends matches, not the list; with nothing left it is refused; a demo key is not billed', async () => {
    await onInvented(async (api) => {
      const key = await api.newKey({ monthly_cap: 3, rate_per_second: 1_000_000 })
      const list = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(2)}`
      const statuses = async (): Promise<unknown> =>
        (await post(api, list, { key }))
          .json<{ results?: Json[] }>()
          .results?.map((row) => row['match_status'])
      expect(await statuses()).toEqual(['matched', 'matched'])
      await api.events()
      expect(await statuses()).toEqual(['matched', 'no_match'])
      await api.events()
      expect((await post(api, list, { key })).statusCode).toBe(429)
      const free = await api.newKey({ kind: 'demo', rate_per_second: 1_000_000 })
      expect((await post(api, list, { key: free })).json<{ metadata: Json }>().metadata).toMatchObject({
        matched: 2,
      })
      expect((await api.events()).at(-1)).toMatchObject({ billable: 0 })
    })
  })

  test('rows that a list did not use go back to the month that they were taken in', async () => {
    const start = '2026-06-30T23:59:59Z'
    const snapshots = await inventedSnapshots()
    await withApi(
      async (api) => {
        const key = await api.newKey({ monthly_cap: 5, rate_per_second: 1_000_000 })
        const reply = await post(api, LIST, { key, headers: { prefer: 'respond-async' } })
        api.pass(10_000)
        const { id } = reply.json<{ result: { id: string } }>().result
        expect(await ended(api, id, key)).toMatchObject({ rows: 3, billed: 2 })
        expect(await left(api, key, 5, Date.parse(start))).toBe(3)
      },
      { snapshots, start },
    )
  })

  test('rows that a short list took go back when the people cannot be read', async () => {
    await withApi(async (api) => {
      const key = await api.newKey({ monthly_cap: 5, rate_per_second: 1_000_000 })
      // No snapshot is published yet.
      expect((await post(api, LIST, { key })).statusCode).toBe(503)
      expect(await left(api, key, 5)).toBe(5)
    })
  })

  test('rows that a list took go back when it can’t become a job', async () => {
    await onInvented(async (api) => {
      const key = await api.newKey({ monthly_cap: 5, rate_per_second: 1_000_000 })
      await api.state.db.exec('alter table enrichments rename to gone')
      expect((await post(api, LIST, { key, headers: { prefer: 'respond-async' } })).statusCode).toBe(500)
      await api.state.db.exec('alter table gone rename to enrichments')
      expect(await left(api, key, 5)).toBe(5)
    })
  })

  test.each([
    ['nothing', '', 'text/csv', '', 422],
    ['no list', '{"a":1}', 'application/json', '', 422],
    ['an array that is cut off', '[{"name":"Jane Smith"},', 'application/json', '', 422],
    ['text behind an array', '[{"name":"Jane Smith"}] more', 'application/json', '', 422],
    ['an array of no objects', '[{"a":"b"},[1]]', 'application/json', '', 422],
    ['a parameter that there is not', LIST, 'text/csv', '?dryrun=true', 400],
    ['dedupe together with top', LIST, 'text/csv', '?dedupe=true&top=2', 400],
    ['a picture', 'x', 'image/png', '', 415],
    ['no columns to search by', 'a,b\n1,2\n', 'text/csv', '', 422],
    ['a column twice', 'name,name\n1,2\n', 'text/csv', '', 422],
    ['a field that there is not', LIST, 'text/csv', '?fields=shoe_size', 400],
    ['a score out of range', LIST, 'text/csv', '?min_score=0', 400],
    ['a column that there is not', LIST, 'text/csv', '?map=nome=name', 422],
  ])('%s is refused, and nothing stays behind', async (_, body, type, query, status) => {
    await onInvented(async (api) => {
      const reply = await post(api, body, { type, query })
      expect([reply.statusCode, reply.body]).toEqual([status, expect.any(String)])
      // Callers do not know the option names of the command line.
      expect(reply.body).not.toContain('--')
      expect(await readdir(join(api.folder, 'out', 'enrichments')).catch(() => [])).toEqual([])
      expect(await api.events()).toMatchObject([{ billable: 0 }])
    })
  })
})

const TWICE =
  'name,phone,city,state\nJane Smith,512-555-0101,,\nJane Smith,512-555-0101,,\nJonathan Smythe,,Austin,TX\nNobody Whatsoever,,,\n'

const answered = async (api: Api, query: string, key = api.key) => {
  const reply = await post(api, TWICE, { query, key })
  expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)])
  return reply.json<{ results: Json[]; metadata: Json }>()
}

const asked = (api: Api, query: string, key?: string) => answered(api, query, key).then(({ results, metadata }) => ({ ...metadata, returned: results.length })) // prettier-ignore

describe('options of POST /v1/enrichments', () => {
  test('a dry run counts and bills nothing; count_only looks nobody up; both leave a cap alone', async () => {
    await onInvented(async (api) => {
      const key = await api.newKey({ monthly_cap: 1, rate_per_second: 1_000_000 })
      expect(await asked(api, '?dry_run=true', key)).toMatchObject({ rows: 4, matched: 3, billable: 3, billed: 0, returned: 0 }) // prettier-ignore
      expect(await asked(api, '?dry_run=1&dedupe=true', key)).toMatchObject({ billable: 2, duplicates: 1, billed: 0 }) // prettier-ignore
      expect(await asked(api, '?count_only=true', key)).toMatchObject({ rows: 4, matched: 0, billed: 0, returned: 0 }) // prettier-ignore
      expect(await billedOf(api, String((await api.events())[0]!['api_key_id']))).toBe(0)
      expect(await left(api, key, 1)).toBe(1)
    })
  })

  test('limit, max_billable, dedupe and top are those of the command line', async () => {
    await onInvented(async (api) => {
      expect(await asked(api, '?limit=1')).toMatchObject({ rows: 1, billed: 1, returned: 1 })
      expect(await asked(api, '?max_billable=1')).toMatchObject({ rows: 4, billed: 1, returned: 4 })
      expect(await asked(api, '?max_billable=0')).toMatchObject({ rows: 4, billed: 0, matched: 0 })
      const deduped = await answered(api, '?dedupe=true')
      expect(deduped.results.map((row) => row['duplicate_of'])).toEqual([null, 1, null, null])
      expect(deduped.metadata).toMatchObject({ matched: 3, billed: 2, duplicates: 1 })
      const top = await post(api, 'phone\n512-555-0100\n', { query: '?top=3' })
      const ranks = top.json<{ results: Json[] }>().results.map((row) => [row['row'], row['match_rank']])
      expect(ranks).toEqual([[1, 1], [1, 2]]) // prettier-ignore
    })
  })

  test('a list that becomes a job by its size has the options that count rows', async () => {
    await onInvented(async (api) => {
      const rows = Array.from({ length: 1_001 }, (_, at) => (at < 2 ? 'Jane Smith,512-555-0101' : `Nobody Whatsoever,206-555-0${100 + (at % 100)}`)) // prettier-ignore
      const list = `name,phone\n${rows.join('\n')}\n`
      const run = async (query: string): Promise<Json> => {
        const reply = await post(api, list, { query })
        expect(reply.statusCode).toBe(202)
        return ended(api, reply.json<{ result: { id: string } }>().result.id)
      }
      expect((await post(api, list, { query: '?limit=2' })).json()).toMatchObject({ metadata: { rows: 2, billed: 2 } }) // prettier-ignore
      expect((await post(api, list, { query: '?count_only=true' })).json()).toMatchObject({ metadata: { rows: 1_001, billed: 0 } }) // prettier-ignore
      expect(await run('?max_billable=1')).toMatchObject({ rows: 1_001, matched: 1, billed: 1 })
      expect(await run('?dedupe=true&limit=1001')).toMatchObject({ matched: 2, duplicates: 1, billed: 1 })
      const top = await run('?top=2&fields=age')
      expect((await api.get(String(top['result_url']))).body).toMatch(/^[^\n]*pb_match_rank/)
      const headless = await post(api, `A report\n${rows.slice(0, 3).join('\n')}\n`, { query: '?no_header=true&skip_lines=1&map=column1=name' }) // prettier-ignore
      expect(headless.json()).toMatchObject({
        results: [{ person_id: INVENTED.jane }, {}, {}],
        metadata: {
          columns: [
            { column: 'column1', field: 'name' },
            { column: 'column2', field: 'phone' },
          ],
        },
      })
      const unclear = await post(api, 'grantor,grantee\nJane Smith,John Smith\nMary Jones,Robert Lee\nLisa Clark,James Moore\n') // prettier-ignore
      expect([unclear.statusCode, unclear.body]).toEqual([422, expect.stringMatching(/for example map=grantor%3Dname%2Cgrantee%3D-/)]) // prettier-ignore
    })
  })

  test('a list in the background has the same options; a dry run has counts and no result', async () => {
    await onInvented(async (api) => {
      const run = async (query: string): Promise<Json> => {
        const reply = await post(api, TWICE, { query, headers: { prefer: 'respond-async' } })
        return ended(api, reply.json<{ result: { id: string } }>().result.id)
      }
      const dry = await run('?dry_run=true')
      expect(dry).toMatchObject({ matched: 3, billable: 3, billed: 0, result_url: null })
      expect((await api.get(`/v1/enrichments/${String(dry['id'])}/result`)).statusCode).toBe(409)
      const deduped = await run('?dedupe=true&limit=2')
      expect(deduped).toMatchObject({ rows: 2, matched: 2, billable: 1, duplicates: 1, billed: 1 })
      const result = (await api.get(String(deduped['result_url']))).body
      expect(parse(result, { columns: true })).toMatchObject([{ pb_duplicate_of: '' }, { pb_duplicate_of: '1' }]) // prettier-ignore
      const top = await run('?top=2&fields=age')
      const lines = parse<Json>((await api.get(String(top['result_url']))).body, { columns: true })
      expect(lines[0]).toMatchObject({ pb_match_rank: '1' })
      expect(await billedOf(api, String((await api.events())[0]!['api_key_id']))).toBe(1 + 3)
    })
  })

  test('a parameter that there is not is refused with those that there are, and nothing is billed', async () => {
    await onInvented(async (api) => {
      const reply = await post(api, LIST, { query: '?dryrun=true' })
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error.long_message).toMatch(/^query: unknown parameter 'dryrun'; the parameters of this resource are fields, require, .*dry_run, count_only$/) // prettier-ignore
      const unaccepted = await post(api, 'x', { type: 'image/png' })
      expect(unaccepted.json().error.long_message).toBe(
        'input files of the type image/png are not accepted: send it as text/csv, application/x-ndjson, application/json, application/vnd.apache.arrow.stream, application/vnd.apache.parquet, multipart/form-data',
      )
      const key = await api.newKey({ kind: 'demo', rate_per_second: 1_000_000 })
      expect(await asked(api, '', key)).toMatchObject({ matched: 3, billable: 3, billed: 0 })
    })
  })
})

const send = (api: Api, key: string, list = LIST, headers: Record<string, string> = {}, query = '') =>
  post(api, list, { headers: { 'idempotency-key': key, ...headers }, query })
const billedRows = async (api: Api): Promise<number> => {
  await api.events()
  return api.state.usage.written((await api.state.keys.find(api.key))!.account_id, '2026-06')
}

describe('Idempotency-Key', () => {
  test('a repeated request has the first answer and is billed once, at once and in the background', async () => {
    await onInvented(async (api) => {
      const first = await send(api, 'a')
      const again = await send(api, 'a')
      expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([200, first.body, 'true']) // prettier-ignore
      expect(await billedRows(api)).toBe(2)
      const job = await send(api, 'b', LIST, { prefer: 'respond-async' })
      const same = await send(api, 'b', LIST, { prefer: 'respond-async' })
      expect([same.statusCode, same.body, same.headers['location']]).toEqual([202, job.body, job.headers['location']]) // prettier-ignore
      await ended(api, job.json<{ result: { id: string } }>().result.id)
      expect(await billedRows(api)).toBe(4)
      api.pass(86_400_001)
      expect((await send(api, 'a')).headers['idempotency-replayed']).toBeUndefined()
      expect(await billedRows(api)).toBe(6)
    })
  })

  test('another list or other options under the key are 422, one under way 409; a key is its account’s own', async () => {
    await onInvented(async (api) => {
      await send(api, 'a')
      expect((await send(api, 'a', `${LIST}x,y,,,\n`)).statusCode).toBe(422)
      expect((await send(api, 'a', LIST, {}, '?fields=age')).statusCode).toBe(422)
      expect((await send(api, 'a', LIST, { prefer: 'respond-async' })).statusCode).toBe(422)
      expect((await send(api, ' ')).statusCode).toBe(400)
      const other = await post(api, LIST, { key: await api.newKey(), headers: { 'idempotency-key': 'a' } })
      expect([other.statusCode, other.headers['idempotency-replayed']]).toEqual([200, undefined])
      const both = await Promise.all([send(api, 'b'), send(api, 'b')])
      expect(Math.min(...both.map((reply) => reply.statusCode))).toBe(200)
      expect(await billedRows(api)).toBe(4)
      await api.state.db.run("update keyed_requests set status = 'running' where idempotency_key = 'b'")
      expect((await send(api, 'b')).statusCode).toBe(409)
      await api.state.db.run("update keyed_requests set leased_until = 0 where idempotency_key = 'b'")
      expect((await send(api, 'b')).statusCode).toBe(200)
    })
  })

  test('the order of options makes no other request', async () => {
    await onInvented(async (api) => {
      const first = await send(api, 'a', LIST, {}, '?top=2&limit=3&dedupe=false')
      for (const query of ['?limit=3&dedupe=false&top=2', '?dedupe=false&top=2&limit=3']) {
        const again = await send(api, 'a', LIST, {}, query)
        expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([200, first.body, 'true']) // prettier-ignore
      }
      expect((await send(api, 'a', LIST, {}, '?top=2&limit=2&dedupe=false')).statusCode).toBe(422)
    })
  })

  test('an answer that cannot be kept is not billed, and its rows go back to the cap', async () => {
    await onInvented(async (api) => {
      const key = await api.newKey({ monthly_cap: 5, rate_per_second: 1_000_000 })
      await api.state.db.exec(
        `create trigger full before update on keyed_requests begin select raise(abort, 'no space'); end`,
      )
      const refused = await post(api, LIST, { key, headers: { 'idempotency-key': 'a' } })
      expect(refused.statusCode).toBe(500)
      expect((await api.events()).at(-1)).toMatchObject({ status_code: 500, billable: 0 })
      await api.state.db.exec('drop trigger full')
      const again = await post(api, LIST, { key, headers: { 'idempotency-key': 'a' } })
      expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, undefined])
      await api.events()
      expect(await billedOf(api, (await api.state.keys.find(key))!.api_key_id)).toBe(2)
      expect(await left(api, key, 5)).toBe(3)
    })
  })

  test('a refused request leaves its key free', async () => {
    await onInvented(async (api) => {
      expect((await send(api, 'a', 'a,b\n1,2\n')).statusCode).toBe(422)
      expect((await send(api, 'a')).statusCode).toBe(200)
    })
  })

  test('a repeated answer and its key outlive the process, without people suppressed meanwhile', async () => {
    await withFolder(async (folder) => {
      const options = { folder, snapshots: await inventedSnapshots() }
      const secret = await withApi(async (api) => {
        await send(api, 'a')
        return api.key
      }, options)
      await withApi(
        async (api) => {
          const again = await post(api, LIST, { key: secret, headers: { 'idempotency-key': 'a' } })
          expect(again.headers['idempotency-replayed']).toBe('true')
          expect(again.body).not.toContain(INVENTED.jane)
          expect(again.body).toContain(INVENTED.jonathan)
          await api.events()
          expect(
            await api.state.usage.written((await api.state.keys.find(secret))!.account_id, '2026-06'),
          ).toBe(2)
        },
        { ...options, given: (state) => state.suppressions.add([{ kind: 'person', value: INVENTED.jane }]) },
      )
    })
  })
})

describe('GET /v1/enrichments', () => {
  test('gives the account’s lists, newest first, by pages and by status', async () => {
    await onInvented(async (api) => {
      const ids: string[] = []
      for (let n = 0; n < 3; n++) {
        ids.unshift(await jobOf(api))
        await ended(api, ids[0]!)
        api.pass(1_000)
      }
      const page = async (query: string, key = api.key) =>
        (await api.get(`/v1/enrichments${query}`, { 'x-api-key': key })).json<{ results: Json[]; next_cursor: string | null }>() // prettier-ignore
      const first = await page('?limit=2')
      expect(first.results.map(({ id }) => id)).toEqual(ids.slice(0, 2))
      const second = await page(`?limit=2&cursor=${first.next_cursor}`)
      expect([second.results.map(({ id }) => id), second.next_cursor]).toEqual([ids.slice(2), null])
      expect((await page('?status=done')).results).toHaveLength(3)
      expect((await page('?status=queued')).results).toEqual([])
      expect((await page('', await api.newKey())).results).toEqual([])
    })
  })
})

describe('GET /v1/enrichments/{id}', () => {
  test('a job is its account’s own; an id that is none is 400', async () => {
    await onInvented(async (api) => {
      const id = await jobOf(api)
      const other = await api.newKey()
      expect((await api.get(`/v1/enrichments/${id}`, { 'x-api-key': other })).statusCode).toBe(404)
      expect((await api.get('/v1/enrichments/enr_nothing')).statusCode).toBe(400)
      expect((await api.get(`/v1/enrichments/enr_${'0'.repeat(22)}`)).statusCode).toBe(404)
      expect(await ended(api, id)).toMatchObject({ status: 'done', rows: 3, matched: 2, billed: 2 })
    })
  })
})

describe('GET /v1/enrichments/{id}/rejected', () => {
  test('gives the rows that cannot be read, with line and reason; the others are matched', async () => {
    await onInvented(async (api) => {
      const id = await jobOf(api, 'name,phone\n"Jane\nSmith",512-555-0101\ntoo,"many, indeed",fields\n')
      const rejected_url = `/v1/enrichments/${id}/rejected`
      expect(await ended(api, id)).toMatchObject({ rows: 1, matched: 1, rejected: 1, rejected_url })
      const reply = await api.get(rejected_url)
      expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(parse(reply.body, { columns: true })).toEqual([
        { line: '4', row: '2', reason: 'the row has 3 fields, and the header has 2', text: 'too,"many, indeed",fields' },
      ]) // prettier-ignore
    })
  })

  test('is a header alone when every row could be read; 409 before that is known, 404 for other accounts', async () => {
    await onInvented(async (api) => {
      const id = await jobOf(api)
      const rejected = `/v1/enrichments/${id}/rejected`
      await ended(api, id)
      expect((await api.get(rejected)).body).toBe('line,row,reason,text\n')
      expect((await api.get(rejected, { 'x-api-key': await api.newKey() })).statusCode).toBe(404)
      await api.state.db.run("update enrichments set status = 'running' where enrichment_id = ?", id)
      expect((await api.get(rejected)).statusCode).toBe(409)
    })
  })
})

describe('GET /v1/enrichments/{id}/result', () => {
  test('comes as the type that is accepted with the highest q; as CSV when none of ours is', async () => {
    await onInvented(async (api) => {
      const id = await jobOf(api)
      await ended(api, id)
      for (const [accept, type] of [
        ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
        ['application/x-ndjson;q=0.2, Text/CSV;q=0.9', 'text/csv; charset=utf-8'],
        ['text/csv;q=0.3, application/x-ndjson;q=1', 'application/x-ndjson'],
        ['application/x-ndjson;q=0, */*', 'text/csv; charset=utf-8'],
        ['image/png', 'text/csv; charset=utf-8'],
        ['constructor', 'text/csv; charset=utf-8'],
        ['__proto__', 'text/csv; charset=utf-8'],
      ] as const) {
        const reply = await api.get(`/v1/enrichments/${id}/result`, { 'x-api-key': api.key, accept })
        expect([accept, reply.headers['content-type']]).toEqual([accept, type])
      }
    })
  })

  test('as CSV, and rejected rows, have cells guarded that may be formulas, unless safe_cells is false', async () => {
    await onInvented(async (api) => {
      const id = await jobOf(api, 'name,phone,=note\nJane Smith,+15125550101,=1+1\n=1,2,3,4\n')
      await ended(api, id)
      const url = `/v1/enrichments/${id}`
      const start = async (path: string, accept = 'text/csv'): Promise<string> =>
        (await api.get(`${url}/${path}`, { 'x-api-key': api.key, accept })).body
      expect(await start('result')).toMatch(
        /^name,phone,'=note,pb_[^\n]+\nJane Smith,\+15125550101,'=1\+1,matched,/,
      )
      expect(await start('result?safe_cells=false')).toMatch(/^name,phone,=note,pb_[^\n]+\nJane Smith,\+15125550101,=1\+1,matched,/) // prettier-ignore
      expect(await start('result', 'application/x-ndjson')).toMatch(/"=note":"=1\+1"/)
      expect(await start('rejected')).toContain(`,"'=1,2,3,4"`)
      expect(await start('rejected?safe_cells=false')).toContain(',"=1,2,3,4"')
      expect((await api.get(`${url}/result?safe_cells=maybe`)).statusCode).toBe(400)
    })
  })

  test('is its account’s own, and there once the job is done: 409 before', async () => {
    await onInvented(async (api) => {
      const id = await jobOf(api)
      const result = `/v1/enrichments/${id}/result`
      await ended(api, id)
      expect((await api.get(result, { 'x-api-key': await api.newKey() })).statusCode).toBe(404)
      expect((await api.get(result)).statusCode).toBe(200)
      await api.state.db.run("update enrichments set status = 'running' where enrichment_id = ?", id)
      const reply = await api.get(result)
      expect(reply.statusCode).toBe(409)
      expect(reply.json().error.long_message).toBe(
        `the enrichment ${id} is running; only an enrichment with the status done has a result`,
      )
    })
  })
})
