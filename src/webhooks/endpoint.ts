import { isIP } from 'node:net'
import { AppError } from '../errors.ts'
import { hasControls } from '../printable.ts'
import { isPublicAddress } from './public-address.ts'

export const MOST_CHARACTERS = 2_000

/** Form of a stored endpoint URL. The URL parser alone would also accept spaces and URLs without slashes. */
export const ENDPOINT_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/

// Host names that mean this machine or this network (RFC 6761, 6762, 8375, and names that clouds use).
const INSIDE = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

/** Hosts that the operator allows for tests, as `host` or `host:port`. They may be private and use plain http. */
export type TestHosts = ReadonlySet<string>

/** Returns whether host and port of `url` are allowed for tests. */
export function isTestHost(url: URL, testHosts: TestHosts): boolean {
  return testHosts.has(bareHost(url)) || testHosts.has(`${bareHost(url)}:${portOf(url)}`)
}

/** Returns the host of a URL in lower case, without brackets and without dots at the end. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '')
}

/** Returns the host of an endpoint's URL, without port and path. */
export function hostOf(url: string): string {
  return bareHost(new URL(url))
}

function portOf(url: URL): string {
  if (url.port !== '') return url.port
  return url.protocol === 'https:' ? '443' : '80'
}

/**
 * Parses the URL of a webhook's endpoint. The sender checks the addresses of its host at each connection (connect.ts).
 * @throws `invalid_parameter` with the field `url` when the URL cannot be an endpoint.
 */
export function parseEndpoint(text: string, testHosts: TestHosts): URL {
  // The parser would silently drop line breaks and tabs, but the URL is stored as it was sent.
  if (hasControls(text)) throw refusal('must not contain control characters')
  // This parser turns other spellings of 127.0.0.1 (0x7f.1, 2130706433, 0177.0.0.1, 127.1) into 127.0.0.1, and rejects IPv6 zones.
  const url = URL.parse(text)
  if (url === null || text.length > MOST_CHARACTERS) {
    throw refusal(`must be a URL of at most ${MOST_CHARACTERS} characters`)
  }
  if (url.protocol.startsWith('http') && !ENDPOINT_FORM.test(text))
    throw refusal('must begin with https:// and contain no spaces')
  if (url.username !== '' || url.password !== '') throw refusal('must not contain a user name or password')
  if (url.hash !== '') throw refusal('must not contain a fragment (#…)')
  if (isTestHost(url, testHosts) && ['http:', 'https:'].includes(url.protocol)) return url
  if (url.protocol !== 'https:') throw refusal('must be an https URL')
  const host = bareHost(url)
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host))
      throw refusal('must have a public IP address, not an address of a private network')
  } else if (!host.includes('.') || INSIDE.test(host)) {
    throw refusal('must have a public host name, not a name of a private network')
  }
  return url
}

function refusal(reason: string): AppError {
  return new AppError('invalid_parameter', `body -> url: ${reason}`, {
    details: { field: 'url', validation_error: reason },
  })
}
