import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'

// Headers that must not be repeated. Node uses the first one, but a proxy in front may use another one.
const SINGLE = new Set(['host', 'authorization', 'content-type'])
const LONGEST = Math.max(...[...SINGLE].map((name) => name.length))
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/

/** Returns the error (400) for the headers of a request, as RFC 9112 asks for; null when they are valid. */
export function headerFault({ rawHeaders, headers, httpVersion }: IncomingMessage): AppError | null {
  const { host } = headers
  if (host === undefined ? httpVersion !== '1.0' : !HOST.test(host)) {
    return refused('Host', host === undefined ? 'is missing' : 'is not a valid host name')
  }
  let seen = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? ''
    if (raw.length > LONGEST) continue
    const name = raw.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.includes(`${name},`)) return refused(raw, 'must be given only once')
    seen += `${name},`
  }
  return null
}

function refused(name: string, reason: string): AppError {
  return new AppError('invalid_parameter', `header -> ${name}: ${reason}`, {
    details: { field: name, validation_error: reason },
  })
}
