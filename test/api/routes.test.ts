import { describe, expect, test } from 'vitest'
import { allows, Scope } from '../../src/state/scopes.ts'
import { readOpenApi } from '../support/described.ts'
import { INVENTED } from '../support/published.ts'
import { type Method, sharedApi } from './support.ts'
import { RATE_LIMITED, REFUSED_KEY } from './messages.ts'

const TOKEN = 'an-internal-token-of-the-tests'
const api = sharedApi({ env: { INTERNAL_TOKENS: TOKEN } })

interface Sample {
  readonly path: string
  readonly status: number
  readonly body?: object
  /** Whether a 200 is billed; null for routes without a key. */
  readonly isBilled: boolean | null
  readonly isDeprecated?: true
}

const WEBHOOK = `/v1/webhooks/wh_${'0'.repeat(22)}`
const ENRICHMENT = `/v1/enrichments/enr_${'0'.repeat(22)}`
const RANGE = 'start=2026-06-01&end=2026-06-02'

/** One request for each route. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /health': { path: '/health', status: 200, isBilled: null },
  'GET /ready': { path: '/ready', status: 200, isBilled: null },
  'GET /openapi.json': { path: '/openapi.json', status: 200, isBilled: null },
  'GET /v2/person/': { path: '/v2/person/?name=Jane+Smith', status: 200, isBilled: true },
  'GET /v2/person/{id}': { path: `/v2/person/${INVENTED.jane}`, status: 200, isBilled: true },
  'GET /v1/person/': { path: '/v1/person/?name=Jane+Smith', status: 200, isBilled: true, isDeprecated: true },
  'GET /v1/person/{id}': { path: `/v1/person/${INVENTED.jane}`, status: 200, isBilled: true, isDeprecated: true },
  'GET /v2/property/': { path: '/v2/property/?street=125+N+Main+St&city=Austin', status: 200, isBilled: true },
  'GET /v2/property/{property_id}': { path: `/v2/property/${INVENTED.flat}`, status: 200, isBilled: true },
  'GET /v1/property/': { path: '/v1/property/?street=125+N+Main+St&city=Austin', status: 200, isBilled: true, isDeprecated: true },
  'GET /v2/phone/{phone}': { path: `/v2/phone/${INVENTED.janesPhone}`, status: 200, isBilled: true },
  'GET /v1/regions/states': { path: '/v1/regions/states', status: 200, isBilled: null },
  'GET /v1/regions/states/{state_code}/counties': { path: '/v1/regions/states/TX/counties', status: 200, isBilled: null },
  'GET /v1/account/usage/': { path: '/v1/account/usage/?start_date=2026-05-01&end_date=2026-05-31', status: 200, isBilled: false },
  'POST /v1/enrichments': { path: '/v1/enrichments', status: 422, isBilled: false },
  'GET /v1/enrichments': { path: '/v1/enrichments', status: 200, isBilled: false },
  'GET /v1/enrichments/{id}': { path: ENRICHMENT, status: 404, isBilled: false },
  'DELETE /v1/enrichments/{id}': { path: ENRICHMENT, status: 404, isBilled: false },
  'GET /v1/enrichments/{id}/rejected': { path: `${ENRICHMENT}/rejected`, status: 404, isBilled: false },
  'GET /v1/enrichments/{id}/result': { path: `${ENRICHMENT}/result`, status: 404, isBilled: false },
  'POST /v1/webhooks/': { path: '/v1/webhooks/', body: { url: 'http://example.com/', event_type: 'deed.*', region: 'state:tx' }, status: 400, isBilled: false },
  'GET /v1/webhooks/': { path: '/v1/webhooks/', status: 200, isBilled: false },
  'GET /v1/webhooks/{webhook_id}': { path: WEBHOOK, status: 404, isBilled: false },
  'PATCH /v1/webhooks/{webhook_id}': { path: WEBHOOK, body: { name: 'a' }, status: 404, isBilled: false },
  'DELETE /v1/webhooks/{webhook_id}': { path: WEBHOOK, status: 404, isBilled: false },
  'POST /v1/webhooks/{webhook_id}/test': { path: `${WEBHOOK}/test`, body: {}, status: 404, isBilled: false },
  'POST /v1/webhooks/{webhook_id}/rotate_secret': { path: `${WEBHOOK}/rotate_secret`, body: {}, status: 404, isBilled: false },
  'GET /v1/events/deed': { path: '/v1/events/deed?region=state:tx', status: 200, isBilled: false },
  'GET /v1/events/{event_id}': { path: '/v1/events/01234567-89ab-5cde-8123-456789abcdef', status: 404, isBilled: false },
  'GET /internal/access-events/dump': { path: `/internal/access-events/dump?${RANGE}`, status: 200, isBilled: null },
  'GET /internal/access-events/by-key': { path: `/internal/access-events/by-key?api_key_id=a&${RANGE}`, status: 200, isBilled: null },
} // prettier-ignore

const INVITED = { invitations: ['webhooks', 'events'] } as const
const isInternal = (path: string): boolean => path.startsWith('/internal/')

/** Adds or removes the slash at the end of a path. */
function otherwiseEnding(path: string): string {
  const [resource = '', query] = path.split('?')
  const other = resource.endsWith('/') ? resource.slice(0, -1) : `${resource}/`
  return query === undefined ? other : `${other}?${query}`
}

const withoutTrace = (body: string): string => body.replace(/"wp_trace_id":"\w{32}"/, '')

test('every route of the OpenAPI file is asked here', () => {
  const routes = Object.entries(readOpenApi().paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(Object.keys(SAMPLES).sort()).toEqual(routes.sort())
})

for (const [route, { path, body, status, isBilled, isDeprecated }] of Object.entries(SAMPLES)) {
  const [method, template] = route.split(' ') as [Method, string]
  const ask = (key: string, at = path): ReturnType<typeof api.send> =>
    isInternal(path) ? api.get(at, { authorization: `Bearer ${TOKEN}` }) : api.send(method, at, body, key)

  const askInvited = async (at = path): Promise<ReturnType<typeof ask>> => ask(await api.newKey(INVITED), at)

  describe(route, () => {
    test(`answers ${status} as JSON with a trace id, with and without a slash at the end of the path`, async () => {
      const [one, other] = [await askInvited(), await askInvited(otherwiseEnding(path))]
      for (const reply of [one, other]) {
        expect(reply.statusCode).toBe(status)
        expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
        expect(reply.headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/)
      }
      expect(withoutTrace(other.body)).toBe(withoutTrace(one.body))
    })

    // Endpoints that the interface does not define refuse unknown parameters.
    const takesNone =
      template === '/v2/phone/{phone}' ||
      template === '/v1/enrichments' ||
      template.endsWith('/rotate_secret')
    test(`a query parameter that there is not is ${takesNone ? 'refused' : 'ignored, once or twice'}`, async () => {
      const reply = await askInvited(`${path}${path.includes('?') ? '&' : '?'}no_such=1&no_such=2`)
      if (takesNone) expect(reply.statusCode).toBe(400)
      else expect(withoutTrace(reply.body)).toBe(withoutTrace((await askInvited()).body))
    })

    test('other methods are 404 in the envelope, never 405', async () => {
      const known = Object.keys(SAMPLES)
        .filter((one) => one.endsWith(` ${template}`))
        .map((one) => one.split(' ')[0])
      const heads = ['GET /health', 'GET /ready'].includes(route) ? ['HEAD'] : []
      const others = (['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter(
        (one) => !known.includes(one) && !heads.includes(one),
      )
      for (const one of others) {
        const reply = await api.send(one, path.split('?')[0]!)
        expect([one, reply.statusCode]).toEqual([one, 404])
        if (one !== 'HEAD')
          expect(reply.json().error).toMatchObject({ code: 404, message: 'Not Found', meta: null })
      }
    })

    test(`is ${isDeprecated === true ? '' : 'not '}marked deprecated`, () => {
      const operation = readOpenApi().paths[template]?.[method.toLowerCase()]
      expect(operation?.deprecated).toBe(isDeprecated)
    })

    if (isInternal(path)) {
      test('takes no API key, and answers 403 with a message', async () => {
        const reply = await api.get(path, { 'x-api-key': await api.newKey(INVITED) })
        expect([reply.statusCode, reply.json()]).toEqual([403, { message: REFUSED_KEY }])
      })
    } else if (isBilled === null) {
      test('needs no key, and leaves no access event without one', async () => {
        const before = (await api.events()).length
        for (const headers of [{}, { 'x-api-key': 'nobody’s' }])
          expect((await api.get(path, headers)).statusCode).toBe(status)
        expect((await api.events()).length).toBe(before)
      })
    } else {
      test('without a key, with one that nobody has and with a revoked one: refused, with nothing of the resource', async () => {
        const gone = await api.newKey(INVITED)
        const id = (await api.state.keys.find(gone))!.api_key_id
        await api.state.keys.revoke(id)
        // An address may try five wrong keys a second.
        api.pass(1_000)
        for (const key of ['', `pk_${'0'.repeat(32)}`, gone]) {
          const reply = await ask(key)
          if (route === 'GET /v1/events/deed') {
            expect(reply.statusCode).toBe(401)
            expect(reply.json().error).toMatchObject({ code: 'unauthorized', message: 'Unauthorized' })
          } else expect([reply.statusCode, reply.json()]).toEqual([403, { message: REFUSED_KEY }])
        }
      })

      test('over the rate of its key: 429 with Retry-After', async () => {
        const key = await api.newKey({ ...INVITED, rate_per_second: 1, burst: 1 })
        expect((await ask(key)).statusCode).toBe(status)
        const reply = await ask(key)
        expect([reply.statusCode, reply.headers['retry-after']]).toEqual([429, '1'])
        if (route === 'GET /v1/events/deed')
          expect(reply.json().error).toMatchObject({ code: 'rate_limited' })
        else expect(reply.json()).toEqual({ message: RATE_LIMITED })
      })

      test('a key without its scope is refused and not billed; its scope alone is enough', async () => {
        const [needed = ''] = readOpenApi().paths[template]![method.toLowerCase()]!.security[0]!['ApiKey']!
        const others = Scope.options.filter((scope) => !allows([scope], Scope.parse(needed)))
        const narrow = await api.newKey({ ...INVITED, scopes: others })
        const reply = await ask(narrow)
        if (route === 'GET /v1/events/deed') expect(reply.statusCode).toBe(403)
        else expect([reply.statusCode, reply.json()]).toEqual([403, { message: REFUSED_KEY }])
        const { api_key_id } = (await api.state.keys.find(narrow))!
        expect((await api.events()).filter((event) => event['api_key_id'] === api_key_id)).toMatchObject([
          { route: template, status_code: 403, billable: 0 },
        ])
        const exact = await api.newKey({ ...INVITED, scopes: [Scope.parse(needed)] })
        expect((await ask(exact)).statusCode).toBe(status)
      })

      test(`leaves an access event that names the template, ${isBilled ? 'billed' : 'not billed'}`, async () => {
        const key = await api.newKey(INVITED)
        const reply = await ask(key)
        const { api_key_id } = (await api.state.keys.find(key))!
        expect((await api.events()).filter((event) => event['api_key_id'] === api_key_id)).toMatchObject([
          {
            http_method: method,
            route: template,
            status_code: status,
            billable: isBilled ? 1 : 0,
            trace_id: reply.headers['x-trace-id'],
          },
        ])
      })

      test(
        isBilled ? 'behind the monthly cap: 429 usage_cap_exceeded' : 'asks nothing of the monthly cap',
        async () => {
          const reply = await ask(await api.newKey({ ...INVITED, monthly_cap: 0 }))
          expect(reply.statusCode).toBe(isBilled ? 429 : status)
          if (isBilled)
            expect(reply.json()).toEqual({
              message: 'The monthly cap of 0 requests is used up.',
              error: 'usage_cap_exceeded',
              error_instance_id: reply.headers['x-trace-id'],
              limit: 0,
              used: 0,
              reset_at: '2026-07-01T00:00:00+00:00',
              upgrade_url: 'https://example.com/platbook/plans',
            })
        },
      )

      test('an address of more than 8,000 characters is 414 in the envelope', async () => {
        const long = `${path}${path.includes('?') ? '&' : '?'}x=${'x'.repeat(8_000)}`
        const reply = await askInvited(long)
        expect(reply.statusCode).toBe(414)
        expect(reply.json().error).toMatchObject({ code: 414, message: 'URI Too Long' })
      })
    }
  })
}
