import { randomFillSync } from 'node:crypto'

const BYTES = 16

/** Returns a function that creates trace ids: 128 random bits as 32 hex digits. */
export function createTraceIds(): () => string {
  // Fill random bytes for 512 ids at once, because a call of the generator per id is slow.
  const pool = Buffer.allocUnsafeSlow(BYTES * 512)
  let offset = pool.length
  return () => {
    if (offset === pool.length) {
      randomFillSync(pool)
      offset = 0
    }
    const id = pool.toString('hex', offset, offset + BYTES)
    offset += BYTES
    return id
  }
}
