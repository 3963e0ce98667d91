import { isIP } from 'node:net'
import { AppError } from '../errors.ts'
import { hasControls } from '../printable.ts'
import { isPublicAddress } from './public-address.ts'

export const MOST_CHARACTERS = 2_000

/** The form of an endpoint's address as it is stored. The URL parser also takes spaces, and addresses without slashes. */
export const ENDPOINT_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/

// Names that mean this machine or this network wherever they are asked (RFC 6761, 6762, 8375, and what clouds use).
const INSIDE = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

/** Hosts that an operator has opened for trying things out: `host` or `host:port`. They may be inside, and plain http. */
export type TestHosts = ReadonlySet<string>

/** Whether `url` leads to a host that the operator has opened, on this port. */
export function isTestHost(url: URL, testHosts: TestHosts): boolean {
  return testHosts.has(bareHost(url)) || testHosts.has(`${bareHost(url)}:${portOf(url)}`)
}

/** The host of a URL as it is looked up: no brackets, no dots at the end, lower case. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '')
}

/** The host of an endpoint's address, which other ports and paths share. */
export function hostOf(url: string): string {
  return bareHost(new URL(url))
}

function portOf(url: URL): string {
  if (url.port !== '') return url.port
  return url.protocol === 'https:' ? '443' : '80'
}

/**
 * The address of a subscriber's endpoint, or why it can't be one (`invalid_parameter`, field `url`). What a name
 * resolves to is looked at by the sender, each time it connects.
 */
export function parseEndpoint(text: string, testHosts: TestHosts): URL {
  // The parser drops line ends and tabs, and escapes other control characters; the URL is kept as it was written.
  if (hasControls(text)) throw refusal('must not contain control characters')
  // The URL standard's parser: it turns 0x7f.1, 2130706433, 0177.0.0.1 and 127.1 into 127.0.0.1, and refuses zones.
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
