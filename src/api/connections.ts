import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { envelope } from './errors.ts'

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
  let sweep: NodeJS.Timeout | null = null
  const linger = setTimeout(() => {
    closeIdle()
    sweep = setInterval(closeIdle, SWEEP_EVERY_MS)
  }, LINGER_MS)
  const end = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS)
  server.once('close', () => {
    clearTimeout(linger)
    if (sweep !== null) clearInterval(sweep)
    clearTimeout(end)
  })
}

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Answers what isn't HTTP, or has more header bytes than a request may have: it never becomes a request. */
export function refuseUnparsed(error: Error & { code?: string }, socket: Socket, traceId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const status = STATUS_OF[error.code ?? ''] ?? 400
  const body = JSON.stringify(envelope(status, 'the request could not be read as HTTP', traceId))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Trace-Id: ${traceId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
