import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { createConnector, createResolver, type Resolve } from './connect.ts'
import type { TestHosts } from './endpoint.ts'
import { isPublicAddress } from './public-address.ts'

/** What came back from an endpoint. */
export interface Answer {
  /** 0 when no answer came. */
  readonly status_code: number
  readonly duration_ms: number
  /** Null when an answer came whole and in time, whatever its status. */
  readonly failure: Failure | null
  /** From `Retry-After`, milliseconds from the answer on. */
  readonly retry_after_ms: number | null
  /** The first kilobytes of the body. */
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
  /** Connections to one host at a time. */
  readonly perHost: number
  readonly connectWithinMs?: number
  readonly answerWithinMs?: number
  // In place of the internet's name servers, its addresses and its certificate authorities.
  readonly resolve?: Resolve
  readonly isPublic?: (address: string) => boolean
  readonly ca?: string
}

export interface Sender {
  /** How long `post` takes at the longest. */
  readonly answerWithinMs: number
  /** Posts JSON; never rejects, never follows a redirect. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer>
  /** Ends the connections; what is under way fails. */
  close(): Promise<void>
}

const CONNECT_WITHIN_MS = 5_000
export const ANSWER_WITHIN_MS = 15_000
/** Of an answer's body, what the delivery log keeps. */
export const KEPT_BODY_BYTES = 4_096
// What is read, so that the connection can be used again; a longer answer is cut off together with its connection.
const READ_BODY_BYTES = 65_536
// An endpoint cannot put a notification off for longer than the schedule's longest step.
const LONGEST_RETRY_AFTER_MS = 86_400_000

/** The one sender of notifications: validation, tests and deliveries all go through it, and through its guard. */
export function openSender(options: SenderOptions): Sender {
  const { connectWithinMs = CONNECT_WITHIN_MS, answerWithinMs = ANSWER_WITHIN_MS } = options
  const agent = new Agent({
    connections: options.perHost,
    // The timer below is over everything from the name to the last byte; undici's own are coarser and start later.
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

  async function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
    const startedAt = performance.now()
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), answerWithinMs)
    const took = (): number => Math.round(performance.now() - startedAt)
    let status_code = 0
    let retry_after_ms: number | null = null
    const kept: Buffer[] = []
    const text = (): string => Buffer.concat(kept).subarray(0, KEPT_BODY_BYTES).toString('utf8')
    try {
      const answer = await agent.request({
        ...splitUrl(url),
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Platbook-Webhooks', ...headers },
        body,
        signal: stop.signal,
      })
      status_code = answer.statusCode
      retry_after_ms = parseRetryAfter(answer.headers['retry-after'], options.now().getTime())
      await readStart(answer.body, kept)
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
    // Leaving the loop ends the connection.
    if (size >= READ_BODY_BYTES) return
  }
}

/** Milliseconds that `Retry-After` (seconds or a date) asks for from `at` on; null when it says nothing usable. */
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

// Errors of undici and Node are told apart by their code; not all have one. The error about a name whose addresses all
// failed has the code of the first.
function failureOf(error: unknown): Failure {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const text = String(code ?? name)
  return FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? 'connection_lost'
}
