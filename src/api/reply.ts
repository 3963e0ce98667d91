import type { FastifyReply, FastifyRequest } from 'fastify'
import { Output } from '../lookup/format/output.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs once, when the answer is about to be sent. Null when no route matched, and after it has run. */
    onAnswer: ((request: FastifyRequest, status: number) => void) | null
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** On every answer, for browsers that are pointed at one. TLS, and the header that asks for it, are a proxy's business. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const FLAT_HEADERS = Object.entries({ ...HEADERS, 'content-type': JSON_TYPE }).flat()

// Node sends a text and the head before it in one write, bytes and the head in a `writev`: 1 µs more, up to here. What is
// longer is copied too often as a text.
const MOST_AS_TEXT = 3_072

/**
 * Sends what is JSON already, with status 200; `headers` are names and values by turns. It goes past Fastify's own way to
 * send, `onSend` hooks with it: setting headers one by one, hooks and serializers are 2 µs a request.
 */
export function sendJson(
  reply: FastifyReply,
  body: Buffer | string,
  headers: readonly string[] = [],
): FastifyReply {
  if (typeof body === 'string') return send(reply, body, 'utf8', Buffer.byteLength(body), headers)
  // A character for each byte, and a byte for each character again.
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
  // Before Fastify lets go of the reply: what fails in there is still answered.
  answered(request, 200)
  reply.hijack()
  const own = ['x-trace-id', request.id, 'content-length', String(length)]
  raw.writeHead(200, [...FLAT_HEADERS, ...own, ...headers])
  raw.end(body, encoding)
  return reply
}

/** To be called when an answer is about to be sent. */
export function answered(request: FastifyRequest, status: number): void {
  const { onAnswer } = request
  if (onAnswer === null) return
  request.onAnswer = null
  onAnswer(request, status)
}

/** Sends documents that are JSON already, with what stands around them. */
export class Envelopes {
  readonly #out = new Output()

  /** `{"result": document}`, the document copied as it is. */
  sendResult(reply: FastifyReply, document: Buffer): void {
    this.#sendAround(reply, '{"result":', document, '}')
  }

  /** `{"results": [...], "metadata": {...}}` of a page of a search. */
  sendPage(reply: FastifyReply, results: Buffer, { result_count, page, page_size }: PageMetadata): void {
    const metadata = `,"metadata":{"result_count":${result_count},"page":${page},"page_size":${page_size}}}`
    this.#sendAround(reply, '{"results":', results, metadata)
  }

  // `before` and `after` are ASCII.
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
