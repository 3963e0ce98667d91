import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { memberNames, openMember, unreadable } from './archives.ts'
import { withoutHead } from './corrections.ts'
import type { FileName } from './file-names.ts'
import type { LandedFile } from './landing.ts'

/** Unpacked bytes: those of a file, of a gzip, or of one member of a zip. */
export interface Content {
  readonly file: LandedFile
  readonly member: string | null
  readonly name: FileName
}

/** Returns the contents of a landed file: one for each member of a zip, otherwise one. */
export function contentsOf(file: LandedFile): Content[] {
  if (file.members === null) {
    const base = basename(file.name).replace(/\.gz$/i, '')
    return [{ file, member: null, name: { base, archives: [] } }]
  }
  return file.members.map((member) => {
    const names = [basename(file.name), ...memberNames(member)].map((name) => name.replace(/\.gz$/i, ''))
    return { file, member, name: { base: names.pop() ?? '', archives: names } }
  })
}

/** Returns the name in messages: `archive.zip!member.txt` for a member of a zip. */
export function shownName(content: Content): string {
  return content.member === null ? content.file.name : `${content.file.name}!${content.member}`
}

/** Returns the unpacked bytes block by block. @throws `source_unreadable` when the file is cut off or damaged */
export async function* blocksOf(content: Content, scratch: string): AsyncGenerator<Buffer> {
  const { file, member } = content
  const packed =
    member === null
      ? createReadStream(file.path, { highWaterMark: 1 << 20 })
      : await openMember(file.path, member, file.name, scratch)
  try {
    const blocks = unpacked(packed, member ?? file.name) as AsyncIterable<Buffer>
    for await (const block of file.correction === null ? blocks : withoutHead(blocks)) yield block
  } catch (cause) {
    throw unreadable(shownName(content), cause)
  } finally {
    packed.destroy()
  }
}

/** Returns the path of a file with the unpacked bytes, for readers that do not read from start to end (Parquet). */
export async function pathOf(content: Content, scratch: string): Promise<string> {
  if (isPlain(content)) return content.file.path
  const target = join(await mkdtemp(join(scratch, 'content-')), 'content')
  await pipeline(Readable.from(blocksOf(content, scratch)), createWriteStream(target))
  return target
}

/** Returns true when the landed file is not packed. */
export function isPlain(content: Content): boolean {
  return content.member === null && !/\.gz$/i.test(content.file.name)
}

function unpacked(packed: Readable, name: string): Readable {
  if (!/\.gz$/i.test(name)) return packed
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  // pipe() does not pass errors on.
  packed.on('error', (error) => gunzip.destroy(error))
  return packed.pipe(gunzip)
}
