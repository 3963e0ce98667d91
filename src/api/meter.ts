import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Clock } from '../clock.ts'
import { type Caller, KeyRing, type RateLimit } from '../state/key-ring.ts'
import type { Invitation } from '../state/keys.ts'
import type { State } from '../state/open.ts'
import { startOfNextMonth } from '../state/usage.ts'
import { isBillable, type Price } from './billing.ts'
import { envelope } from './errors.ts'
import { sendJson } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key has been accepted, until the access event is recorded. */
    caller: Caller | null
    /** Arrival, milliseconds since 1970. */
    arrivedAt: number
    /** Arrival by the monotonic clock, milliseconds. */
    startedAt: number
  }
}

export interface MeteredRoute extends Price {
  /** The template that access events show: `/v2/person/{id}`. */
  readonly route: string
  /** What the account must be invited to; without it the key is refused with 403. */
  readonly invitation?: Invitation
  /** The events search: a bad key is 401 `unauthorized`, throttling `rate_limited`, both in the envelope. */
  readonly hasErrorCodes?: boolean
}

export interface MeterOptions {
  readonly state: State
  readonly now: Clock
  readonly limit: RateLimit
  readonly upgradeUrl: string
}

const FORBIDDEN = Buffer.from(JSON.stringify({ message: 'Forbidden' }))
const TOO_MANY = Buffer.from(JSON.stringify({ message: 'Too Many Requests' }))
const LONGEST_URL = 8_000

const UNMATCHED: MeteredRoute = { route: '(none)', isBillable: false, isNotFoundBillable: false }

/** Who may call, how often, and what is written of it. The hooks are synchronous: they cost well under a microsecond. */
export class Meter {
  readonly #options: MeterOptions
  readonly #ring: KeyRing

  constructor(options: MeterOptions) {
    this.#options = options
    this.#ring = new KeyRing(options.state.keys, options.state.usage, options.limit)
  }

  /** The hooks of a route that needs a key. */
  hooks(route: MeteredRoute) {
    return {
      onRequest: (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
        if (!this.#admit(route, request, reply)) return
        done()
      },
      onSend: (
        request: FastifyRequest,
        reply: FastifyReply,
        _payload: unknown,
        done: HookHandlerDoneFunction,
      ): void => {
        this.#record(route, request, reply.raw.statusCode)
        done()
      },
    }
  }

  /** For a request that no route takes: a valid key leaves its event all the same. */
  recordUnmatched(request: FastifyRequest, status: number): void {
    this.#identify(request)
    this.#record(UNMATCHED, request, status)
  }

  #identify(request: FastifyRequest): Caller | null {
    const at = this.#options.now().getTime()
    const secret = request.raw.headers['x-api-key']
    const caller = typeof secret === 'string' ? this.#ring.find(secret, at) : null
    request.arrivedAt = at
    request.startedAt = performance.now()
    request.caller = caller
    return caller
  }

  // False when the reply has been sent.
  #admit(route: MeteredRoute, request: FastifyRequest, reply: FastifyReply): boolean {
    const caller = this.#identify(request)
    if (caller === null) {
      if (route.hasErrorCodes === true) sendCode(request, reply, 'unauthorized')
      else sendJson(reply, 403, FORBIDDEN)
      return false
    }
    const wait = caller.bucket.take(request.arrivedAt)
    if (wait > 0) {
      void reply.header('retry-after', String(Math.ceil(wait)))
      if (route.hasErrorCodes === true) sendCode(request, reply, 'rate_limited')
      else sendJson(reply, 429, TOO_MANY)
      return false
    }
    if (route.invitation !== undefined && !caller.key.invitations.includes(route.invitation)) {
      sendJson(reply, 403, FORBIDDEN)
      return false
    }
    if (route.isBillable && caller.key.monthly_cap !== null) {
      const used = this.#options.state.usage.used(caller.key.api_key_id, request.arrivedAt)
      if (used >= caller.key.monthly_cap) {
        this.#sendOverCap(request, reply, caller.key.monthly_cap, used)
        return false
      }
    }
    if ((request.raw.url ?? '').length > LONGEST_URL) {
      const long_message = `the address of a request has at most ${LONGEST_URL} characters`
      sendJson(reply, 414, JSON.stringify(envelope({ status: 414, long_message, meta: null }, request.id)))
      return false
    }
    return true
  }

  #sendOverCap(request: FastifyRequest, reply: FastifyReply, limit: number, used: number): void {
    const resetAt = startOfNextMonth(request.arrivedAt)
    reply.header('retry-after', String(Math.ceil((resetAt - request.arrivedAt) / 1000)))
    const body = {
      message: `The monthly cap of ${limit} requests is used up.`,
      error: 'usage_cap_exceeded',
      error_instance_id: request.id,
      limit,
      used,
      reset_at: new Date(resetAt).toISOString().replace('.000Z', '+00:00'),
      upgrade_url: this.#options.upgradeUrl,
    }
    sendJson(reply, 429, JSON.stringify(body))
  }

  #record(route: MeteredRoute, request: FastifyRequest, status: number): void {
    const { caller } = request
    if (caller === null) return
    request.caller = null
    this.#options.state.events.record({
      event_ts: request.arrivedAt,
      trace_id: request.id,
      api_key_id: caller.key.api_key_id,
      http_method: request.raw.method ?? '',
      route: route.route,
      status_code: status,
      duration_ms: Math.max(0, Math.round(performance.now() - request.startedAt)),
      billable: !caller.key.is_test && isBillable(route, status),
    })
  }
}

const CODES = {
  unauthorized: { status: 401, long_message: 'the X-Api-Key header is missing, or its key is not valid' },
  rate_limited: {
    status: 429,
    long_message: 'too many requests: try again after the seconds in Retry-After',
  },
} as const

function sendCode(request: FastifyRequest, reply: FastifyReply, code: keyof typeof CODES): void {
  const { status, long_message } = CODES[code]
  sendJson(reply, status, JSON.stringify(envelope({ status, code, long_message, meta: null }, request.id)))
}
