import { Resolver } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { AppError } from '../errors.ts'
import { isTestHost, type TestHosts } from './endpoint.ts'

/** Returns all addresses of a host name; rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

export interface ConnectOptions {
  readonly testHosts: TestHosts
  readonly withinMs: number
  /** Resolves public host names. Names of test hosts are resolved by the system instead, with its hosts file. */
  readonly resolve: Resolve
  readonly isPublic: (address: string) => boolean
  /** Certificate authorities that replace Node's own (for tests). */
  readonly ca?: string | undefined
}

/**
 * Returns a resolver that asks the name servers directly. `dns.lookup` would occupy one of libuv's four threads until the name is
 * resolved. So a slow name server would delay other names and file reads. `servers` (addresses with ports) replace
 * the system's name servers.
 */
export function createResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = [
      ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason
    return addresses
  }
}

/**
 * Returns a connector that connects to public addresses only, except for test hosts. It checks three things independently:
 * 1. A literal IP address in the URL.
 * 2. Every address of a host name. The connection uses one of these addresses, so a later DNS response cannot redirect it.
 * 3. The address of the connected peer.
 */
export function createConnector({
  testHosts,
  withinMs,
  resolve,
  isPublic,
  ca,
}: ConnectOptions): buildConnector.connector {
  const options = { timeout: withinMs, allowH2: false, ...(ca === undefined ? {} : { ca }) }
  const connectInside = buildConnector(options)
  const connectPublic = buildConnector({ ...options, lookup: lookupPublic(resolve, isPublic) })
  return (target, callback) => {
    const url = URL.parse(`${target.protocol}//${target.host ?? target.hostname}`)
    if (url !== null && isTestHost(url, testHosts)) {
      connectInside(target, callback)
      return
    }
    if (target.protocol !== 'https:') {
      callback(refusal('the connection is not https'), null)
      return
    }
    if (isIP(target.hostname) !== 0 && !isPublic(target.hostname)) {
      callback(refusal('the address is not public'), null)
      return
    }
    connectPublic(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null)
      } else if (isPublic(socket.remoteAddress ?? '')) {
        callback(null, socket)
      } else {
        socket.destroy()
        callback(refusal('the connected peer is not public'), null)
      }
    })
  }
}

function lookupPublic(resolve: Resolve, isPublic: (address: string) => boolean): LookupFunction {
  const lookup = callbackify(async (name: string) => publicOnly(await resolve(name), isPublic))
  return (name, { all }, done) => {
    lookup(name, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) done(error, '')
      else if (all === true) done(null, [...addresses])
      else done(null, first.address, first.family)
    })
  }
}

function publicOnly(
  addresses: readonly LookupAddress[],
  isPublic: (address: string) => boolean,
): readonly LookupAddress[] {
  if (addresses.length === 0) {
    throw Object.assign(new Error('the name has no address'), { code: 'ENODATA' })
  }
  // Refuse the name if any of its addresses is private: such a name may be an attack on the internal network.
  if (!addresses.every(({ address }) => isPublic(address))) {
    throw refusal('the name has an address that is not public')
  }
  return addresses
}

function refusal(reason: string): AppError {
  return new AppError('address_refused', reason)
}
