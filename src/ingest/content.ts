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

/** The bytes of a file as its publisher wrote them: a landed file, what a gzip holds, or a member of a zip. */
export interface Content {
  readonly file: LandedFile
  readonly member: string | null
  readonly name: FileName
}

/** The contents of a landed file; a zip has one for each member. */
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

/** How messages name it. */
export function shownName(content: Content): string {
  return content.member === null ? content.file.name : `${content.file.name}!${content.member}`
}

/** Unpacked bytes, block by block. @throws `source_unreadable` where it breaks off or is damaged */
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

/** A path that holds the unpacked bytes, for formats that are not read from front to back. */
export async function pathOf(content: Content, scratch: string): Promise<string> {
  if (content.member === null && !/\.gz$/i.test(content.file.name)) return content.file.path
  const target = join(await mkdtemp(join(scratch, 'content-')), 'content')
  await pipeline(Readable.from(blocksOf(content, scratch)), createWriteStream(target))
  return target
}

/** True where the content's bytes are the landed file's own. */
export function isPlain(content: Content): boolean {
  return content.member === null && !/\.gz$/i.test(content.file.name)
}

function unpacked(packed: Readable, name: string): Readable {
  if (!/\.gz$/i.test(name)) return packed
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  // pipe() hands no error on.
  packed.on('error', (error) => gunzip.destroy(error))
  return packed.pipe(gunzip)
}
