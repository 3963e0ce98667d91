import type { FastifyReply, FastifyRequest } from 'fastify'
import { Output } from '../lookup/format/output.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Called once, just before the response is sent. Null after the call, and when no route matched. */
    beforeResponse: ((request: FastifyRequest, status: number) => void) | null
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Headers of every response, for browsers. TLS and its header (HSTS) are the task of a proxy in front. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const FLAT_HEADERS = Object.entries({ ...HEADERS, 'content-type': JSON_TYPE }).flat()

// Up to this size a body is sent as text: Node writes a text together with the headers, but writes bytes separately, which is slower.
// Longer texts would be copied too often.
const MOST_AS_TEXT = 3_072

/**
 * Sends a ready JSON body with status 200. `headers`: names and values in turns. It sends past Fastify, without `onSend` hooks and
 * serializers, because Fastify's way is slower (decisions/001-reply-hijack.md).
 */
export function sendJson(
  reply: FastifyReply,
  body: Buffer | string,
  headers: readonly string[] = [],
): FastifyReply {
  if (typeof body === 'string') return send(reply, body, 'utf8', Buffer.byteLength(body), headers)
  // latin1 turns each byte into one character, and back without a change.
  if (body.length <= MOST_AS_TEXT) return send(reply, body.toString('latin1'), 'latin1', body.length, headers)
  return send(reply, body, 'latin1', body.length, headers)
}

function send(
  reply: FastifyReply,
  body: Buffer | string,
  encoding: 'utf8' | 'latin1',
  length: number,
  headers: readonly string[],
): FastifyReply {
  const { request, raw } = reply
  // Before `hijack`, so that Fastify still answers when the call throws.
  reportResponse(request, 200)
  reply.hijack()
  const own = ['x-trace-id', request.id, 'content-length', String(length)]
  raw.writeHead(200, [...FLAT_HEADERS, ...own, ...headers])
  raw.end(body, encoding)
  return reply
}

/** Calls `beforeResponse` of a request once. Call it just before a response is sent. */
export function reportResponse(request: FastifyRequest, status: number): void {
  const { beforeResponse } = request
  if (beforeResponse === null) return
  request.beforeResponse = null
  beforeResponse(request, status)
}

/** Sends ready JSON documents inside an envelope. */
export class Envelopes {
  readonly #out = new Output()

  /** Sends `{"result": document}`. */
  sendResult(reply: FastifyReply, document: Buffer): void {
    this.#sendAround(reply, '{"result":', document, '}')
  }

  /** Sends `{"results": [...], "metadata": {...}}` for a page of a search. */
  sendPage(reply: FastifyReply, results: Buffer, { result_count, page, page_size }: PageMetadata): void {
    const metadata = `,"metadata":{"result_count":${result_count},"page":${page},"page_size":${page_size}}}`
    this.#sendAround(reply, '{"results":', results, metadata)
  }

  // `before` and `after` must be ASCII.
  #sendAround(reply: FastifyReply, before: string, document: Buffer, after: string): void {
    const length = before.length + document.length + after.length
    if (length <= MOST_AS_TEXT) {
      send(reply, before + document.toString('latin1') + after, 'latin1', length, [])
      return
    }
    this.#out.ascii(before)
    this.#out.copy(document, 0, document.length)
    this.#out.ascii(after)
    send(reply, this.#out.take(), 'latin1', length, [])
  }
}

interface PageMetadata {
  readonly result_count: number
  readonly page: number
  readonly page_size: number
}
