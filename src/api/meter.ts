import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { type Caller, KeyRing, type RateLimit } from '../state/key-ring.ts'
import type { Invitation } from '../state/keys.ts'
import type { State } from '../state/open.ts'
import { startOfNextMonth } from '../state/usage.ts'
import { FREE, isBillable, type Price } from './billing.ts'
import type { Access } from './endpoint.ts'

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

export interface MeterOptions {
  readonly state: State
  readonly now: Clock
  readonly limit: RateLimit
  readonly upgradeUrl: string
}

const LONGEST_URL = 8_000

interface MeteredRoute {
  readonly path: string
  readonly price: Price
  readonly invitation: Invitation | null
}

const UNMATCHED: MeteredRoute = { path: '(none)', price: FREE, invitation: null }

/** Who may call, how often, and what is written of it. The hooks are synchronous: they cost well under a microsecond. */
export class Meter {
  readonly #options: MeterOptions
  readonly #ring: KeyRing

  constructor(options: MeterOptions) {
    this.#options = options
    this.#ring = new KeyRing(options.state.keys, options.state.usage, options.limit)
  }

  /** A route that needs a key, and an invitation where one is named; every request leaves an access event. */
  key(price: Price, invitation: Invitation | null = null): Access {
    return {
      scheme: 'ApiKey',
      hooks: (path) => {
        const route = { path, price, invitation }
        return {
          onRequest: (request, reply, done) => {
            const refusal = this.#refuse(route, request, reply)
            if (refusal === null) done()
            else done(refusal)
          },
          onSend: (request, reply, _payload, done) => {
            this.#record(route, request, reply.raw.statusCode)
            done()
          },
        }
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

  #refuse(route: MeteredRoute, request: FastifyRequest, reply: FastifyReply): AppError | null {
    const caller = this.#identify(request)
    if (caller === null) return new AppError('unauthorized', 'Forbidden')
    const wait = caller.bucket.take(request.arrivedAt)
    if (wait > 0) {
      void reply.header('retry-after', String(Math.ceil(wait)))
      return new AppError('rate_limited', 'Too Many Requests')
    }
    const { key } = caller
    if (route.invitation !== null && !key.invitations.includes(route.invitation)) {
      return new AppError('forbidden', 'Forbidden')
    }
    if (route.price.isBillable && key.monthly_cap !== null) {
      const used = this.#options.state.usage.used(key.api_key_id, request.arrivedAt)
      if (used >= key.monthly_cap) return this.#overCap(request, reply, key.monthly_cap, used)
    }
    if ((request.raw.url ?? '').length > LONGEST_URL) {
      return new AppError('uri_too_long', `the address of a request has at most ${LONGEST_URL} characters`)
    }
    return null
  }

  #overCap(request: FastifyRequest, reply: FastifyReply, limit: number, used: number): AppError {
    const resetAt = startOfNextMonth(request.arrivedAt)
    void reply.header('retry-after', String(Math.ceil((resetAt - request.arrivedAt) / 1000)))
    return new AppError('usage_cap_exceeded', `The monthly cap of ${limit} requests is used up.`, {
      details: {
        limit,
        used,
        reset_at: new Date(resetAt).toISOString().replace('.000Z', '+00:00'),
        upgrade_url: this.#options.upgradeUrl,
      },
    })
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
      route: route.path,
      status_code: status,
      duration_ms: Math.max(0, Math.round(performance.now() - request.startedAt)),
      billable: !caller.key.is_test && isBillable(route.price, status),
    })
  }
}
