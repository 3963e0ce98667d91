import { isAscii, isUtf8 } from 'node:buffer'

/** A line longer than this is refused; DuckDB's reader is told so, too. */
export const MAX_RECORD_BYTES = 1 << 20

/** What becomes of the records of one file, in the order of their lines. */
export interface RecordSink {
  /** Bytes from `start` to `end` are a record, without its line end; valid only until the call returns. */
  record(line: number, bytes: Buffer, start: number, end: number, traits: RecordTraits): void
  /** `raw` is the whole record, or the start of one that is too long to be read; valid only until the call returns. */
  refuse(line: number, raw: Buffer, reason: string): void
  /**
   * Called after the last record: returns what the report says of the file, where only all records show it.
   * @throws `header_drift`
   */
  readonly end?: () => string | null
}

export interface RecordTraits {
  /** A quoted field holds a line end. */
  readonly spansLines: boolean
  /** Outside quotes there is a quote or a carriage return, which a reader with quotes would misread. */
  readonly hasLooseBytes: boolean
  /** All bytes of the block that it came in, and so its own, are ASCII; else it may still be. */
  readonly isAscii: boolean
}

/** How one kind of format finds the end of a record. */
export interface Splitter {
  /**
   * Reads the record that starts at `start`. Returns the index behind its line end, or -1 when it needs more bytes
   * (never when `isLast`). The record itself, or why it is refused, is in the fields below.
   */
  split(bytes: Buffer, start: number, isLast: boolean): number
  readonly end: number
  readonly reason: string | null
  readonly lineCount: number
  readonly hasLooseBytes: boolean
}

const NEWLINE = 0x0a
const RETURN = 0x0d
/** Bytes of a refused record that are kept. */
export const RAW_BYTES_KEPT = 4_000

/**
 * Cuts a stream of bytes into physical records and counts them: every line that is not blank is one, except that a
 * quoted field may hold line ends. What is no text in the file's encoding, or too long, is refused here.
 * Input: blocks of any size. Memory: a block and at most one record.
 */
export class Framer {
  physicalRecords = 0
  private readonly splitter: Splitter
  private readonly sink: RecordSink
  private readonly isUtf8Expected: boolean
  private rest: Buffer = Buffer.alloc(0)
  private line: number
  /** Bytes of a line that is too long, thrown away until it ends. */
  private skipped: { bytes: number; head: Buffer } | null = null

  constructor(
    splitter: Splitter,
    sink: RecordSink,
    options: { encoding: 'utf-8' | 'latin-1'; firstLine: number },
  ) {
    this.splitter = splitter
    this.sink = sink
    this.line = options.firstLine
    this.isUtf8Expected = options.encoding === 'utf-8'
  }

  push(block: Buffer, isLast: boolean): void {
    let bytes = this.rest.length === 0 ? block : Buffer.concat([this.rest, block])
    this.rest = Buffer.alloc(0)
    if (this.skipped !== null) bytes = this.skip(bytes, isLast)
    const at = this.records(bytes, isLast)
    if (at === bytes.length) return
    if (bytes.length - at <= MAX_RECORD_BYTES + 2) {
      this.rest = Buffer.from(bytes.subarray(at))
      return
    }
    this.skipped = { bytes: 0, head: Buffer.from(bytes.subarray(at, at + RAW_BYTES_KEPT)) }
    this.skip(bytes.subarray(at), isLast)
  }

  private records(bytes: Buffer, isLast: boolean): number {
    const isAsciiBlock = isAscii(bytes)
    const hasNul = bytes.includes(0)
    let at = 0
    while (at < bytes.length) {
      const blank = blankEnd(bytes, at, isLast)
      if (blank > 0) {
        this.line++
        at = blank
        continue
      }
      const next = blank < 0 ? -1 : this.splitter.split(bytes, at, isLast)
      if (next < 0) return at
      const { end, reason, lineCount, hasLooseBytes } = this.splitter
      const fault = reason ?? this.fault(bytes, at, end, isAsciiBlock, hasNul)
      this.physicalRecords++
      if (fault === null) {
        const traits = { spansLines: lineCount > 1, hasLooseBytes, isAscii: isAsciiBlock }
        this.sink.record(this.line, bytes, at, end, traits)
      }
      if (fault !== null) this.sink.refuse(this.line, bytes.subarray(at, end), fault)
      this.line += lineCount
      at = next
    }
    return at
  }

  private fault(
    bytes: Buffer,
    start: number,
    end: number,
    isAsciiBlock: boolean,
    hasNul: boolean,
  ): string | null {
    if (end - start > MAX_RECORD_BYTES) return tooLong(end - start)
    if (hasNul && bytes.subarray(start, end).includes(0)) return 'the line holds a NUL byte'
    if (this.isUtf8Expected && !isAsciiBlock && !isUtf8(bytes.subarray(start, end))) {
      return 'the line is not valid UTF-8'
    }
    return null
  }

  /** Throws away up to the end of the line that is too long; returns what follows it. */
  private skip(bytes: Buffer, isLast: boolean): Buffer {
    if (this.skipped === null) return bytes
    const newline = bytes.indexOf(NEWLINE)
    this.skipped.bytes += newline < 0 ? bytes.length : newline
    if (newline < 0 && !isLast) return Buffer.alloc(0)
    this.physicalRecords++
    this.sink.refuse(this.line, this.skipped.head, tooLong(this.skipped.bytes))
    this.line++
    this.skipped = null
    return newline < 0 ? Buffer.alloc(0) : bytes.subarray(newline + 1)
  }
}

function tooLong(bytes: number): string {
  return `the line has ${bytes} bytes, more than ${MAX_RECORD_BYTES}`
}

/** The index behind a blank line (spaces, the end-of-file mark of DOS); 0 where it is not blank, -1 where that is open. */
function blankEnd(bytes: Buffer, start: number, isLast: boolean): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === NEWLINE) return at + 1
    if (byte !== 0x20 && byte !== RETURN && byte !== 0x1a) return 0
  }
  return isLast ? bytes.length : -1
}
