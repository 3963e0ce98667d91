import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

const CHUNK_BYTES = 1 << 20

/**
 * Returns the SHA-256 of a file in hexadecimal. Awaits `onChunk` after each chunk, with the number of bytes
 * read.
 */
export async function hashOf(
  path: string,
  onChunk: (bytes: number) => Promise<void> = async () => {},
): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk as Buffer)
    await onChunk((chunk as Buffer).length)
  }
  return hash.digest('hex')
}
