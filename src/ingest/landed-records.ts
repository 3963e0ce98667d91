import { join } from 'node:path'
import { type Content, blocksOf } from './content.ts'
import { CORRECTION_SUFFIX, readCorrectionHead } from './corrections.ts'
import type { FileKind } from './definition.ts'
import { expectedColumns } from './header.ts'
import { readText } from './read-text.ts'

/** A record of a landed file: its bytes without the line end. `bytes` may change after the callback returns. */
export interface LandedRecord {
  readonly line: number
  readonly bytes: Buffer
  readonly columns: readonly (string | null)[]
}

/** The parts that a new file of the same format needs: its first line and its line ends. */
export interface Frame {
  /** The header line without its end. Null for a format without a header. */
  readonly header: Buffer | null
  readonly lineEnd: '\n' | '\r\n'
}

export interface LandedKey {
  readonly landed_name: string
  readonly container_sha256: string
  readonly member: string | null
}

/** Returns the content of the landed file that the ledger knows by this name and hash. */
export async function landedContent(landing: string, key: LandedKey): Promise<Content> {
  const { landed_name: name, container_sha256: sha256, member } = key
  const path = join(landing, name)
  const isCorrection = name.endsWith(CORRECTION_SUFFIX)
  const file = {
    path,
    name,
    byteCount: 0,
    modifiedAtMs: 0,
    sha256,
    members: null,
    correction: isCorrection ? await readCorrectionHead(path, name) : null,
    fault: null,
  }
  return { file, member, name: { base: name.split('/').at(-1) ?? '', archives: [] } }
}

/**
 * Calls `found` for each record that begins on a wanted line, in the order of the lines. Resolves to the hash of
 * the content's bytes, its header and its line ends.
 * @throws `source_unreadable`, `header_drift`
 */
export async function readRecords(
  content: Content,
  kind: FileKind,
  scratch: string,
  wanted: ReadonlySet<number>,
  found: (record: LandedRecord, frame: Frame) => void,
): Promise<Frame & { sha256: string }> {
  const { format } = kind
  if (format.type === 'parquet') throw new Error('Parquet has no records of lines')
  const hasHeader = format.type === 'delimited' && format.header
  let first: Buffer = Buffer.alloc(0)
  let frame: Frame | null = null
  const frameNow = (): Frame => (frame ??= frameOf(first, hasHeader))
  async function* watched(): AsyncGenerator<Buffer> {
    for await (const block of blocksOf(content, scratch)) {
      if (firstLine(first) === null) first = Buffer.concat([first, block])
      yield block
    }
  }
  const { sha256 } = await readText(
    watched(),
    format,
    expectedColumns(kind),
    content.file.name,
    ({ columns }) => {
      const give = (line: number, bytes: Buffer): void => {
        if (wanted.has(line)) found({ line, bytes, columns }, frameNow())
      }
      return Promise.resolve({
        record: (line, bytes, start, end) => give(line, bytes.subarray(start, end)),
        refuse: (line, raw) => give(line, raw),
      })
    },
    () => Promise.resolve(),
  )
  return { ...frameNow(), sha256 }
}

/** Returns the first line that is not blank, with its end. Returns null while the line is incomplete. */
function firstLine(bytes: Buffer): Buffer | null {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0x0a, at)
    if (end < 0) return null
    const line = bytes.subarray(at, end + 1)
    if (line.toString('latin1').trim() !== '') return line
    at = end + 1
  }
  return null
}

function frameOf(bytes: Buffer, hasHeader: boolean): Frame {
  const line = firstLine(bytes) ?? bytes
  const text = line.at(-1) === 0x0a ? line.subarray(0, -1) : line
  const isDos = text.at(-1) === 0x0d
  const lineEnd = isDos ? '\r\n' : '\n'
  return { header: hasHeader ? Buffer.from(isDos ? text.subarray(0, -1) : text) : null, lineEnd }
}
