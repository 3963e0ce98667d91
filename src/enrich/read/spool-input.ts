import { createWriteStream, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, messageOf } from '../../errors.ts'
import type { Encoding } from './encoding.ts'
import { type HeaderOptions, type Input, openInput, STANDARD_INPUT, tableKind } from './read-input.ts'
import { unwritable } from '../unwritable.ts'

const SIGNATURE_BYTES = 8

/**
 * Opens standard input. Parquet and Arrow cannot be read from a stream, so they are first written to `path`; `remove`
 * deletes that file. A run on standard input cannot be resumed.
 * @throws `stopped` when `signal` is aborted, `disk_full` or `output_unwritable` naming `path`
 */
export async function openStream(
  stream: Readable,
  path: string,
  { encoding, signal, ...header }: HeaderOptions & { encoding: Encoding | undefined; signal: AbortSignal },
): Promise<{ input: Input; remove: () => Promise<void> }> {
  const { head, whole } = await firstBytes(stream)
  if (tableKind(head) === null) {
    return {
      input: await openInput('-', { encoding, stdin: whole, ...header }),
      remove: async () => undefined,
    }
  }
  // Deletes the file also when the process ends early, for example because its output was closed.
  const removeNow = (): void => rmSync(path, { force: true })
  process.once('exit', removeNow)
  const remove = async (): Promise<void> => {
    process.off('exit', removeNow)
    await rm(path, { force: true })
  }
  try {
    await pipeline(whole, createWriteStream(path), { signal }).catch((cause: NodeJS.ErrnoException) => {
      throw failure(path, cause, signal)
    })
    return {
      input: { ...(await openInput(path, { name: STANDARD_INPUT, ...header })), identity: null },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function failure(path: string, cause: NodeJS.ErrnoException, signal: AbortSignal): Error {
  if (signal.aborted)
    return new AppError(
      'stopped',
      'stopped while standard input was read; run the command again to start over',
    )
  const { code, message } = unwritable(path, cause)
  if (code !== 'disk_full') return new AppError(code, message, { cause })
  return new AppError(code, `the disk of ${path} is full: Parquet and Arrow from ${STANDARD_INPUT} are stored there while they are read. Delete files, or pass the input as a file`, { cause }) // prettier-ignore
}

/** Returns the first bytes of a stream, and a stream that still yields all bytes. */
async function firstBytes(stream: Readable): Promise<{ head: Buffer; whole: Readable }> {
  const parts: Buffer[] = []
  let length = 0
  while (length < SIGNATURE_BYTES) {
    const part = await nextPart(stream)
    // A stream that has ended cannot take bytes back.
    if (part === null) return { head: Buffer.concat(parts), whole: Readable.from(parts) }
    parts.push(part)
    length += part.length
  }
  const head = Buffer.concat(parts)
  stream.unshift(head)
  return { head, whole: stream }
}

/** Returns the next part of the stream; null at its end. */
async function nextPart(stream: Readable): Promise<Buffer | null> {
  for (;;) {
    const part = stream.read() as Buffer | null
    if (part !== null) return part
    if (stream.readableEnded) return null
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error): void => {
        stream.off('readable', ready).off('end', ready).off('error', done)
        if (error === undefined) resolve()
        else reject(new AppError('bad_input', `${STANDARD_INPUT} can't be read: ${messageOf(error)}`, { cause: error })) // prettier-ignore
      }
      const ready = (): void => done()
      stream.once('readable', ready).once('end', ready).once('error', done)
    })
  }
}
