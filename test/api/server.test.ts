import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Load } from '../../src/api/load.ts'
import { formatMetrics, Metrics, type Reading } from '../../src/api/metrics.ts'
import { INVENTED } from '../support/published.ts'
import { inventedSnapshots, withApi } from './support.ts'
import { RATE_LIMITED } from './messages.ts'

const JANE = `/v2/person/${INVENTED.jane}`

describe('every answer', () => {
  test.each([
    ['/health', 200],
    [JANE, 503],
    ['/v2/person/P1', 400],
    ['/nowhere', 404],
    ['/v2/person/%E0%A4%A', 400],
  ])('%s tells browsers to run, guess, frame and keep nothing of it', async (path, status) => {
    await withApi(async ({ get }) => {
      const { headers, statusCode } = await get(path)
      expect(statusCode).toBe(status)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
      })
      expect(headers).not.toHaveProperty('server')
    })
  })
})

const wrong = (n: number): Record<string, string> => ({ 'x-api-key': `pk_${String(n).padStart(32, '0')}` })
const from = (address: string, n: number) => ({ ...wrong(n), 'x-forwarded-for': address })
const ago = (milliseconds: number): number => performance.now() - milliseconds

describe('keys that nobody has', () => {
  test('are looked up fifty times from an address, then five times a second; the rest is 429', async () => {
    await withApi(async ({ get, pass }) => {
      for (let n = 0; n < 50; n += 1) expect((await get(JANE, wrong(n))).statusCode).toBe(403)
      const refused = await get(JANE, wrong(51))
      expect(refused.statusCode).toBe(429)
      expect(refused.json()).toEqual({ message: RATE_LIMITED })
      expect(refused.headers['retry-after']).toBe('1')
      pass(1_000)
      for (let n = 0; n < 5; n += 1) expect((await get(JANE, wrong(n))).statusCode).toBe(403)
      expect((await get(JANE, wrong(0))).statusCode).toBe(429)
    })
  })

  test('do not lock out a key from the same address that is in use, nor count those who send none', async () => {
    await withApi(async ({ get, newKey }) => {
      const good = { 'x-api-key': await newKey() }
      expect((await get('/v2/person/P1', good)).statusCode).toBe(400)
      for (let n = 0; n < 60; n += 1) await get(JANE, wrong(n))
      expect((await get('/v2/person/P1', good)).statusCode).toBe(400)
      expect((await get(JANE, {})).statusCode).toBe(403)
    })
  })

  test('are counted by the address that a trusted proxy tells, and by no other', async () => {
    await withApi(
      async ({ get }) => {
        for (let n = 0; n < 51; n += 1) await get(JANE, from('192.0.2.1', n))
        expect((await get(JANE, from('192.0.2.1', 0))).statusCode).toBe(429)
        expect((await get(JANE, from('192.0.2.2', 0))).statusCode).toBe(403)
      },
      { env: { TRUSTED_PROXIES: '127.0.0.1' } },
    )
    await withApi(async ({ get }) => {
      for (let n = 0; n < 51; n += 1) await get(JANE, from('192.0.2.1', n))
      expect((await get(JANE, from('192.0.2.2', 0))).statusCode).toBe(429)
    })
  })
})

describe('load', () => {
  test('is too much for what comes late in a second long turn, not in a first one', async () => {
    const load = new Load(150)
    expect([load.isTooMuch(ago(1_000)), load.isTooMuch(ago(0))]).toEqual([false, false])
    await turn()
    expect([load.isTooMuch(ago(1_000)), load.isTooMuch(ago(0))]).toEqual([false, true])
  })

  test('is not too much again once a turn has been short', async () => {
    const load = new Load(3_600_000)
    load.isTooMuch(ago(2_000_000))
    await turn()
    load.isTooMuch(ago(0))
    await turn()
    expect([load.isTooMuch(ago(4_000_000)), load.isTooMuch(ago(0))]).toEqual([false, false])
  })

  test('is too much when very many requests wait for something', () => {
    const load = new Load(150)
    load.inFlight = 1_001
    expect(load.isTooMuch(ago(0))).toBe(true)
  })

  test('of requests that wait for somebody outside is none of lookups', () => {
    const load = new Load(150)
    load.inFlight = 5_000
    load.waiting = 4_000
    expect([load.isTooMuch(ago(0)), load.isRefusing(ago(0))]).toEqual([false, false])
    load.waiting = 3_000
    expect([load.isTooMuch(ago(0)), load.isRefusing(ago(0))]).toEqual([true, true])
    load.inFlight = 0
    load.waiting = 0
    expect([load.isRefusing(ago(0)), load.isRefusing(ago(-10_000))]).toEqual([true, false])
  })

  test('that is too much is 503 with Retry-After, is not billed, and leaves health alone', async () => {
    const snapshots = await inventedSnapshots()
    await withApi(
      async ({ get, events }) => {
        await get(JANE)
        await turn()
        const replies = await Promise.all([get(JANE), get(JANE), get('/health')])
        expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 503, 200])
        expect(replies[1]?.headers['retry-after']).toBe('1')
        expect((await get('/ready')).json()).toMatchObject({
          error: {
            code: 503,
            long_message: 'The service is overloaded and refuses lookups. Try again in a few seconds.',
          },
        })
        expect(replies[1]?.json().error.message).toBe('Service Unavailable')
        expect((await events()).map(({ status_code, billable }) => [status_code, billable])).toEqual([
          [200, 1],
          [200, 1],
          [503, 0],
        ])
      },
      { snapshots, env: { SHED_AFTER_MS: '0' } },
    )
  })
})

describe('metrics', () => {
  const doing = {
    snapshot: '20260601T000000000Z-00000000',
    snapshotChanges: 2,
    inFlight: 3,
    eventsWaiting: 4,
    connections: { open: 5, idleClosed: 6, refused: 7 },
  }

  function readingOf(durations: [status: number, milliseconds: number][]): Reading {
    const metrics = new Metrics()
    const route = metrics.route('GET', '/v2/person/{id}')
    for (const [status, milliseconds] of durations) route.add(status, milliseconds)
    metrics.close()
    return metrics.read(doing)
  }

  test('of several workers are summed; what belongs to a process keeps its worker', () => {
    const left = readingOf([
      [200, 0.4],
      [404, 0.6],
    ])
    const right = readingOf([
      [200, 3],
      [200, 20_000],
      [500, 20_000],
    ])
    const lines = formatMetrics([left, right], 1).split('\n')
    const route = 'method="GET",route="/v2/person/{id}"'
    expect(lines).toContain(`platbook_http_requests_total{${route},status="200"} 3`)
    expect(lines).toContain(`platbook_http_requests_total{${route},status="404"} 1`)
    expect(lines).toContain(`platbook_http_requests_total{${route},status="500"} 1`)
    for (const [bound, count] of [
      ['0.0005', 1],
      ['0.001', 2],
      ['0.005', 3],
      ['10', 3],
      ['+Inf', 5],
    ]) {
      expect(lines).toContain(
        `platbook_http_request_duration_seconds_bucket{${route},le="${bound}"} ${count}`,
      )
    }
    expect(lines).toContain(`platbook_http_request_duration_seconds_count{${route}} 5`)
    expect(lines).toContain('platbook_http_in_flight{worker="2"} 3')
    expect(lines).toContain('platbook_connections{worker="2"} 5')
    expect(lines).toContain('platbook_connections_idle_closed_total{worker="2"} 6')
    expect(lines).toContain('platbook_connections_refused_total{worker="2"} 7')
    expect(lines).toContain('platbook_workers 2')
    expect(lines).toContain('platbook_workers_replaced_total 1')
  })

  test('count a duration in each bucket from the one whose bound it does not pass', () => {
    const bounds = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000]
    const text = formatMetrics([readingOf(bounds.map((milliseconds) => [200, milliseconds]))], 0)
    const buckets = [...text.matchAll(/_bucket\{.*le="(.*)"\} (\d+)/g)].map(([, le, count]) => [
      le,
      Number(count),
    ])
    expect(buckets).toEqual([
      ...bounds.map((milliseconds, index) => [`${milliseconds / 1_000}`, index + 1]),
      ['+Inf', bounds.length],
    ])
  })

  test('are in the text format that Prometheus reads', () => {
    const text = formatMetrics([readingOf([[200, 1]])], 0)
    const sample = /^[a-z_]+(?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? -?[0-9.e+-]+$/
    const comment = /^# (?:HELP|TYPE) [a-z_]+ .+$/
    expect(text.endsWith('\n')).toBe(true)
    expect(
      text
        .trimEnd()
        .split('\n')
        .filter((line) => !sample.test(line) && !comment.test(line)),
    ).toEqual([])
  })

  test('have the routes that were asked for, by template, and nothing of what was asked', async () => {
    const snapshots = await inventedSnapshots()
    await withApi(
      async ({ get, app }) => {
        for (const path of [JANE, '/v2/person/?name=Jane', '/nowhere/Jane', '/health']) await get(path)
        const text = formatMetrics([app.reading()], 0)
        for (const series of [
          'method="GET",route="/v2/person/{id}",status="200"} 1',
          'method="GET",route="/v2/person/",status="200"} 1',
          'method="ANY",route="(none)",status="404"} 1',
          'method="GET",route="/health",status="200"} 1',
        ]) {
          expect(text).toContain(`platbook_http_requests_total{${series}\n`)
        }
        expect(text).toContain('platbook_http_in_flight{worker="1"} 0\n')
        expect(text).not.toMatch(/Jane|P0000000001/)
      },
      { snapshots },
    )
  })
})
