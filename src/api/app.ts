// Warning: `reply.ts` sends most responses past Fastify (`reply.hijack()`). Fastify's `onSend` hooks and serializers do not run for
// these responses. A rule for every response must be in both `prepareRequests` below and `reply.ts`. The reasons and the figures are
// in decisions/001-reply-hijack.md.
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import type { z } from 'zod'
import { type Clock, dayOf } from '../clock.ts'
import type { Config } from '../config.ts'
import { DiskSpace } from '../enrich/jobs/disk-space.ts'
import type { InputLimits } from '../enrich/read/read-input.ts'
import { AppError } from '../errors.ts'
import { EventRegions } from '../events/event-regions.ts'
import type { Log } from '../log.ts'
import type { State } from '../state/open.ts'
import { openWebhooks, type WebhooksOptions } from '../webhooks/open.ts'
import { compileFlat } from './compiled-flat.ts'
import {
  BodyTimeouts,
  closeWithoutLoss,
  RECEIVE_TIMES,
  type ReceiveTimes,
  refuseUnparsed,
} from './connections.ts'
import { endpointsPlugin } from './endpoint.ts'
import { ENVELOPE_ERRORS, refusedRequest } from './errors.ts'
import { headerFault } from './header-faults.ts'
import { Load } from './load.ts'
import { Meter } from './meter.ts'
import { type ConnectionLimits, OpenConnections, REFUSAL_SLOTS } from './open-connections.ts'
import { connectionsWithin } from './open-files-limit.ts'
import { Metrics, type Reading } from './metrics.ts'
import { Envelopes, HEADERS, JSON_TYPE, reportResponse } from './reply.ts'
import { openJobs } from './jobs.ts'
import { account } from './routes/account.ts'
import { enrichments } from './routes/enrichments.ts'
import { events } from './routes/events.ts'
import { health } from './routes/health.ts'
import { internal } from './routes/internal.ts'
import { person } from './routes/person.ts'
import { personV1 } from './routes/person-v1.ts'
import { phone } from './routes/phone.ts'
import { property } from './routes/property.ts'
import { reference } from './routes/reference.ts'
import { regions } from './routes/regions.ts'
import { webhooks as webhookRoutes } from './routes/webhooks.ts'
import { Served } from './served.ts'
import { Slots } from './slots.ts'
import type { Snapshots } from './snapshots.ts'
import { createTraceIds } from './trace.ts'
import { proxyTest } from './trusted-proxies.ts'

export interface AppOptions {
  readonly config: Config
  /** The caller opens and closes the state. The app writes its waiting access events when it closes. */
  readonly state: State
  /** Called once. The app closes the returned snapshots. */
  readonly openSnapshots: () => Promise<Snapshots>
  /** As `openSnapshots`, for the invented people that API keys of kind `test` get. */
  readonly openTestSnapshots: () => Promise<Snapshots>
  readonly now: Clock
  readonly log: Log
  /** Replacements of the internet, for tests. */
  readonly internet?: WebhooksOptions['internet']
  /** The system's limit of open files and connections of this process; null or absent when none is known. */
  readonly filesLimit?: number | null
  /** Time limits for receiving requests; tests use shorter ones. */
  readonly receiveTimes?: ReceiveTimes
}

const CHECK_CONNECTIONS_EVERY_MS = 5_000
// Longer than the minute for which proxies keep connections. The side that reuses a connection must close it first: otherwise it
// may send a request on a connection that the other side is closing.
const KEEP_ALIVE_MS = 72_000
// Node refuses longer headers with 431. Four times the longest URL (8,000 characters), so that most too long URLs get the 414 of
// `meter.ts`.
const MOST_HEADER_BYTES = 32_768

// Errors of the internal endpoints contain the refused input.
const REPORT_INPUT = { reportInput: true } as const

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the counts of this process for /metrics. */
    readonly reading: () => Reading
    readonly meter: Meter
  }
  interface FastifyRequest {
    /** Time of arrival by the monotonic clock, milliseconds. */
    startedAt: number
  }
}

const MOST_BODY_BYTES = 65_536
/** Highest number of simultaneous calls to webhook endpoints that requests wait for, per process. */
const MOST_ENDPOINT_CALLS = 64

/** Builds the whole HTTP service. It does not listen yet. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, state, now, log, internet = {}, receiveTimes = RECEIVE_TIMES } = options
  const newTraceId = createTraceIds()
  const load = new Load(config.SHED_AFTER_MS)
  const metrics = new Metrics()
  const meter = new Meter({
    state,
    load,
    now,
    limit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST },
    upgradeUrl: config.UPGRADE_URL,
  })
  const sendError = errorSender(log)
  const sendUnmatched = unmatchedSender(meter, metrics, sendError)
  const sendUnknownRoute: SendUnknownRoute = (request, reply) => {
    const message = `no resource exists for ${request.method} and this path: /docs lists the operations`
    sendUnmatched(new AppError('not_found', message), 404, request, reply)
  }
  const app = createServer(config, receiveTimes, newTraceId, (error, request, reply) => {
    request.startedAt = performance.now()
    setHeaders(request, reply)
    sendUnmatched(error, error.statusCode ?? 400, request, reply)
  })
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(sendUnknownRoute)
  const bodyTimeouts = new BodyTimeouts(receiveTimes)
  bodyTimeouts.watch(app.server, newTraceId)
  const connections = new OpenConnections(connectionLimits(config, options.filesLimit ?? null, log), log)
  connections.watch(app.server)
  prepareRequests(app, connections, sendUnknownRoute)
  if (config.LOG_LEVEL === 'debug') logRequests(app, log)

  const webhooks = await openWebhooks({ state, config, now, internet })
  const snapshots = await options.openSnapshots()
  const served = new Served(snapshots, await options.openTestSnapshots())
  const eventRegions = new EventRegions(config.EVENT_STATES, webhooks.regions, () =>
    snapshots.version === null ? NO_COUNTIES : snapshots.use((lookup) => lookup.eventCounties),
  )
  const limits = inputLimits(config)
  const space = new DiskSpace(config.paths.out, config.ENRICHMENT_KEEP_FREE_MB * 2 ** 20)
  const jobs = openJobs({ config, served, state, meter, now, log, newTraceId, limits, space })
  app.decorate('meter', meter)
  app.decorate('reading', () =>
    metrics.read({
      snapshot: snapshots.version,
      snapshotChanges: snapshots.changeCount,
      inFlight: load.inFlight,
      eventsWaiting: state.events.waitingCount,
      connections: connections.read(),
    }),
  )
  app.addHook('onReady', async () => {
    jobs.start()
    state.servers?.follow((count) => meter.ring.share(count))
  })
  app.addHook('preClose', async () => closeWithoutLoss(app.server))
  app.addHook('onClose', async () => {
    await jobs.close()
    await state.events.finish()
    await served.close()
    await webhooks.close()
    metrics.close()
  })
  await app.register(endpointsPlugin, { load, metrics })
  const uploads = {
    jobs,
    bodyTimeouts,
    limits,
    space,
    slots: new Slots('uploads', { account: config.UPLOADS_PER_ACCOUNT, total: config.UPLOADS_AT_ONCE }),
    longestPause: receiveTimes.pause,
    leastRate: config.UPLOAD_LEAST_BYTES_PER_SECOND,
  }
  const endpointCalls = new Slots('calls to endpoints', {
    account: config.WEBHOOK_CALLS_PER_ACCOUNT,
    total: MOST_ENDPOINT_CALLS,
  })
  const envelopes = new Envelopes()
  const today = dayCache()
  const handed = {
    meter,
    load,
    endpointCalls,
    served,
    state,
    webhooks,
    eventRegions,
    jobs,
    uploads,
    envelopes,
    internalTokens: config.INTERNAL_TOKENS,
    today,
    now,
  }
  for (const routes of ROUTES) await app.register(routes, handed)
  return app
}

const NO_COUNTIES: ReadonlySet<string> = new Set()

function connectionLimits(config: Config, filesLimit: number | null, log: Log): ConnectionLimits {
  const { CONNECTIONS_MOST: wanted, CONNECTIONS_MOST_PER_ADDRESS: mostPerAddress, TRUSTED_PROXIES } = config
  const possible = filesLimit === null ? wanted : Math.max(1, connectionsWithin(filesLimit) - REFUSAL_SLOTS)
  if (possible < wanted) {
    log.warn(
      { connections: possible, wanted, open_files: filesLimit },
      'the limit of open files leaves fewer connections than CONNECTIONS_MOST: raise it (ulimit -n, or LimitNOFILE of the unit)',
    )
  }
  return { most: Math.min(wanted, possible), mostPerAddress, isProxy: proxyTest(TRUSTED_PROXIES) }
}

function inputLimits(config: Config): InputLimits {
  return {
    bytes: config.ENRICHMENT_MOST_UNZIPPED_MB * 2 ** 20,
    rows: config.ENRICHMENT_MOST_ROWS,
    ratio: config.ENRICHMENT_MOST_RATIO,
  }
}

const ROUTES = [
  health,
  reference,
  person,
  personV1,
  property,
  phone,
  regions,
  account,
  enrichments,
  webhookRoutes,
  events,
  internal,
]

type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
type SendUnknownRoute = (request: FastifyRequest, reply: FastifyReply) => void

/** Creates the Fastify server. `refuse` answers requests that reach no route because their URL cannot be decoded. */
function createServer(
  config: Config,
  receiveTimes: ReceiveTimes,
  newTraceId: () => string,
  refuse: NonNullable<FastifyServerOptions['frameworkErrors']>,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: newTraceId,
    exposeHeadRoutes: false,
    // A request that arrives on an open connection during a stop is answered, and then its connection is closed.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MOST_HEADER_BYTES },
    bodyLimit: MOST_BODY_BYTES,
    trustProxy: config.TRUSTED_PROXIES ?? false,
    // Without this, Fastify waits forever.
    requestTimeout: receiveTimes.upload,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: receiveTimes.request,
      connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS,
      // Do not wait for the end of an empty body, which takes time in each request. `emptyBody` in endpoint.ts is the other part.
      optimizeEmptyRequests: true,
      // `header-faults.ts` checks the Host header and answers with the error envelope.
      requireHostHeader: false,
    },
    frameworkErrors: refuse,
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, newTraceId()),
  })
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => {
    const part = httpPart === 'params' ? 'path' : httpPart === 'body' ? 'body' : 'query'
    const accept = part === 'body' ? () => null : compileFlat(schema)
    return (data) => {
      const value = accept(data)
      if (value !== null) return { value }
      const result = schema.safeParse(data, REPORT_INPUT)
      return result.success ? { value: result.data } : { error: refusedRequest(part, result.error) }
    }
  })
  return app
}

const NO_CONNECTION_FREE = new AppError(
  'overloaded',
  'The service has reached its limit of connections. Try again in a few seconds.',
)

function prepareRequests(
  app: FastifyInstance,
  connections: OpenConnections,
  sendUnknownRoute: SendUnknownRoute,
): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('taken', null)
  app.decorateRequest('billedRows', null)
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('beforeResponse', null)
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    if (connections.isRefused(request.raw.socket)) {
      void reply.headers({ connection: 'close', 'retry-after': '1' })
      done(NO_CONNECTION_FREE)
      return
    }
    const fault = headerFault(request.raw)
    if (fault !== null) {
      done(fault)
      return
    }
    // Answer unknown routes before the body parser, which might answer 415 or 413 instead of 404.
    if (request.is404) sendUnknownRoute(request, reply)
    else done()
  })
  // For responses that Fastify sends. `reply.ts` does the same for the responses it sends itself.
  app.addHook('onSend', (request, reply, _payload, done) => {
    setHeaders(request, reply)
    reportResponse(request, reply.raw.statusCode)
    done()
  })
}

const ALWAYS = Object.entries(HEADERS)

function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of ALWAYS) if (!reply.hasHeader(name)) void reply.header(name, value)
  void reply.header('x-trace-id', request.id)
}

/** Returns a function that answers requests without a route. They are counted and leave an access event, too. */
function unmatchedSender(meter: Meter, metrics: Metrics, sendError: SendError) {
  const unmatched = metrics.route('ANY', '(none)')
  return (error: unknown, status: number, request: FastifyRequest, reply: FastifyReply): void => {
    const took = performance.now() - request.startedAt
    meter.recordUnmatched(request, status, took)
    unmatched.add(status, took)
    sendError(error, request, reply)
  }
}

function errorSender(log: Log): SendError {
  return (error, request, reply) => {
    const style = request.routeOptions.config.errors ?? ENVELOPE_ERRORS
    const { status, body } = style.responseTo(error, request.id)
    if (status === 500) logFailure(log, error, request)
    void reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body))
  }
}

// One log line per request, for debugging only: the access events already record every request.
function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    log.debug(
      {
        trace_id: request.id,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
}

// Logs the message of our own errors only. Messages of other libraries may quote their input, which may be personal data.
function logFailure(log: Log, error: unknown, request: FastifyRequest): void {
  const { name, code, stack, message } = error as {
    name?: string
    code?: string
    stack?: string
    message?: string
  }
  log.error(
    {
      trace_id: request.id,
      route: request.routeOptions.url ?? null,
      error: name ?? typeof error,
      code: code ?? null,
      reason: error instanceof AppError ? message : null,
      at: (stack ?? '').split('\n').filter((line) => line.startsWith('    at ')),
    },
    'request failed',
  )
}

// Returns a function that formats the UTC day of a time. It caches the current day, because formatting for each request is slow.
function dayCache(): (at: number) => string {
  let number = Number.NaN
  let day = ''
  return (at) => {
    const wanted = Math.floor(at / 86_400_000)
    if (wanted !== number) {
      number = wanted
      day = dayOf(new Date(at))
    }
    return day
  }
}
