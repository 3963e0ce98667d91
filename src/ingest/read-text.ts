import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { FileKind } from './definition.ts'
import { decode } from './encoding.ts'
import { Framer, MAX_RECORD_BYTES, type RecordSink, type Splitter } from './framing.ts'
import { type ExpectedColumns, type Layout, layoutOf } from './header.ts'
import { fixedSplitter, LineSplitter, QuotedSplitter, unquotedSplitter } from './splitters.ts'

type TextFormat = Exclude<FileKind['format'], { type: 'parquet' }>

export interface ReadText {
  /** Number of records. Blank lines and the header do not count. */
  readonly physicalRecords: number
  readonly byteCount: number
  readonly sha256: string
  /** Remarks on the file: changed columns, or records in another encoding. Null without remarks. */
  readonly note: string | null
  /** False when all lines of the file are blank. */
  readonly hasLines: boolean
}

/**
 * Cuts the blocks of a file into records. `open` gets the columns of the file and returns the sink that takes its
 * records. `afterBlock` is called after each block.
 * @throws `header_drift` when columns are missing, `source_unreadable` when the file is not text
 */
export async function readText(
  blocks: AsyncIterable<Buffer>,
  format: TextFormat,
  expected: ExpectedColumns,
  file: string,
  open: (layout: Layout) => Promise<RecordSink>,
  afterBlock: () => Promise<void>,
): Promise<ReadText> {
  const hash = createHash('sha256')
  let byteCount = 0
  let note: string | null = null
  let end: RecordSink['end']
  let framer: Framer | null = null
  let head: Buffer = Buffer.alloc(0)
  const start = async (isLast: boolean): Promise<void> => {
    const header = takeHeader(head, format, expected, file, isLast)
    if (header === null) return
    note = header.layout.note
    const sink = await open(header.layout)
    end = sink.end
    framer = new Framer(splitterFor(format, header.layout.columns.length), sink, {
      encoding: format.type === 'jsonl' ? 'utf-8' : format.encoding,
      firstLine: header.firstLine,
    })
    framer.push(head.subarray(header.bytes), false)
    head = Buffer.alloc(0)
  }
  for await (const block of blocks) {
    hash.update(block)
    const isFirst = byteCount === 0
    byteCount += block.length
    const text = isFirst ? withoutMark(block, file) : block
    if (framer === null) {
      head = Buffer.concat([head, text])
      await start(false)
    } else {
      ;(framer as Framer).push(text, false)
    }
    await afterBlock()
  }
  if (framer === null) await start(true)
  const framed = framer as Framer | null
  framed?.push(Buffer.alloc(0), true)
  await afterBlock()
  return {
    physicalRecords: framed?.physicalRecords ?? 0,
    byteCount,
    sha256: hash.digest('hex'),
    note: joined([note, end?.() ?? null]),
    hasLines: framed !== null && (framed.physicalRecords > 0 || hasHeader(format)),
  }
}

function joined(notes: readonly (string | null)[]): string | null {
  const given = notes.filter((note) => note !== null)
  return given.length === 0 ? null : given.join('; ')
}

function hasHeader(format: TextFormat): boolean {
  return format.type === 'delimited' && format.header
}

function splitterFor(format: TextFormat, fieldCount: number): Splitter {
  if (format.type === 'fixed') return fixedSplitter(format.recordLength)
  if (format.type === 'jsonl') return new LineSplitter(() => null)
  const { delimiter, trailingDelimiter } = format
  const options = { delimiter, trailingDelimiter, fieldCount }
  return format.quote === null ? unquotedSplitter(options) : new QuotedSplitter(options)
}

interface Header {
  readonly layout: Layout
  /** Number of bytes before the first record. */
  readonly bytes: number
  readonly firstLine: number
}

/**
 * Reads the header at the start of a file. Returns null while `head` has no complete header line, and when a file has
 * only blank lines.
 */
function takeHeader(
  head: Buffer,
  format: TextFormat,
  expected: ExpectedColumns,
  file: string,
  isLast: boolean,
): Header | null {
  if (format.type === 'fixed') {
    const columns = format.columns.map((column) => column.name)
    return { layout: { columns, note: null }, bytes: 0, firstLine: 1 }
  }
  if (format.type === 'jsonl' || !format.header) {
    return { layout: { columns: format.columns, note: null }, bytes: 0, firstLine: 1 }
  }
  let line = 1
  let at = 0
  for (;;) {
    const newline = head.indexOf(0x0a, at)
    if (newline < 0 && (!isLast || at >= head.length)) {
      if (head.length - at <= MAX_RECORD_BYTES) return null
      throw new AppError(
        'source_unreadable',
        `${file}, line ${line}: the header is longer than 1 MB, so this is another file or its line ends are missing`,
      )
    }
    const end = newline < 0 ? head.length : newline
    const text = decode(head.subarray(at, end), format.encoding).replace(/\r$/, '')
    at = end + 1
    if (text.trim() !== '') {
      const names = namesIn(text, format)
      return {
        layout: layoutOf(names, expected, { file, line }),
        bytes: Math.min(at, head.length),
        firstLine: line + 1,
      }
    }
    line++
  }
}

function namesIn(text: string, format: Extract<TextFormat, { type: 'delimited' }>): string[] {
  const names: string[] = []
  let rest = text
  for (;;) {
    const quoted = format.quote === null ? null : /^"((?:[^"]|"")*)"/.exec(rest)
    const end = quoted === null ? rest.indexOf(format.delimiter) : quoted[0].length
    const name = quoted === null ? rest.slice(0, end < 0 ? undefined : end) : (quoted[1] ?? '')
    names.push(name.replaceAll('""', '"'))
    if (end < 0 || end >= rest.length) break
    rest = rest.slice(end + 1)
  }
  if (format.trailingDelimiter && names.at(-1) === '') names.pop()
  return names
}

/** Returns the block without a UTF-8 byte order mark. @throws `source_unreadable` when the first block is not text */
function withoutMark(block: Buffer, file: string): Buffer {
  const start = block.subarray(0, 1 << 16)
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)) {
    throw notText(file, 'it is UTF-16; convert it to UTF-8')
  }
  const signature = SIGNATURES.find(([bytes]) => start.subarray(0, bytes.length).equals(bytes))
  if (signature !== undefined) throw notText(file, `it starts like ${signature[1]}`)
  let controls = 0
  for (const byte of start) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 0x1a)) controls++
  if (controls > start.length / 25) {
    throw notText(file, `${controls} of its first ${start.length} bytes are control characters`)
  }
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? block.subarray(3) : block
}

const SIGNATURES: [Buffer, string][] = [
  [Buffer.from([0x50, 0x4b, 0x03, 0x04]), 'a zip archive (or a spreadsheet)'],
  [Buffer.from([0x1f, 0x8b]), 'a gzip file'],
  [Buffer.from('%PDF-'), 'a PDF'],
  [Buffer.from('PAR1'), 'a Parquet file'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an old Office file'],
]

function notText(file: string, why: string): AppError {
  return new AppError('source_unreadable', `${file}, line 1: the file is not text: ${why}`, {
    details: { file, line: 1 },
  })
}
