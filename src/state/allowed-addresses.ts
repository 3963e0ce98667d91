import { BlockList, isIP } from 'node:net'
import { AppError } from '../errors.ts'

/** The networks from which a key may be used. */
export class AllowedAddresses {
  readonly #list = new BlockList()

  /** `networks` are addresses or CIDR blocks that `checkedNetwork` accepts. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const { address, bits, family } = partsOf(network)
      this.#list.addSubnet(address, bits, family)
    }
  }

  /** Whether a request may come from `address`. An IPv4 address mapped into IPv6 counts as the IPv4 address. */
  includes(address: string): boolean {
    const version = isIP(address)
    return version !== 0 && this.#list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Returns the stored form of an address or CIDR block: `203.0.113.7/32`. @throws `bad_usage` for any other text. */
export function checkedNetwork(text: string): string {
  const { address, bits } = partsOf(text.trim())
  return `${address}/${bits}`
}

function partsOf(text: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', length, ...more] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  const most = version === 4 ? 32 : 128
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (version === 0 || more.length > 0 || !(bits <= most)) {
    throw new AppError(
      'bad_usage',
      `'${text}' is not an IP address or network: write, for example, 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32`,
    )
  }
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}
