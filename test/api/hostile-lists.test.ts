import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { arrowList, arrowThatClaims, damaged, lists, randomOf } from '../enrich/foreign-lists.ts'
import { INVENTED } from '../support/published.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'

const ARROW = 'application/vnd.apache.arrow.stream'
const TYPES: Readonly<Record<string, string>> = {
  arrow: ARROW,
  csv: 'text/csv',
  gzip: 'text/csv',
  jsonl: 'application/x-ndjson',
  parquet: 'text/csv',
}

function send(api: Api, payload: Buffer | string, type = 'text/csv', headers: Record<string, string> = {}) {
  return api.app.inject({
    method: 'POST',
    url: '/v1/enrichments',
    headers: { 'x-api-key': api.key, 'content-type': type, ...headers },
    payload,
  })
}

function idOf(reply: Awaited<ReturnType<typeof send>>): string {
  return reply.json<{ result: { id: string } }>().result.id
}

function reasonOf(reply: Awaited<ReturnType<typeof send>>): string {
  return reply.json<{ error: { long_message: string } }>().error.long_message
}

async function onInvented<T>(body: (api: Api) => Promise<T>, env: Record<string, string> = {}): Promise<T> {
  return withApi(body, { snapshots: await inventedSnapshots(), env })
}

test('an Arrow stream of 904 bytes that claims 400 million rows is 422, and the service answers others', async () => {
  await onInvented(async (api) => {
    const reply = await send(api, arrowThatClaims(400_000_000n), ARROW)
    expect(reply.statusCode).toBe(422)
    expect(reasonOf(reply)).toMatch(/^the list can't be read as Arrow: it is damaged: a record batch announces 400000000 rows in \d+ bytes$/) // prettier-ignore
    expect((await send(api, arrowList(), ARROW)).statusCode).toBe(200)
  })
})

test('a list whose lines are nested 100,000 deep is 422; such a line among others is rejected', async () => {
  await onInvented(async (api) => {
    const deep = `{"name":"Jane Smith","note":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const refused = await send(api, `${deep}\n`, 'application/x-ndjson')
    expect([refused.statusCode, reasonOf(refused)]).toEqual([
      422,
      'the list, line 1: the line is nested more than 32 deep',
    ])
    const good = '{"name":"Jane Smith","phone":"512-555-0101"}'
    const reply = await send(api, `${good}\n${deep}\n${good}\n`, 'application/x-ndjson')
    expect(reply.json()).toMatchObject({
      metadata: { matched: 2, rejected: [{ row: 2, reason: 'the line is nested more than 32 deep' }] },
    })
  })
})

test('a megabyte of lines that each open a quote is 422', async () => {
  await onInvented(async (api) => {
    const reply = await send(
      api,
      `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(30_000)}${'x","\n'.repeat(400_000)}`,
    )
    expect(reply.statusCode).toBe(422)
    expect(reasonOf(reply)).toMatch(/more than 100 lines with a quote that is never closed/)
  })
})

test('a list of more rows or bytes than a list may have, or that unzips to more than its ratio, is 413 before it is a job', async () => {
  await onInvented(
    async (api) => {
      const rows = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(2_001)}`
      const long = await send(api, rows)
      expect([long.statusCode, reasonOf(long)]).toEqual([
        413,
        'the list has more than 2,000 rows: split it into smaller files',
      ])
      expect(await api.state.db.all('select * from enrichments')).toEqual([])
    },
    { ENRICHMENT_MOST_ROWS: '2000' },
  )
  await onInvented(
    async (api) => {
      const large = await send(
        api,
        gzipSync(`name,phone,note\n${`Jane Smith,,${'x'.repeat(1_000)}\n`.repeat(1_050)}`),
      )
      expect([large.statusCode, reasonOf(large)]).toEqual([
        413,
        'the list has more than 1 MiB when it is unzipped: split it into smaller files',
      ])
    },
    { ENRICHMENT_MOST_UNZIPPED_MB: '1' },
  )
  await onInvented(async (api) => {
    const reply = await send(
      api,
      gzipSync(`name,phone\n${`${'x'.repeat(1_000)},\n`.repeat(70_000)}`),
      'text/csv',
      {
        prefer: 'respond-async',
      },
    )
    expect([reply.statusCode, reasonOf(reply)]).toEqual([413, 'the list unzips to more than 200 times its size: split it into smaller files']) // prettier-ignore
  })
})

test('an account has so many open lists and bytes, and no more; DELETE makes room; a full disk is 507', async () => {
  const list = 'name,phone\nJane Smith,512-555-0101\n'
  const later = { prefer: 'respond-async' }
  await onInvented(
    async (api) => {
      const long = await send(api, `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(400_000)}`)
      expect(long.statusCode).toBe(202)
      const refused = await send(api, list, 'text/csv', later)
      expect([refused.statusCode, refused.json()]).toEqual([
        429,
        {
          message:
            '1 list of the account is queued or running, and the limit is 1: wait until one is done, or cancel one with DELETE /v1/enrichments/{id}',
        },
      ])
      expect((await send({ ...api, key: await api.newKey() }, list, 'text/csv', later)).statusCode).toBe(202)
      const url = `/v1/enrichments/${idOf(long)}`
      expect((await api.send('DELETE', url, undefined, await api.newKey())).statusCode).toBe(404)
      expect((await api.send('DELETE', url)).statusCode).toBe(204)
      expect((await api.get(url)).json()).toMatchObject({ result: { status: 'cancelled', billed: null } })
      const next = await send(api, list, 'text/csv', later)
      expect(next.statusCode).toBe(202)
      await vi.waitFor(
        async () =>
          expect((await api.get(`/v1/enrichments/${idOf(next)}`)).json()).toMatchObject({
            result: { status: 'done' },
          }),
        30_000,
      )
      expect((await api.send('DELETE', `/v1/enrichments/${idOf(next)}`)).statusCode).toBe(204)
      expect((await api.get(`/v1/enrichments/${idOf(next)}`)).statusCode).toBe(404)
      const wide = await send(
        api,
        `name,phone,note\n${`Jane Smith,512-555-0101,${'x'.repeat(1_000)}\n`.repeat(20_000)}`,
      )
      expect([wide.statusCode, reasonOf(wide)]).toEqual([
        413,
        'lists and results of the account take 0 of 16 MiB, and this list has 20: remove results with DELETE /v1/enrichments/{id}',
      ])
    },
    { ENRICHMENT_OPEN_JOBS: '1', ENRICHMENT_STORED_MB: '16' },
  )
  await onInvented(
    async (api) => {
      const reply = await send(api, list)
      expect([reply.statusCode, reasonOf(reply)]).toEqual([
        507,
        'The service is short of disk space: send the request again later.',
      ])
    },
    { ENRICHMENT_KEEP_FREE_MB: '1000000000000' },
  )
})

test('other callers are answered while hostile lists are read', async () => {
  await onInvented(async (api) => {
    const bomb = gzipSync(`name,phone\n${'a,\n'.repeat(20_000_000)}`)
    const quotes = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(30_000)}${'x","\n'.repeat(400_000)}`
    const attack = Promise.all([
      send(api, arrowThatClaims(400_000_000n), ARROW),
      send(api, bomb),
      send(api, quotes),
      send(api, `${'['.repeat(3_000_000)}\n`, 'application/x-ndjson'),
    ])
    const over = new AbortController()
    void attack.finally(() => over.abort())
    const other = { 'x-api-key': await api.newKey({ rate_per_second: 1_000_000 }) }
    const statuses = new Set<number>()
    for (let asked = 0; asked < 50 || !over.signal.aborted; asked++) {
      statuses.add((await api.get(`/v2/person/${INVENTED.jane}`, other)).statusCode)
      await delay(1)
    }
    expect([...statuses]).toEqual([200])
    expect((await attack).map(({ statusCode }) => statusCode)).toEqual([422, 413, 422, 422])
  })
})

const SEED = 20_260_814
// Arrow and Parquet take a thread or a process each.
const DAMAGED_LISTS = { arrow: 30, csv: 50, gzip: 50, jsonl: 50, parquet: 6 }

test('lists with seeded damage are answered or refused with a reason, at once and as jobs; none is a failure of ours', async () => {
  await onInvented(async (api) => {
    const random = randomOf(SEED)
    const before = process.memoryUsage().rss
    const statuses = new Map<number, number>()
    const jobs: string[] = []
    for (const [form, list] of Object.entries(await lists())) {
      for (let round = 0; round < DAMAGED_LISTS[form as keyof typeof DAMAGED_LISTS]; round++) {
        const bytes = damaged(list, random)
        const reply = await send(api, bytes, TYPES[form], round % 16 === 0 ? { prefer: 'respond-async' } : {})
        statuses.set(reply.statusCode, (statuses.get(reply.statusCode) ?? 0) + 1)
        expect([200, 202, 413, 422], `${form}, round ${round}: ${reply.body}`).toContain(reply.statusCode)
        expect(reply.body).not.toContain(api.folder)
        if (reply.statusCode === 202) jobs.push(reply.json<{ result: { id: string } }>().result.id)
      }
    }
    expect(statuses.get(200)).toBeGreaterThan(20)
    expect(statuses.get(422)).toBeGreaterThan(20)
    for (const id of jobs) {
      for (;;) {
        const { result } = (await api.get(`/v1/enrichments/${id}`)).json<{ result: { status: string; failure: string | null } }>() // prettier-ignore
        if (['queued', 'running'].includes(result.status)) await delay(10)
        else {
          expect(result.failure ?? '').not.toContain('on our side')
          break
        }
      }
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(700 * 2 ** 20)
  })
}, 180_000)
