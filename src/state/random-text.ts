import { randomInt } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `length` base62 characters from the secure random generator of `node:crypto`. */
export function randomText(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(62)]).join('')
}
