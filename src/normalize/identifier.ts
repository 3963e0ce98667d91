import { createHash } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns 'A' and ten base62 characters, a hash of the address key. The same address has the same id in every run. */
export function addressId(address_key: string): string {
  return derivedId('A', address_key)
}

/**
 * Returns 'R' and ten base62 characters, a hash of county and parcel number. Letter case and surrounding spaces do not
 * matter.
 */
export function propertyId(county_fips: string, parcel_number: string): string {
  return derivedId('R', `${county_fips}|${parcel_number.trim().toUpperCase()}`)
}

/** Returns 'B' and ten base62 characters, a hash of a text that identifies the business. */
export function businessId(key: string): string {
  return derivedId('B', key)
}

// There are 62^10 ids, just under 2^60. Among 10 million ids the probability of a collision is about 6 in 100,000.
function derivedId(letter: string, text: string): string {
  let rest = createHash('sha256').update(text, 'utf8').digest().readBigUInt64BE(0)
  let id = ''
  for (let i = 0; i < 10; i++) {
    id = BASE62[Number(rest % 62n)]! + id
    rest /= 62n
  }
  return letter + id
}
