import { Resolver } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { AppError } from '../errors.ts'
import { isTestHost, type TestHosts } from './endpoint.ts'

/** All addresses of a name; rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

export interface ConnectOptions {
  readonly testHosts: TestHosts
  readonly withinMs: number
  /** Names of the internet; those of test hosts are asked of the system, with its hosts file. */
  readonly resolve: Resolve
  readonly isPublic: (address: string) => boolean
  /** Certificate authorities in place of Node's own. */
  readonly ca?: string | undefined
}

/**
 * Asks the name servers themselves. `dns.lookup` would occupy one of four threads for as long as a name takes: one
 * subscriber with a slow name server would hold up everybody's names, and every file that is read. `servers` are
 * addresses with ports in place of the system's name servers.
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
 * Opens connections to public addresses only, of test hosts to any. Three looks, none of which trusts another: a
 * literal address before anything is sent, every address that the name has (the connection goes to one of exactly
 * those, so a name that answers differently a moment later gains nothing), and the peer that the socket really has.
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
  // One private address among public ones is an attempt, not an accident that a public one makes good.
  if (!addresses.every(({ address }) => isPublic(address))) {
    throw refusal('the name has an address that is not public')
  }
  return addresses
}

function refusal(reason: string): AppError {
  return new AppError('address_refused', reason)
}
