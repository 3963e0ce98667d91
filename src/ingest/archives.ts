import { createWriteStream } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise } from 'yauzl'
import { AppError, messageOf } from '../errors.ts'

/** Separates the path of an inner archive from the path of its member: `export/inner.zip!APPRAISAL_INFO.TXT`. */
const INSIDE = '!'
const MAX_DEPTH = 4

/**
 * Returns the paths of all files in a zip, including those of inner zips, which it unpacks into `scratch`.
 * @throws `source_unreadable`
 */
export async function listMembers(path: string, shownName: string, scratch: string): Promise<string[]> {
  return await readable(shownName, () => membersOf(path, scratch, 0))
}

/**
 * Returns the bytes of one member as a stream. The stream fails when length or CRC are wrong.
 * @throws `source_unreadable`
 */
export async function openMember(
  path: string,
  member: string,
  shownName: string,
  scratch: string,
): Promise<Readable> {
  return await readable(shownName, async () => {
    const [outer = '', ...inner] = member.split(INSIDE)
    if (inner.length === 0) return await openEntry(path, outer)
    const unpacked = await unpack(path, outer, scratch)
    return await openMember(unpacked, inner.join(INSIDE), shownName, scratch)
  })
}

/** Returns the base names of the archives around a member, outermost first, and the member's own base name last. */
export function memberNames(member: string): string[] {
  return member.split(INSIDE).map((part) => part.split('/').at(-1) ?? part)
}

async function membersOf(path: string, scratch: string, depth: number): Promise<string[]> {
  const members: string[] = []
  for (const name of await entryNames(path)) {
    if (/(^|\/)(\.|__MACOSX\/)/.test(name)) continue
    if (/\.zip$/i.test(name) && depth < MAX_DEPTH) {
      const unpacked = await unpack(path, name, scratch)
      for (const inner of await membersOf(unpacked, scratch, depth + 1)) {
        members.push(`${name}${INSIDE}${inner}`)
      }
    } else {
      members.push(name)
    }
  }
  return members.sort()
}

async function entryNames(path: string): Promise<string[]> {
  const zip = await openPromise(path)
  const names: string[] = []
  for await (const entry of zip.eachEntry()) {
    if (!entry.fileName.endsWith('/')) names.push(entry.fileName)
  }
  return names
}

async function openEntry(path: string, name: string): Promise<Readable> {
  const zip = await openPromise(path, { autoClose: false })
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue
    const bytes = await zip.openReadStreamPromise(entry)
    const checked = bytes.pipe(checksum(entry))
    // pipe() does not pass errors on. Without this line the reader of a damaged member would wait for ever.
    bytes.on('error', (error) => checked.destroy(error))
    checked.once('close', () => zip.close())
    return checked
  }
  zip.close()
  throw new Error(`it has no member ${name}`)
}

function checksum(entry: Entry): Transform {
  let sum = 0
  return new Transform({
    readableHighWaterMark: 1 << 20,
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
    flush(done) {
      done(sum === entry.crc32 ? null : new Error(`its member ${entry.fileName} has a wrong checksum`))
    },
  })
}

async function unpack(path: string, name: string, scratch: string): Promise<string> {
  const target = join(await mkdtemp(join(scratch, 'zip-')), 'inner.zip')
  await pipeline(await openEntry(path, name), createWriteStream(target))
  return target
}

async function readable<T>(shownName: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw unreadable(shownName, cause)
  }
}

/** Returns an error that explains why a file or archive cannot be read, and what to do. */
export function unreadable(file: string, cause: unknown): AppError {
  const message = messageOf(cause)
  if (/ENOSPC|EDQUOT/.test(message)) {
    return new AppError(
      'disk_full',
      `no space left on the disk while ${file} was unpacked: free space and run again`,
      {
        cause,
      },
    )
  }
  const why =
    /unexpected end of file|end of central directory|invalid.*(signature|central)|truncated|unexpected EOF/i.test(
      message,
    )
      ? 'the file is cut off or damaged; download it again'
      : 'the file cannot be read'
  return new AppError('source_unreadable', `${file}: ${why} (${message})`, { cause, details: { file } })
}
