import { AppError } from '../../errors.ts'

/**
 * How delimited text is written. `quote` encloses fields and is doubled inside them. With null, quotes are ordinary
 * text.
 */
export interface Dialect {
  readonly delimiter: string
  readonly quote: '"' | null
}

/** Commas and double quotes: CSV output, and the intermediate form of Arrow and Parquet rows. */
export const COMMA: Dialect = { delimiter: ',', quote: '"' }

/** JSON lines: each line is one field. */
export const LINES: Dialect = { delimiter: '\u0000', quote: null }

/** Whole records in file order. The same file always gives the same chunks, which a resumed run relies on. */
export interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The number of the first record (the header is not counted) and its line, both from 1. */
  readonly firstRow: number
  readonly firstLine: number
  /** The number of records, without `broken`. */
  readonly rows: number
  /** A record after the chunk's last one that cannot be read. It has a row number too. */
  readonly broken: BrokenRecord | null
}

export interface BrokenRecord {
  readonly row: number
  readonly line: number
  readonly reason: string
  /** The beginning of the record. */
  readonly text: string
}

/** The size of a chunk, about 2,000 rows. */
const CHUNK_BYTES = 256 * 1024
/** In bytes. A longer record comes from a quote that is never closed, or the file is not a table. */
export const LONGEST_RECORD = 1024 * 1024
/**
 * Each unclosed quote costs a scan of up to `LONGEST_RECORD` bytes. Without a limit, a megabyte of lines like `x","`
 * would take minutes.
 */
const MOST_UNCLOSED_QUOTES = 100
const EXCERPT_BYTES = 200

const NEWLINE = 10
const RETURN = 13

/**
 * Splits a stream of UTF-8 bytes into chunks of whole records. Quoted fields may contain line ends. A record longer
 * than `LONGEST_RECORD` is broken. If its quote is open, only its first line is broken, and reading continues on the
 * next line.
 */
export class RecordSplitter {
  readonly #delimiter: number
  readonly #quote: number
  #pending: Buffer = Buffer.alloc(0)
  /** Positions in `#pending`: the next byte to read, and the beginning of the current record. */
  #at = 0
  #recordStart = 0
  #inQuotes = false
  #fieldStart = true
  /** The position of the last closing quote. A quote right after it belongs to the field. */
  #closedAt = -2
  /** True while the rest of a broken record is skipped. */
  #isSkipping = false
  #unclosedQuotes = 0
  /** The line of the next byte, and the line where the current record begins. */
  #line: number
  #recordLine: number
  #row = 1
  #chunkRow = 1
  #chunkLine: number

  constructor({ delimiter, quote }: Dialect, firstLine = 1) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#quote = quote === null ? -1 : quote.charCodeAt(0)
    this.#line = firstLine
    this.#recordLine = firstLine
    this.#chunkLine = firstLine
  }

  /** Returns the chunks that these bytes complete. */
  *push(bytes: Buffer): Generator<Chunk> {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    for (;;) {
      if (this.#isSkipping && !this.#skip()) return
      while (this.#scan()) if (this.#recordStart >= CHUNK_BYTES) yield this.#cut()
      if (this.#pending.length - this.#recordStart <= LONGEST_RECORD) return
      yield this.#breakOff()
    }
  }

  /** Returns the remaining chunks at the end of the file. */
  *end(): Generator<Chunk> {
    while (this.#inQuotes) {
      yield this.#breakOff()
      while (this.#scan()) if (this.#recordStart >= CHUNK_BYTES) yield this.#cut()
    }
    if (!this.#isSkipping && this.#recordStart < this.#pending.length) this.#endRecord(this.#pending.length)
    if (this.#recordStart > 0) yield this.#cut()
  }

  /** Reads to the end of a record; false when the bytes end before it. */
  #scan(): boolean {
    const bytes = this.#pending
    const end = bytes.length
    let at = this.#at
    let inQuotes = this.#inQuotes
    let fieldStart = this.#fieldStart
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte === NEWLINE) {
        this.#line++
        if (inQuotes) continue
        this.#at = at + 1
        this.#inQuotes = false
        this.#fieldStart = true
        this.#endRecord(at + 1)
        return true
      }
      if (inQuotes) {
        if (byte !== this.#quote) continue
        inQuotes = false
        this.#closedAt = at
      } else if (byte === this.#quote && (fieldStart || this.#closedAt === at - 1)) {
        inQuotes = true
        fieldStart = false
      } else fieldStart = byte === this.#delimiter
    }
    this.#at = at
    this.#inQuotes = inQuotes
    this.#fieldStart = fieldStart
    return false
  }

  #endRecord(end: number): void {
    if (!isBlank(this.#pending, this.#recordStart, end)) this.#row++
    this.#recordStart = end
    this.#recordLine = this.#line
  }

  /** Returns the records before the current one as a chunk. */
  #cut(broken: BrokenRecord | null = null): Chunk {
    const bytes = new Uint8Array(this.#recordStart)
    bytes.set(this.#pending.subarray(0, this.#recordStart))
    const rows = this.#row - this.#chunkRow
    const chunk = { bytes, firstRow: this.#chunkRow, firstLine: this.#chunkLine, rows, broken }
    this.#pending = this.#pending.subarray(this.#recordStart)
    this.#at -= this.#recordStart
    this.#closedAt -= this.#recordStart
    this.#recordStart = 0
    this.#chunkRow = this.#row
    this.#chunkLine = this.#recordLine
    return chunk
  }

  /**
   * Ends the current record as broken: only its first line when a quote is open, else the whole record.
   * @throws `bad_input` after `MOST_UNCLOSED_QUOTES` open quotes
   */
  #breakOff(): Chunk {
    const start = this.#recordStart
    if (this.#inQuotes && ++this.#unclosedQuotes > MOST_UNCLOSED_QUOTES)
      throw new AppError(
        'bad_input',
        `line ${this.#recordLine} is one of more than ${MOST_UNCLOSED_QUOTES} lines with a quote that is never closed: double the quotes inside fields ("") and close every quoted field`,
      )
    const reason = this.#inQuotes
      ? 'a quote is never closed'
      : `the row has more than ${LONGEST_RECORD} bytes`
    const newline = this.#inQuotes ? this.#pending.indexOf(NEWLINE, start) : -1
    const end = newline < 0 ? this.#pending.length : newline + 1
    const text = this.#pending.toString('utf8', start, Math.min(end, start + EXCERPT_BYTES)).trimEnd()
    const chunk = this.#cut({ row: this.#row, line: this.#recordLine, reason, text })
    this.#pending = this.#pending.subarray(end - start)
    this.#isSkipping = newline < 0
    this.#row++
    this.#restart(this.#recordLine + (newline < 0 ? 0 : 1))
    return chunk
  }

  /** Skips bytes to the end of a line; false when they end before it. */
  #skip(): boolean {
    const newline = this.#pending.indexOf(NEWLINE)
    this.#pending = newline < 0 ? Buffer.alloc(0) : this.#pending.subarray(newline + 1)
    if (newline < 0) return false
    this.#isSkipping = false
    this.#restart(this.#recordLine + 1)
    return true
  }

  #restart(line: number): void {
    this.#at = 0
    this.#closedAt = -2
    this.#inQuotes = false
    this.#fieldStart = true
    this.#line = line
    this.#recordLine = line
    this.#chunkRow = this.#row
    this.#chunkLine = line
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== NEWLINE && bytes[at] !== RETURN) return false
  return true
}

/** One record of a chunk. `cells` is null when the record does not follow the dialect. */
export interface TextRecord {
  readonly cells: string[] | null
  /** The record as written in the file, without its line end. */
  readonly raw: string
  readonly line: number
}

/** Yields the records of a text, without blank lines. `firstLine` is the number of the text's first line. */
export function* recordsOf(
  text: string,
  { delimiter, quote }: Dialect,
  firstLine: number,
): Generator<TextRecord> {
  let at = 0
  let line = firstLine
  while (at < text.length) {
    let end = text.indexOf('\n', at)
    if (end < 0) end = text.length
    const stop = end > at && text.charCodeAt(end - 1) === RETURN ? end - 1 : end
    const raw = text.slice(at, stop)
    if (quote === null || !raw.includes(quote)) {
      if (raw !== '') yield { cells: raw.split(delimiter), raw, line }
      at = end + 1
      line++
      continue
    }
    const record = quotedRecord(text, at, delimiter, quote)
    yield { cells: record.cells, raw: record.raw, line }
    at = record.next
    line += record.lines
  }
}

interface QuotedRecord {
  readonly cells: string[] | null
  readonly raw: string
  readonly next: number
  readonly lines: number
}

function quotedRecord(text: string, start: number, delimiter: string, quote: string): QuotedRecord {
  const cells: string[] = []
  let isBroken = false
  let at = start
  for (;;) {
    if (text[at] === quote) {
      let value = ''
      let from = at + 1
      for (;;) {
        const close = text.indexOf(quote, from)
        if (close < 0) {
          at = text.length
          isBroken = true
          break
        }
        value += text.slice(from, close)
        if (text[close + 1] !== quote) {
          at = close + 1
          break
        }
        value += quote
        from = close + 2
      }
      cells.push(value)
      const behind = text[at]
      if (
        behind !== undefined &&
        behind !== delimiter &&
        behind !== '\n' &&
        !(behind === '\r' && (text[at + 1] ?? '\n') === '\n')
      ) {
        isBroken = true
        at = endOfField(text, at, delimiter)
      }
    } else {
      const end = endOfField(text, at, delimiter)
      const isLast = text[end] !== delimiter
      cells.push(isLast && text[end - 1] === '\r' && end > at ? text.slice(at, end - 1) : text.slice(at, end))
      at = end
    }
    if (text[at] !== delimiter) break
    at++
  }
  if (text[at] === '\r') at++
  const raw = text.slice(start, at).replace(/\r$/, '')
  let lines = 1
  for (let i = raw.indexOf('\n'); i >= 0; i = raw.indexOf('\n', i + 1)) lines++
  return { cells: isBroken ? null : cells, raw, next: at + 1, lines }
}

// Returns the index after a field without quotes. Searching for the line end from each field would take quadratic time.
function endOfField(text: string, start: number, delimiter: string): number {
  const end = delimiter.charCodeAt(0)
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === NEWLINE || code === end) return at
  }
  return text.length
}
