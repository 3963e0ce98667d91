import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { AppError, messageOf } from '../errors.ts'
import { printable } from '../printable.ts'

/** A stored file part. */
export interface FilePart {
  readonly path: string
  readonly bytes: number
  /** SHA-256 of the bytes as they were sent. */
  readonly digest: string
}

export interface Parts {
  /** The files, by part name. */
  readonly files: ReadonlyMap<string, FilePart>
  /** The other parts, by name. A repeated name has an array of values. */
  readonly fields: Readonly<Record<string, string | string[]>>
}

const MOST_FIELDS = 30
const LONGEST_NAME = 100
/** The length of the longest parameter, `map`. */
const LONGEST_FIELD = 4_000

/**
 * Reads a `multipart/form-data` body and stores its file parts in `folder`. `files`: largest number of bytes by part name.
 * @throws `invalid_parameter` for unknown or repeated file parts and unreadable bodies, `too_large` for a too large part.
 */
export async function storeParts(
  body: AsyncIterable<Buffer>,
  contentType: string,
  folder: string,
  files: Readonly<Record<string, number>>,
): Promise<Parts> {
  const names = Object.keys(files)
  const parser = openParser(contentType, names)
  const stored = new Map<string, FilePart>()
  const fields = new Map<string, string | string[]>()
  const open = new Map<string, Readable>()
  const writing: Promise<void>[] = []
  const refuse = (message: string): void =>
    void parser.destroy(new AppError('invalid_parameter', `the multipart body ${message}`))

  async function store(name: string, part: Readable): Promise<void> {
    stored.set(name, await storeFile(part, join(folder, `${name}.part`), files[name]!, `the part '${name}'`))
  }

  parser.on('file', (name: string, part: Readable) => {
    part.on('error', () => undefined)
    if (!names.includes(name)) {
      part.resume()
      return refuse(`has a file '${printable(name.slice(0, LONGEST_NAME))}'; its files are ${names.join(', ')}`) // prettier-ignore
    }
    if (open.has(name)) {
      part.resume()
      return refuse(`has the part '${name}' twice`)
    }
    open.set(name, part)
    writing.push(store(name, part).catch((error: unknown) => void parser.destroy(error as Error)))
  })
  parser.on('field', (name: string, value: string, isNameCut: boolean, isValueCut: boolean) => {
    if (isNameCut || isValueCut)
      return refuse(`has a part '${printable(name.slice(0, LONGEST_NAME))}' of more than ${LONGEST_FIELD} characters`) // prettier-ignore
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : [before, value].flat())
  })
  parser.on('partsLimit', () => refuse(`has more than ${MOST_FIELDS + names.length} parts`))
  parser.on('fieldsLimit', () => refuse(`has more than ${MOST_FIELDS} parts beside its files`))
  parser.on('filesLimit', () => refuse(`has more files than ${names.join(', ')}`))
  try {
    await pipeline(body, parser)
  } catch (error) {
    for (const part of open.values()) part.destroy()
    await Promise.all(writing)
    if (error instanceof AppError || (error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    throw new AppError('invalid_parameter', `the multipart body can't be read: ${messageOf(error)}`, { cause: error }) // prettier-ignore
  }
  await Promise.all(writing)
  return { files: stored, fields: Object.fromEntries(fields) }
}

/** Writes chunks to a new file. @throws `too_large` when they have more than `most` bytes; the message names the file as `what`. */
export async function storeFile(
  chunks: AsyncIterable<Buffer>,
  path: string,
  most: number,
  what: string,
): Promise<FilePart> {
  const hash = createHash('sha256')
  let bytes = 0
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      hash.update(chunk)
      if (bytes > most) throw tooLarge(what, most)
      yield chunk
    }
  }
  await pipeline(counted, createWriteStream(path))
  return { path, bytes, digest: hash.digest('hex') }
}

/** Returns the error for a file or body of more than `most` bytes. */
export function tooLarge(what: string, most: number): AppError {
  const limit = `it may have at most ${most / 2 ** 20} MiB`
  return new AppError('too_large', `${what} is too large: ${limit}; send several smaller files`)
}

function openParser(contentType: string, names: readonly string[]): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Some clients send the input file without a file name.
      isPartAFile: (name, _type, fileName) => names.includes(name ?? '') || fileName !== undefined,
      limits: {
        files: names.length,
        fields: MOST_FIELDS,
        parts: MOST_FIELDS + names.length,
        fieldNameSize: LONGEST_NAME,
        fieldSize: LONGEST_FIELD,
        headerPairs: 20,
        headerSize: 8_192,
      },
    })
  } catch (cause) {
    throw new AppError('invalid_parameter', `the multipart body can't be read: ${messageOf(cause)}`, {
      cause,
    })
  }
}
