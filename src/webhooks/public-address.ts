import { BlockList, isIP, isIPv6 } from 'node:net'

// IANA's special-purpose registries: addresses that are not public or not a single host.
const NOT_PUBLIC_IPV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // The internal services of Azure's hosts. The address is public, but leads to the inside.
  ['168.63.129.16', 32],
]

// All other IPv6 addresses are refused: loopback, link-local, unique local and multicast. Also refused are addresses that contain an IPv4
// address (compatible ::/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48), even a public one.
const GLOBAL_UNICAST_IPV6 = ['2000::', 3] as const

const NOT_PUBLIC_IPV6: readonly [string, number][] = [
  // Protocol assignments: Teredo, benchmarking, ORCHID and future ones.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: these addresses contain an IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
]

function blockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, bits] of subnets) list.addSubnet(network, bits, family)
  return list
}

const notPublicIpv4 = blockList(NOT_PUBLIC_IPV4, 'ipv4')
const notPublicIpv6 = blockList(NOT_PUBLIC_IPV6, 'ipv6')
const mappedIpv4 = blockList([['::ffff:0:0', 96]], 'ipv6')
const globalUnicast = blockList([GLOBAL_UNICAST_IPV6], 'ipv6')

/**
 * Returns whether an IP address, in the form that resolvers and sockets report, is reachable from the public internet.
 * An IPv4 address mapped into IPv6 counts as the IPv4 address. Addresses with a zone and other texts are not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublicIpv4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  // `BlockList` also matches the mapped spelling of IPv4 addresses.
  if (mappedIpv4.check(address, 'ipv6')) return !notPublicIpv4.check(address, 'ipv6')
  return globalUnicast.check(address, 'ipv6') && !notPublicIpv6.check(address, 'ipv6')
}
