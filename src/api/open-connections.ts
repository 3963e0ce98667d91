import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIPv4, type Socket } from 'node:net'
import type { Log } from '../log.ts'

/** Limits of the connections of a process. */
export interface ConnectionLimits {
  /** Highest number of connections. */
  readonly most: number
  /** Connections of one address above which its own idle ones are closed. */
  readonly mostPerAddress: number
  /** Returns whether an address is a trusted proxy. A proxy has connections of many callers, so it has no limit per address. */
  readonly isProxy: (address: string) => boolean
}

/** Counts of a process's connections. */
export interface ConnectionCounts {
  readonly open: number
  /** Idle connections that were closed to make room for new ones. */
  readonly idleClosed: number
  readonly refused: number
}

/** Connections beyond the limit that are accepted for a moment to answer them with 503. */
export const REFUSAL_SLOTS = 64
const REFUSED_STAY_MS = 1_000
const WARN_EVERY_MS = 60_000

interface Connection {
  readonly socket: Socket
  /** The last response, in progress or finished; null before the first request. */
  answer: ServerResponse | null
  /** The connections of the same address; null when the address has no limit. */
  readonly neighbours: Group | null
  readonly isRefused: boolean
}

function isIdle({ answer, isRefused }: Connection): boolean {
  return !isRefused && (answer === null || answer.writableFinished || answer.destroyed)
}

/** Connections that share a limit: all of them, or those of one address. */
class Group {
  readonly name: string
  /** The open connections, the one with the oldest last request first. */
  readonly open = new Set<Connection>()

  constructor(name: string) {
    this.name = name
  }

  /** Adds a connection, or moves it to the end. */
  use(connection: Connection): void {
    this.open.delete(connection)
    this.open.add(connection)
  }

  /** Returns the connection that has been idle for longest; null when none is idle. */
  oldestIdle(): Connection | null {
    for (const connection of this.open) if (isIdle(connection)) return connection
    return null
  }
}

/**
 * Limits the connections of a server, per address and in total. A new connection beyond a limit closes the connection that has
 * been idle for longest: of the same address, or of all. When every connection has a request in progress, the first request of
 * the new connection is answered with 503.
 */
export class OpenConnections {
  readonly #limits: ConnectionLimits
  readonly #log: Log
  readonly #all = new Group('')
  readonly #addresses = new Map<string, Group>()
  readonly #bySocket = new WeakMap<object, Connection>()
  #idleClosed = 0
  #refused = 0
  #refusing = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(limits: ConnectionLimits, log: Log) {
    this.#limits = limits
    this.#log = log
  }

  /** Starts to watch all connections of a server. Call it before the server listens. */
  watch(server: Server): void {
    server.maxConnections = this.#limits.most + REFUSAL_SLOTS
    server.on('drop', () => {
      this.#refused += 1
      this.#warn('every connection is in use: new connections are closed without a response')
    })
    server.prependListener('connection', (socket) => this.#admit(socket))
    server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      const connection = this.#bySocket.get(socket)
      if (connection === undefined) return
      connection.answer = answer
      this.#all.use(connection)
      connection.neighbours?.use(connection)
    })
  }

  /** Returns whether requests on this connection must be answered with 503. */
  isRefused(socket: object): boolean {
    return this.#refusing > 0 && this.#bySocket.get(socket)?.isRefused === true
  }

  read(): ConnectionCounts {
    return { open: this.#all.open.size, idleClosed: this.#idleClosed, refused: this.#refused }
  }

  #admit(socket: Socket): void {
    const { most, mostPerAddress } = this.#limits
    const group = this.#groupOf(socket.remoteAddress)
    if (group !== null && group.open.size >= mostPerAddress) this.#closeIdle(group)
    const isRefused = this.#all.open.size - this.#refusing >= most && !this.#closeIdle(this.#all)
    const connection: Connection = { socket, answer: null, neighbours: group, isRefused }
    this.#bySocket.set(socket, connection)
    this.#all.use(connection)
    group?.use(connection)
    if (group !== null) this.#addresses.set(group.name, group)
    if (isRefused) this.#refuse(connection)
    socket.once('close', () => this.#forget(connection))
  }

  #closeIdle(group: Group): boolean {
    const oldest = group.oldestIdle()
    if (oldest === null) return false
    oldest.socket.destroy()
    // The event `close` comes later, but the new connection needs the place now.
    this.#forget(oldest)
    this.#idleClosed += 1
    this.#warn('the limit of connections is reached: the connections idle for longest are closed')
    return true
  }

  #refuse({ socket }: Connection): void {
    this.#refused += 1
    this.#refusing += 1
    const end = setTimeout(() => socket.destroy(), REFUSED_STAY_MS).unref()
    socket.once('close', () => clearTimeout(end))
    this.#warn('every connection is in use: new connections are answered with 503')
  }

  #forget(connection: Connection): void {
    if (!this.#all.open.delete(connection)) return
    this.#bySocket.delete(connection.socket)
    if (connection.isRefused) this.#refusing -= 1
    const { neighbours } = connection
    if (neighbours === null) return
    neighbours.open.delete(connection)
    if (neighbours.open.size === 0) this.#addresses.delete(neighbours.name)
  }

  #groupOf(address: string | undefined): Group | null {
    if (address === undefined || this.#limits.isProxy(address)) return null
    const name = networkOf(address)
    return this.#addresses.get(name) ?? new Group(name)
  }

  #warn(message: string): void {
    const now = performance.now()
    if (now - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = now
    this.#log.warn({ ...this.read(), most: this.#limits.most }, message)
  }
}

/** Returns the text by which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address (the caller's network). */
function networkOf(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  if (isIPv4(mapped)) return mapped
  const [before = '', after] = (address.split('%')[0] ?? '').split('::')
  const first = before === '' ? [] : before.split(':')
  const last = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : 8 - first.length - last.length
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4).join(':')
}
