import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type Clock, dayOf } from '../clock.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { State } from '../state/open.ts'
import { openWebhooks, type WebhooksOptions } from '../webhooks/open.ts'
import { endpointsPlugin } from './endpoint.ts'
import { ENVELOPE_ERRORS, envelope, refusedRequest } from './errors.ts'
import { Meter } from './meter.ts'
import { sendJson } from './reply.ts'
import { account } from './routes/account.ts'
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
import type { Snapshots } from './snapshots.ts'
import { createTraceIds } from './trace.ts'

export interface AppOptions {
  readonly config: Pick<
    Config,
    'LOG_LEVEL' | 'RATE_LIMIT_PER_SECOND' | 'RATE_LIMIT_BURST' | 'UPGRADE_URL' | 'INTERNAL_TOKENS'
  > &
    WebhooksOptions['config']
  /** Stays the caller's own: the app writes what is under way when it closes, and leaves it open. */
  readonly state: State
  /** Called once; the app closes what it gives. */
  readonly openSnapshots: () => Promise<Snapshots>
  readonly now: Clock
  readonly log: Log
  /** What a test has in place of the internet. */
  readonly internet?: WebhooksOptions['internet']
}

/** A stop waits this long for requests under way before it cuts their connections. */
const STOP_WITHIN_MS = 10_000
const SWEEP_EVERY_MS = 50
/** Whoever takes longer to send a request is cut off; Fastify's own default is to wait for ever. */
const RECEIVE_WITHIN_MS = 30_000
// Four times the longest address that is answered with 414 in an envelope; what is longer still, Node refuses.
const MOST_HEADER_BYTES = 32_768

// A refusal of the internal endpoints shows what it refuses.
const REPORT_INPUT = { reportInput: true } as const

/** The whole HTTP service, not yet listening. */
export async function buildApp({
  config,
  state,
  openSnapshots,
  now,
  log,
  internet = {},
}: AppOptions): Promise<FastifyInstance> {
  const traceId = createTraceIds()
  const app = Fastify({
    logger: false,
    genReqId: traceId,
    exposeHeadRoutes: false,
    // A request that arrives on an open connection while the server stops is answered, and its connection closed.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MOST_HEADER_BYTES },
    requestTimeout: RECEIVE_WITHIN_MS,
    http: { maxHeaderSize: MOST_HEADER_BYTES },
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-trace-id', request.id)
      sendError(error, request, reply)
    },
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, traceId()),
  })
  const meter = new Meter({
    state,
    now,
    limit: { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST },
    upgradeUrl: config.UPGRADE_URL,
  })

  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => {
    const part = httpPart === 'params' ? 'path' : httpPart === 'body' ? 'body' : 'query'
    return (data) => {
      const result = schema.safeParse(data, REPORT_INPUT)
      return result.success ? { value: result.data } : { error: refusedRequest(part, result.error) }
    }
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('taken', null)
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('startedAt', 0)
  app.setErrorHandler(sendError)

  const sendUnknownRoute = (request: FastifyRequest, reply: FastifyReply): void => {
    meter.recordUnmatched(request, 404)
    sendError(
      new AppError('not_found', `there is no resource for ${request.method} at this address`),
      request,
      reply,
    )
  }
  app.setNotFoundHandler(sendUnknownRoute)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'x-trace-id': request.id, 'cache-control': 'no-store' })
    // Answered here and not behind the body parser, which would say 415 or 413 of a resource that isn't there.
    if (request.is404) sendUnknownRoute(request, reply)
    else done()
  })
  if (config.LOG_LEVEL === 'debug') logRequests(app, log)

  const webhooks = openWebhooks({ state, config, now, internet })
  const snapshots = await openSnapshots()
  app.addHook('onClose', async () => {
    await state.events.flush()
    await snapshots.close()
    await webhooks.close()
  })
  app.addHook('preClose', (done) => {
    letGo(app.server)
    done()
  })
  await app.register(endpointsPlugin)
  const options = {
    meter,
    snapshots,
    state,
    webhooks,
    internalTokens: config.INTERNAL_TOKENS,
    today: dayCache(),
  }
  for (const routes of [
    health,
    reference,
    person,
    personV1,
    property,
    phone,
    regions,
    account,
    webhookRoutes,
    events,
    internal,
  ])
    await app.register(routes, options)
  return app

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const style = request.routeOptions.config.errors ?? ENVELOPE_ERRORS
    const { status, body } = style.answerTo(error, request.id)
    if (status === 500) logFailure(log, error, request)
    sendJson(reply, status, JSON.stringify(body))
  }
}

// Node closes what idles when a stop begins; a connection that was busy then idles later, and would hold up the stop.
function letGo(server: Server): void {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS).unref()
  const end = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS).unref()
  server.once('close', () => {
    clearInterval(sweep)
    clearTimeout(end)
  })
}

// What isn't HTTP, or has more header bytes than a request may have, never becomes a request.
function refuseUnparsed(error: Error & { code?: string }, socket: Socket, traceId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const long_message = 'the request could not be read as HTTP'
  const body = JSON.stringify(envelope(status, long_message, traceId))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Trace-Id: ${traceId}\r\nConnection: close\r\n\r\n${body}`,
  )
}

// Access events keep every request already; lines of them are for looking at a server on the desk.
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

// Another library's message may quote what it was given, which may be a name or a number: only ours are logged.
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

// Formatting a date costs as much as finding a person does; a day is good for 86 million milliseconds.
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
