import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Access } from './endpoint.ts'

/** Routes for callers that send one of `tokens` as `Authorization: Bearer …`; two at once let a token be rotated. Without any, nobody is let in. */
export function internalToken(tokens: readonly string[]): Access {
  const hashes = tokens.map(hashOf)
  return {
    scheme: 'InternalToken',
    hooks: () => ({
      onRequest: (request, _reply, done) => {
        const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
        // Every hash is compared, whichever fits, so that the time tells nothing.
        const hash = hashOf(token ?? '')
        const fits = hashes.filter((known) => timingSafeEqual(known, hash)).length > 0
        if (token !== undefined && fits) done()
        else done(new AppError('forbidden', 'Forbidden'))
      },
    }),
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
