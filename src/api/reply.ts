import type { FastifyReply } from 'fastify'
import { Output } from '../lookup/output.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** On every answer, for browsers that are pointed at one. TLS, and the header that asks for it, are a proxy's business. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Sends what is JSON already. */
export function sendJson(reply: FastifyReply, status: number, body: Buffer | string): FastifyReply {
  return reply.code(status).header('content-type', JSON_TYPE).send(body)
}

/** The bodies of answers around documents that are JSON already. */
export class Bodies {
  readonly #out = new Output()

  /** `{"result": document}`, the document copied as it is. */
  result(document: Buffer): Buffer {
    this.#out.ascii('{"result":')
    this.#out.copy(document, 0, document.length)
    this.#out.ascii('}')
    return this.#out.take()
  }

  /** `{"results": [...], "metadata": {...}}` of a page of a search. */
  page(results: Buffer, { result_count, page, page_size }: PageMetadata): Buffer {
    this.#out.ascii('{"results":')
    this.#out.copy(results, 0, results.length)
    this.#out.ascii(`,"metadata":{"result_count":${result_count},"page":${page},"page_size":${page_size}}}`)
    return this.#out.take()
  }
}

interface PageMetadata {
  readonly result_count: number
  readonly page: number
  readonly page_size: number
}
