import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { envelope } from './errors.ts'
import { HEADERS, JSON_TYPE } from './reply.ts'

/** A stop waits this long for requests in progress. Then it closes their connections. */
const STOP_WITHIN_MS = 10_000
/** Idle connections stay open this long after the start of a stop, because a request may already be on its way. */
const LINGER_MS = 250
const SWEEP_EVERY_MS = 50

/**
 * Makes the stop of a server lose no request. Call it just before the server closes. Node would close idle connections at once,
 * although a request may be on its way. This function keeps them open for a moment. A connection with a request closes with its
 * response. Connections without a request are closed after `LINGER_MS`.
 */
export function closeWithoutLoss(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  // The closing server would call it at once.
  server.closeIdleConnections = () => {}
  // A busy event loop runs timers before it reads sockets, and `setImmediate` after that. So data that has already arrived is read
  // before a connection counts as idle.
  const closeUnread = (): void => void setImmediate(closeIdle)
  let sweep: NodeJS.Timeout | null = null
  const linger = setTimeout(() => {
    closeUnread()
    sweep = setInterval(closeUnread, SWEEP_EVERY_MS)
  }, LINGER_MS)
  const end = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS)
  server.once('close', () => {
    clearTimeout(linger)
    if (sweep !== null) clearInterval(sweep)
    clearTimeout(end)
  })
}

/** After a refusal, the connection is closed after this time if the caller has not closed it. */
const REFUSED_STAY_MS = 1_000

const UNREADABLE = { status: 400, reason: 'the request could not be read as HTTP' }
const REFUSALS: Readonly<Record<string, typeof UNREADABLE>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'the URL and the headers of the request are too long: they may have at most 32 KB together',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'the whole request was not received in time: send it again',
  },
}

/** Answers data that Node could not read as a request: no HTTP, too long headers, or not received in time. */
export function refuseUnparsed(error: Error & { code?: string }, socket: Socket, traceId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, reason } = REFUSALS[error.code ?? ''] ?? UNREADABLE
  const body = JSON.stringify(envelope(status, reason, traceId))
  const headers = Object.entries({
    ...HEADERS,
    'content-type': JSON_TYPE,
    'x-trace-id': traceId,
    connection: 'close',
  })
  // Close the connection even if the caller never does, after the response had time to arrive.
  const cut = setTimeout(() => socket.destroy(), REFUSED_STAY_MS).unref()
  socket.once('close', () => clearTimeout(cut))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Time limits for receiving requests, milliseconds. */
export interface ReceiveTimes {
  /** A request without an input file. */
  readonly request: number
  /** A request with an input file. */
  readonly upload: number
  /** The longest pause while an input file is received. */
  readonly pause: number
}

// A line of 600 kbit/s transfers an input file of 256 MiB within the hour.
export const RECEIVE_TIMES: ReceiveTimes = { request: 30_000, upload: 3_600_000, pause: 30_000 }

/**
 * Refuses requests whose body is not received in time (408). Node has a single time limit for all requests, which must be long
 * enough for input files. This class applies the shorter limit to all other requests.
 */
export class BodyTimeouts {
  readonly #within: number
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

  constructor({ request }: ReceiveTimes) {
    this.#within = request
  }

  /** Starts to watch all requests of a server. Call it before the server listens. */
  watch(server: Server, newTraceId: () => string): void {
    // Before Fastify's own listener, which may already call `stop`.
    server.prependListener('request', (request: IncomingMessage) => this.#start(request, newTraceId))
  }

  #start(request: IncomingMessage, newTraceId: () => string): void {
    const { headers } = request
    if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) return
    const timer = setTimeout(() => refuseLate(request, newTraceId()), this.#within).unref()
    this.#timers.set(request, timer)
    request.once('close', () => clearTimeout(timer))
  }

  /** Ends the time limit of a request, because the reader of its body has its own limits (uploads.ts). */
  stop(request: IncomingMessage): void {
    clearTimeout(this.#timers.get(request))
  }
}

function refuseLate(request: IncomingMessage, traceId: string): void {
  if (request.complete || request.destroyed) return
  refuseUnparsed(
    Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    request.socket,
    traceId,
  )
}
