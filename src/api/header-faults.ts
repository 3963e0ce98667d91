import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'

// Node keeps the first of several and drops the others; a proxy in front may go by another one.
const SINGLE = new Set(['host', 'authorization', 'content-type'])
const LONGEST = Math.max(...[...SINGLE].map((name) => name.length))
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/

/** The fault of the headers of a request that Node has parsed: 400, as RFC 9112 asks for. */
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
