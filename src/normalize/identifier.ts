import { createHash } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 'A' and ten base62 characters, derived from the normalised address: the same address has the same id in every run. */
export function addressId(address_key: string): string {
  return derivedId('A', address_key)
}

/** 'R' and ten base62 characters, derived from the county and its parcel number (compared without case or padding). */
export function propertyId(county_fips: string, parcel_number: string): string {
  return derivedId('R', `${county_fips}|${parcel_number.trim().toUpperCase()}`)
}

/** 'B' and ten base62 characters, derived from whatever identifies the business. */
export function businessId(key: string): string {
  return derivedId('B', key)
}

// 62^10 is just under 2^60: at 10 million ids the chance of any two colliding is about 6 in 100,000.
function derivedId(letter: string, text: string): string {
  let rest = createHash('sha256').update(text, 'utf8').digest().readBigUInt64BE(0)
  let id = ''
  for (let i = 0; i < 10; i++) {
    id = BASE62[Number(rest % 62n)]! + id
    rest /= 62n
  }
  return letter + id
}
