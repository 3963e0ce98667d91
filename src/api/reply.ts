import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** On every answer, for browsers that are pointed at one. TLS, and the header that asks for it, are a proxy's business. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const AFTER_RESULT = Buffer.from('}')
const BEFORE_RESULT = Buffer.from('{"result":')

/** Sends what is JSON already. */
export function sendJson(reply: FastifyReply, status: number, body: Buffer | string): FastifyReply {
  return reply.code(status).header('content-type', JSON_TYPE).send(body)
}

/** `{"result": document}`, the document copied as it is. */
export function wrapResult(document: Buffer): Buffer {
  return Buffer.concat([BEFORE_RESULT, document, AFTER_RESULT])
}

/** `{"results": [...], "metadata": {...}}` of a page of a search. */
export function wrapPage(
  results: Buffer,
  metadata: { result_count: number; page: number; page_size: number },
): Buffer {
  return Buffer.concat([BEFORE_RESULTS, results, Buffer.from(`,"metadata":${JSON.stringify(metadata)}}`)])
}

const BEFORE_RESULTS = Buffer.from('{"results":')
