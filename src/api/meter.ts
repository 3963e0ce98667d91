import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Capped } from '../state/allowances.ts'
import { type Caller, KeyRing, type RateLimit } from '../state/key-ring.ts'
import type { Invitation } from '../state/keys.ts'
import type { State } from '../state/open.ts'
import { monthOf, startOfNextMonth } from '../state/usage.ts'
import { FREE, isBillable, type Price } from './billing.ts'
import type { Access } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key has been accepted, until the access event is recorded. */
    caller: Caller | null
    /** Whose cap this request was taken off, until the access event says whether it is billed. */
    taken: Capped | null
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
    this.#ring = new KeyRing(options.state.keys, options.limit)
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
    const { api_key_id, monthly_cap, is_test } = key
    if (route.price.isBillable && monthly_cap !== null && !is_test) {
      const capped = { api_key_id, monthly_cap }
      if (!this.#options.state.allowances.take(capped, request.arrivedAt)) {
        return this.#overCap(request, reply, capped)
      }
      request.taken = capped
    }
    if ((request.raw.url ?? '').length > LONGEST_URL) {
      return new AppError('uri_too_long', `the address of a request has at most ${LONGEST_URL} characters`)
    }
    return null
  }

  #overCap(request: FastifyRequest, reply: FastifyReply, { api_key_id, monthly_cap }: Capped): AppError {
    // The last requests of the month may not be written yet; what is refused has used up all of it.
    const written = this.#options.state.usage.written(api_key_id, monthOf(request.arrivedAt))
    const resetAt = startOfNextMonth(request.arrivedAt)
    void reply.header('retry-after', String(Math.ceil((resetAt - request.arrivedAt) / 1000)))
    return new AppError('usage_cap_exceeded', `The monthly cap of ${monthly_cap} requests is used up.`, {
      details: {
        limit: monthly_cap,
        used: Math.max(written, monthly_cap),
        reset_at: new Date(resetAt).toISOString().replace('.000Z', '+00:00'),
        upgrade_url: this.#options.upgradeUrl,
      },
    })
  }

  #record(route: MeteredRoute, request: FastifyRequest, status: number): void {
    const { caller } = request
    if (caller === null) return
    request.caller = null
    const billable = !caller.key.is_test && isBillable(route.price, status)
    if (request.taken !== null) {
      if (!billable) this.#options.state.allowances.giveBack(request.taken, request.arrivedAt)
      request.taken = null
    }
    this.#options.state.events.record({
      event_ts: request.arrivedAt,
      trace_id: request.id,
      api_key_id: caller.key.api_key_id,
      http_method: request.raw.method ?? '',
      route: route.path,
      status_code: status,
      duration_ms: Math.max(0, Math.round(performance.now() - request.startedAt)),
      billable,
    })
  }
}
