import { isAscii, isUtf8 } from 'node:buffer'

/** Longer lines are refused. */
export const MAX_RECORD_BYTES = 1 << 20

/** Receives the records of one file in the order of their lines. */
export interface RecordSink {
  /** Takes one record: `bytes` from `start` up to, but not including, `end`. `bytes` may change after the call. */
  record(line: number, bytes: Buffer, start: number, end: number, traits: RecordTraits): void
  /** Takes a refused record, or the start of one that is too long. `raw` may change after the call. */
  refuse(line: number, raw: Buffer, reason: string): void
  /**
   * Called after the last record. Returns a remark on the file, or null.
   * @throws `header_drift` when the records together show that a needed column is missing
   */
  readonly end?: () => string | null
}

export interface RecordTraits {
  /** A quoted field contains a line end. */
  readonly spansLines: boolean
  /** There is a quote or a carriage return outside quoted fields. A CSV reader would misread it. */
  readonly hasLooseBytes: boolean
  /** All bytes of the record's block are ASCII. When false, the record itself may still be ASCII. */
  readonly isAscii: boolean
}

/** Finds the ends of records in one format. */
export interface Splitter {
  /**
   * Reads the record that begins at `start`, and sets the fields below. Returns the index after its line end, or -1
   * when it needs more bytes (never when `isLast`).
   */
  split(bytes: Buffer, start: number, isLast: boolean): number
  readonly end: number
  readonly reason: string | null
  readonly lineCount: number
  readonly hasLooseBytes: boolean
}

const NEWLINE = 0x0a
const RETURN = 0x0d
/** Number of bytes of a refused record that the quarantine keeps. */
export const RAW_BYTES_KEPT = 4_000

/**
 * Cuts a stream of bytes into records and counts them. Each line that is not blank is a record, but a quoted field may
 * contain line ends. Refuses records that are too long or not text in the file's encoding.
 *
 * Blocks may have any size. The framer keeps at most one block and one record in memory.
 */
export class Framer {
  physicalRecords = 0
  private readonly splitter: Splitter
  private readonly sink: RecordSink
  private readonly isUtf8Expected: boolean
  private rest: Buffer = Buffer.alloc(0)
  private line: number
  /** A line that is too long: the number of its bytes so far, and its first bytes. Null outside such a line. */
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

  /** Discards the bytes up to the end of the line that is too long. Returns the bytes after the line. */
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

/**
 * Returns the index after a blank line, which may contain spaces and DOS's end-of-file byte. Returns 0 when the line
 * is not blank, and -1 when more bytes are needed to decide.
 */
function blankEnd(bytes: Buffer, start: number, isLast: boolean): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === NEWLINE) return at + 1
    if (byte !== 0x20 && byte !== RETURN && byte !== 0x1a) return 0
  }
  return isLast ? bytes.length : -1
}
