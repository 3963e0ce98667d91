import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { createConnector, createResolver, type Resolve } from './connect.ts'
import type { TestHosts } from './endpoint.ts'
import { isPublicAddress } from './public-address.ts'

/** The response of an endpoint, or the reason why there is none. */
export interface EndpointResponse {
  /** HTTP status; 0 without a response. */
  readonly status_code: number
  readonly duration_ms: number
  /** Null for a complete response in time, with any status. */
  readonly failure: Failure | null
  /** The header `Retry-After`, as milliseconds from the response. */
  readonly retry_after_ms: number | null
  /** The first 4 kB of the body. */
  readonly body: string
}

export type Failure =
  | 'address_refused'
  | 'name_unresolved'
  | 'connect_timeout'
  | 'connect_failed'
  | 'tls_failed'
  | 'timeout'
  | 'connection_lost'
  | 'not_http'

export interface SenderOptions {
  readonly testHosts: TestHosts
  readonly now: Clock
  /** Highest number of simultaneous connections to one host. */
  readonly perHost: number
  readonly connectWithinMs?: number
  readonly answerWithinMs?: number
  // Tests replace name servers, the check of addresses, and certificate authorities.
  readonly resolve?: Resolve
  readonly isPublic?: (address: string) => boolean
  readonly ca?: string
}

export interface Sender {
  /** Longest duration of `post`, milliseconds. */
  readonly answerWithinMs: number
  /** Posts JSON. Never rejects and never follows a redirect. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<EndpointResponse>
  /** Closes the connections. Requests in progress fail. */
  close(): Promise<void>
}

const CONNECT_WITHIN_MS = 5_000
export const ANSWER_WITHIN_MS = 15_000
/** Bytes of a response's body that the delivery log keeps. */
export const KEPT_BODY_BYTES = 4_096
// A body up to this size is read to its end, so the connection can be reused. For a longer body, the connection is closed.
const READ_BODY_BYTES = 65_536
// An endpoint cannot delay a notification for longer than the longest wait of the schedule (retries.ts).
const LONGEST_RETRY_AFTER_MS = 86_400_000

/** Opens the only sender of notifications. Validations, tests and deliveries all use it, so its address checks cover them all. */
export function openSender(options: SenderOptions): Sender {
  const { connectWithinMs = CONNECT_WITHIN_MS, answerWithinMs = ANSWER_WITHIN_MS } = options
  const agent = new Agent({
    connections: options.perHost,
    // The timer in `post` covers the whole request, from the host name to the last byte, so undici's timers are off.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector({
      testHosts: options.testHosts,
      withinMs: connectWithinMs,
      resolve: options.resolve ?? createResolver(),
      isPublic: options.isPublic ?? isPublicAddress,
      ca: options.ca,
    }),
  })

  async function post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<EndpointResponse> {
    const startedAt = performance.now()
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), answerWithinMs)
    const took = (): number => Math.round(performance.now() - startedAt)
    let status_code = 0
    let retry_after_ms: number | null = null
    const kept: Buffer[] = []
    const text = (): string => Buffer.concat(kept).subarray(0, KEPT_BODY_BYTES).toString('utf8')
    try {
      const response = await agent.request({
        ...splitUrl(url),
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Platbook-Webhooks', ...headers },
        body,
        signal: stop.signal,
      })
      status_code = response.statusCode
      retry_after_ms = parseRetryAfter(response.headers['retry-after'], options.now().getTime())
      await readStart(response.body, kept)
      return { status_code, duration_ms: took(), failure: null, retry_after_ms, body: text() }
    } catch (error) {
      const failure = stop.signal.aborted ? 'timeout' : failureOf(error)
      return { status_code, duration_ms: took(), failure, retry_after_ms, body: text() }
    } finally {
      clearTimeout(timer)
    }
  }

  return { answerWithinMs, post, close: () => agent.destroy() }
}

function splitUrl(text: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(text)
  return { origin, path: `${pathname}${search}` }
}

async function readStart(body: Dispatcher.ResponseData['body'], kept: Buffer[]): Promise<void> {
  let size = 0
  for await (const chunk of body) {
    const bytes = chunk as Buffer
    if (size < KEPT_BODY_BYTES) kept.push(bytes)
    size += bytes.length
    // Leaving the loop closes the connection.
    if (size >= READ_BODY_BYTES) return
  }
}

/** Returns the wait of a `Retry-After` header (seconds or a date), in milliseconds from `at`; null when it is not usable. */
export function parseRetryAfter(header: string | string[] | undefined, at: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - at
  return Number.isNaN(wait) || wait < 0 ? null : Math.min(wait, LONGEST_RETRY_AFTER_MS)
}

const FAILURES: readonly [RegExp, Failure][] = [
  [/^address_refused$/, 'address_refused'],
  [
    /^(?:ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EAI_|ETIMEOUT|EBADNAME|EBADRESP|EFORMERR|ENONAME)/,
    'name_unresolved',
  ],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect_timeout'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EINVAL)$/, 'connect_failed'],
  [/CERT|SSL|TLS|SELF_SIGNED|ISSUER|SIGNATURE|UNABLE_TO/, 'tls_failed'],
  [/^(?:HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_NOT_SUPPORTED)/, 'not_http'],
]

// Classifies errors of undici and Node by their code, or by their name when they have no code. When all addresses of a name
// failed, the error has the code of the first failure.
function failureOf(error: unknown): Failure {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const text = String(code ?? name)
  return FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? 'connection_lost'
}
