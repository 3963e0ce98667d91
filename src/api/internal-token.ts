import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Access } from './endpoint.ts'

const REFUSED =
  'The header Authorization is missing, or its token is not valid. Send `Authorization: Bearer TOKEN` with an internal token.'

/** Access with one of `tokens` as `Authorization: Bearer …`. Two tokens allow a rotation. Without tokens, every request is refused. */
export function internalToken(tokens: readonly string[]): Access {
  const hashes = tokens.map(hashOf)
  return {
    scheme: 'InternalToken',
    hooks: () => ({
      onRequest: (request, _reply, done) => {
        const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
        // Compare all hashes even after a match, so that the time does not reveal which one matched.
        const hash = hashOf(token ?? '')
        const fits = hashes.filter((known) => timingSafeEqual(known, hash)).length > 0
        if (token !== undefined && fits) done()
        else done(new AppError('forbidden', REFUSED))
      },
    }),
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
