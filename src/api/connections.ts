import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { envelope } from './errors.ts'
import { HEADERS, JSON_TYPE } from './reply.ts'

/** A stop waits this long for requests under way before it cuts their connections. */
const STOP_WITHIN_MS = 10_000
const LINGER_MS = 250
const SWEEP_EVERY_MS = 50

/**
 * To be called just before the server closes. What Node takes for an idle connection may have a request on its way, which
 * would be lost: those in use say goodbye with their next answer, and only who asks nothing for a moment is let go.
 */
export function letGo(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  // The closing server calls it at once.
  server.closeIdleConnections = () => {}
  // A loop that was busy runs its timers before it reads what has come meanwhile, and what it runs behind them after that.
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

/** How long a connection stays on which a request was refused, and which the caller doesn't close. */
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

/** Answers what isn't HTTP, or has more header bytes than a request may have: it never becomes a request. */
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
  // Node's server lets a caller who never ends keep the connection; the answer has a moment to arrive.
  const cut = setTimeout(() => socket.destroy(), REFUSED_STAY_MS).unref()
  socket.once('close', () => clearTimeout(cut))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** How long requests may take to arrive, in milliseconds. */
export interface ReceiveTimes {
  /** A request, unless it brings a list. */
  readonly request: number
  /** A list; and the longest pause while it comes. */
  readonly list: number
  readonly pause: number
}

// A list of 256 MiB comes within the hour over a line of 600 kbit/s.
export const RECEIVE_TIMES: ReceiveTimes = { request: 30_000, list: 3_600_000, pause: 30_000 }

/**
 * Cuts off whose body doesn't arrive in time. Node has one time for all requests, and lists need more than others:
 * so Node's is that of lists, and this looks after the rest.
 */
export class BodyClock {
  readonly #within: number
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

  constructor({ request }: ReceiveTimes) {
    this.#within = request
  }

  /** Looks after all requests of a server; to be called before it listens. */
  watch(server: Server, newTraceId: () => string): void {
    // Before Fastify's own listener, in which a body's reader may stop it already.
    server.prependListener('request', (request: IncomingMessage) => this.#start(request, newTraceId))
  }

  #start(request: IncomingMessage, newTraceId: () => string): void {
    const { headers } = request
    if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) return
    const timer = setTimeout(() => cutOff(request, newTraceId()), this.#within).unref()
    this.#timers.set(request, timer)
    request.once('close', () => clearTimeout(timer))
  }

  /** For a body whose reader looks after the time itself. */
  stop(request: IncomingMessage): void {
    clearTimeout(this.#timers.get(request))
  }
}

function cutOff(request: IncomingMessage, traceId: string): void {
  if (request.complete || request.destroyed) return
  refuseUnparsed(
    Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    request.socket,
    traceId,
  )
}
