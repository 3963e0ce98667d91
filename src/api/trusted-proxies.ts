import { AllowedAddresses } from '../state/allowed-addresses.ts'

// Names of networks that Fastify accepts as trusted proxies.
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns a function that checks whether an address is one of `TRUSTED_PROXIES`. @throws `bad_usage` for an invalid network. */
export function proxyTest(trustedProxies: string | undefined): (address: string) => boolean {
  if (trustedProxies === undefined) return () => false
  const networks = trustedProxies.split(',').flatMap((text) => NAMED[text.trim()] ?? [text.trim()])
  const list = new AllowedAddresses(networks)
  return (address) => list.includes(address)
}
