import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Capped } from '../state/allowances.ts'
import { type Caller, KeyRing, type RateLimit } from '../state/key-ring.ts'
import type { Invitation } from '../state/accounts.ts'
import type { State } from '../state/open.ts'
import { type Given, plannedFailure } from '../scenarios/scenarios.ts'
import { allows, type Scope } from '../state/scopes.ts'
import { monthOf, startOfNextMonth } from '../state/usage.ts'
import { TokenBuckets } from '../state/token-buckets.ts'
import { FREE, isBillable, type Price } from './billing.ts'
import type { Access } from './endpoint.ts'
import type { Load } from './load.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The holder of the accepted key; null without one. */
    caller: Caller | null
    /** The account whose cap this request was counted against. `#record` gives the request back when it is not billed. */
    taken: Capped | null
    /** Number of rows to bill for an input file. Null: the price of the route applies. */
    billedRows: number | null
    /** Time of arrival, milliseconds since 1970. */
    arrivedAt: number
  }
}

export interface MeterOptions {
  readonly state: State
  readonly now: Clock
  readonly limit: RateLimit
  readonly upgradeUrl: string
  readonly load: Load
}

const LONGEST_URL = 8_000

// These errors are created once, because creating the stack of an error for each refusal is slow.
// All refusals of a key have one message, so that it does not reveal whether an unknown holder's key is valid.
const REFUSED_KEY =
  'The header X-Api-Key is missing, or its key may not make this request. Check the key, its scopes and its allowed addresses with the operator.'
const UNAUTHORIZED = new AppError('unauthorized', REFUSED_KEY)
const FORBIDDEN = new AppError('forbidden', REFUSED_KEY)
const RATE_LIMITED = new AppError(
  'rate_limited',
  'Too many requests. Wait for the number of seconds in the header Retry-After, then try again.',
)
const OVERLOADED = new AppError('overloaded', 'The service is overloaded. Try again in a few seconds.')

const QUERY_TIMEOUT = new AppError(
  'query_timeout',
  'This request of a test key always fails like a search that takes too long.',
)

interface MeteredRoute {
  readonly path: string
  readonly price: Price
  /** The scope that the key needs; null for none. */
  readonly scope: Scope | null
  /** The invitation that the account needs; null for none. */
  readonly invitation: Invitation | null
}

const UNMATCHED: MeteredRoute = { path: '(none)', price: FREE, scope: null, invitation: null }

/**
 * Checks keys, rates and monthly caps, and records access events. To keep requests fast, the hooks wait only when the key must be
 * read or requests must be claimed.
 */
export class Meter {
  readonly #options: MeterOptions
  /** The keys in use by this process. Workers exchange their counts of requests through it (src/cli/workers.ts). */
  readonly ring: KeyRing
  // Each unknown key costs a query of the state file, so an address may try 5 a second and 50 at once. The limit is high
  // enough that a caller with a typo in a script still gets 403 and not 429.
  readonly #wrongKeys = new TokenBuckets(5, 50)

  constructor(options: MeterOptions) {
    this.#options = options
    this.ring = new KeyRing(options.state.keys, options.limit)
  }

  /** Access for keys with `scope`, of accounts with `invitation` if one is given. Every request leaves an access event. */
  key(scope: Scope, price: Price, invitation: Invitation | null = null): Access {
    return {
      scheme: 'ApiKey',
      scope,
      hooks: (path) => {
        const route = { path, price, scope, invitation }
        return {
          onRequest: (request, reply, done) => {
            const refusal = this.#refuse(route, request, reply)
            if (refusal instanceof Promise) void finish(refusal, done)
            else done(refusal ?? undefined)
          },
          beforeResponse: (request, status, took) => this.#record(route, request, status, took),
        }
      },
    }
  }

  /** Access without a key and without limits. A request with a valid key still leaves an access event. */
  anyone(): Access {
    return {
      scheme: null,
      hooks: (path) => {
        const route = { ...UNMATCHED, path }
        return {
          onRequest: (request, _reply, done) => {
            const identified = this.#identifyAnyone(request)
            if (identified instanceof Promise) void finish(identified, done)
            else done()
          },
          beforeResponse: (request, status, took) => this.#record(route, request, status, took),
        }
      },
    }
  }

  /** Returns whether the caller's billed requests count against a monthly cap. */
  isCapped({ caller }: FastifyRequest): boolean {
    return cappedOf(caller) !== null
  }

  /**
   * Counts rows of an input file against the caller's monthly cap before they are looked up. Returns how many rows may be billed;
   * null without a cap. `billRows` or `giveRowsBack` gives unused rows back. @throws `usage_cap_exceeded` when the cap is used up.
   */
  async takeRows(request: FastifyRequest, rows: number): Promise<number | null> {
    const capped = cappedOf(request.caller)
    if (capped === null) return null
    let taken = 0
    while (taken < rows && (await this.#options.state.allowances.take(capped, request.arrivedAt))) taken++
    if (taken === 0) throw await this.#overCap(request, null, capped)
    return taken
  }

  /** Bills a request by rows. `granted`: the result of `takeRows`. */
  billRows(request: FastifyRequest, rows: number, granted: number | null): void {
    request.billedRows = rows
    const key = request.caller?.key
    if (granted !== null && key !== undefined)
      this.giveRowsBack(key.account_id, granted - rows, request.arrivedAt)
  }

  /** Reverts `billRows` for a request that failed afterwards. */
  unbill(request: FastifyRequest): void {
    const key = request.caller?.key
    const rows = request.billedRows ?? 0
    request.billedRows = 0
    if (key !== undefined && cappedOf(request.caller) !== null)
      this.giveRowsBack(key.account_id, rows, request.arrivedAt)
  }

  /** Gives rows back to the cap of the month of `takenAt` (milliseconds since 1970). */
  giveRowsBack(account_id: string, rows: number, takenAt: number): void {
    if (rows > 0) void this.#options.state.allowances.giveBack(account_id, takenAt, rows)
  }

  /** Records a request without a route. It leaves an access event if its key is valid. */
  recordUnmatched(request: FastifyRequest, status: number, took: number): void {
    // A request whose URL cannot be decoded skips the hooks that set these fields.
    request.caller = null
    request.taken = null
    request.billedRows = null
    const identified = this.#identifyAnyone(request)
    if (identified instanceof Promise) {
      // Without its key, the request leaves no access event.
      identified.then(() => this.#record(UNMATCHED, request, status, took)).catch(() => undefined)
    } else this.#record(UNMATCHED, request, status, took)
  }

  // Sets the caller on the request if its key is valid. A key from an address that it does not allow is ignored.
  #identifyAnyone(request: FastifyRequest): null | Promise<null> {
    return after(this.#identify(request, null), (refusal) => {
      if (refusal !== null) request.caller = null
      return null
    })
  }

  // Checks the key and sets the caller on the request. Also sets the caller when it refuses the address of the request, because
  // such a request leaves an access event.
  #identify(request: FastifyRequest, reply: FastifyReply | null): AppError | null | Promise<AppError | null> {
    const at = this.#options.now().getTime()
    request.arrivedAt = at
    const secret = request.raw.headers['x-api-key']
    if (typeof secret !== 'string') return UNAUTHORIZED
    const isKnown = this.ring.has(secret)
    const wait = isKnown ? 0 : this.#wrongKeys.take(request.ip, at)
    if (wait > 0) return rateLimited(reply, wait)
    return after(this.ring.find(secret, at), (caller) => this.#accept(request, reply, caller, isKnown))
  }

  #accept(
    request: FastifyRequest,
    reply: FastifyReply | null,
    caller: Caller | null,
    isKnown: boolean,
  ): AppError | null {
    if (caller === null) return UNAUTHORIZED
    if (caller.allowed !== null && !caller.allowed.includes(request.ip)) {
      // Limit requests from other addresses, so that they use up neither the rate of the key nor fill the access events.
      const waitForAddress = isKnown ? this.#wrongKeys.take(request.ip, request.arrivedAt) : 0
      if (waitForAddress > 0) return rateLimited(reply, waitForAddress)
      request.caller = caller
      return FORBIDDEN
    }
    if (!isKnown) this.#wrongKeys.giveBack(request.ip)
    request.caller = caller
    return null
  }

  #refuse(
    route: MeteredRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): AppError | null | Promise<AppError | null> {
    return after(this.#identify(request, reply), (refusal) => this.#charge(route, request, reply, refusal))
  }

  #charge(
    route: MeteredRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: AppError | null,
  ): AppError | null | Promise<AppError | null> {
    const { caller } = request
    if (refusal !== null || caller === null) return refusal
    if (this.#options.load.isTooMuch(request.startedAt)) {
      void reply.header('retry-after', '1')
      return OVERLOADED
    }
    const wait = caller.bucket.take(request.arrivedAt)
    if (wait > 0) return rateLimited(reply, wait)
    if (route.scope !== null && !allows(caller.key.scopes, route.scope)) return FORBIDDEN
    if (route.invitation !== null && !caller.key.invitations.includes(route.invitation)) return FORBIDDEN
    const capped = route.price.isBillable ? cappedOf(caller) : null
    if (capped === null) return this.#lastChecks(route, request, reply, caller)
    return after(this.#options.state.allowances.take(capped, request.arrivedAt), (isTaken) => {
      if (!isTaken) return this.#overCap(request, reply, capped)
      request.taken = capped
      return this.#lastChecks(route, request, reply, caller)
    })
  }

  #lastChecks(
    route: MeteredRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
  ): AppError | null | Promise<AppError | null> {
    if ((request.raw.url ?? '').length > LONGEST_URL) {
      return new AppError(
        'uri_too_long',
        `the URL of the request is too long: it may have at most ${LONGEST_URL} characters`,
      )
    }
    return caller.key.is_test ? this.#planned(route, request, reply, caller) : null
  }

  // Returns the failure that a request of a test key asks for. It has the same body as with a live key.
  #planned(
    route: MeteredRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    { key }: Caller,
  ): AppError | null | Promise<AppError> {
    const failure = plannedFailure(route.path, request.params as Given, request.query as Given)
    if (failure === null) return null
    if (failure === 'query_timeout') return QUERY_TIMEOUT
    if (failure === 'usage_cap_exceeded') {
      return this.#overCap(request, reply, {
        account_id: key.account_id,
        monthly_cap: key.monthly_cap ?? 1_000,
      })
    }
    void reply.header('retry-after', '1')
    return failure === 'rate_limited' ? RATE_LIMITED : OVERLOADED
  }

  async #overCap(
    request: FastifyRequest,
    reply: FastifyReply | null,
    { account_id, monthly_cap }: Capped,
  ): Promise<AppError> {
    // The last requests may not be written yet, so report at least the cap as used.
    const written = await this.#options.state.usage.written(account_id, monthOf(request.arrivedAt))
    const resetAt = startOfNextMonth(request.arrivedAt)
    void reply?.header('retry-after', String(Math.ceil((resetAt - request.arrivedAt) / 1000)))
    return new AppError('usage_cap_exceeded', `The monthly cap of ${monthly_cap} requests is used up.`, {
      details: {
        limit: monthly_cap,
        used: Math.max(written, monthly_cap),
        reset_at: new Date(resetAt).toISOString().replace('.000Z', '+00:00'),
        upgrade_url: this.#options.upgradeUrl,
      },
    })
  }

  #record(route: MeteredRoute, request: FastifyRequest, status: number, took: number): void {
    const { caller } = request
    if (caller === null) return
    const rows = request.billedRows
    const isDue = rows === null ? isBillable(route.price, status) : rows > 0
    const billable = caller.key.is_billed && isDue
    if (request.taken !== null) {
      if (!billable) void this.#options.state.allowances.giveBack(request.taken.account_id, request.arrivedAt)
      request.taken = null
    }
    this.#options.state.events.record({
      event_ts: request.arrivedAt,
      trace_id: request.id,
      api_key_id: caller.key.api_key_id,
      http_method: request.raw.method ?? '',
      route: route.path,
      status_code: status,
      duration_ms: Math.round(took),
      billable,
      ...(rows === null ? {} : { billed: rows }),
    })
  }
}

/** Ends a hook with the error that `refusal` resolves to, or with the error of its rejection. */
async function finish(refusal: Promise<AppError | null>, done: (error?: Error) => void): Promise<void> {
  let error: Error | undefined
  try {
    error = (await refusal) ?? undefined
  } catch (cause) {
    error = cause as Error
  }
  done(error)
}

/** Passes the value to `use`: at once, or when the promise of the value resolves. */
function after<T, Result>(
  value: T | Promise<T>,
  use: (value: T) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}

function rateLimited(reply: FastifyReply | null, seconds: number): AppError {
  void reply?.header('retry-after', String(Math.ceil(seconds)))
  return RATE_LIMITED
}

/** Returns the account with its cap; null when the caller has no cap or is not billed. */
function cappedOf(caller: Caller | null): Capped | null {
  if (caller === null) return null
  const { account_id, monthly_cap, is_billed } = caller.key
  return monthly_cap === null || !is_billed ? null : { account_id, monthly_cap }
}
