import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/**
 * Returns the FNV-1a hash of a text, as a signed 32-bit integer. Do not change it: snapshots and link states store such hashes,
 * and ids and invented people depend on them.
 */
export function fnvOfText(text: string): number {
  let hash = FNV_START
  for (let at = 0; at < text.length; at++) hash = fnvWith(hash, text.charCodeAt(at))
  return hash | 0
}

/** Returns the FNV-1a hash of the bytes from `start` up to, but not including, `end`. ASCII text has the hash of `fnvOfText`. */
export function fnvOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_START
  for (let at = start; at < end; at++) hash = fnvWith(hash, bytes[at]!)
  return hash | 0
}

/** The FNV-1a hash of an empty text, for callers that add codes one by one with `fnvWith`. */
export const FNV_START = 0x811c9dc5

/** Returns the hash of a text from the hash of its beginning (`hash`) and one more character code or byte. */
export function fnvWith(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

const CHUNK_BYTES = 1 << 20

/**
 * Returns the SHA-256 of a file in hexadecimal. Awaits `onChunk` after each chunk, with the number of bytes
 * read.
 */
export async function hashOfFile(
  path: string,
  onChunk: (bytes: number) => Promise<void> | void = () => {},
): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk as Buffer)
    await onChunk((chunk as Buffer).length)
  }
  return hash.digest('hex')
}
