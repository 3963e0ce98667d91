import type { Splitter } from './framing.ts'
import { MAX_RECORD_BYTES } from './framing.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
/** Highest number of lines of a quoted field. With more, its opening quote is taken as a stray quote. */
const MAX_LINES_IN_FIELD = 1_000

/**
 * A splitter for formats in which each line is a record. `check` gets the line without its end. It returns the reason
 * why the line is refused, or null.
 */
export class LineSplitter implements Splitter {
  end = 0
  reason: string | null = null
  hasLooseBytes = false
  readonly lineCount = 1
  private readonly check: (bytes: Buffer, start: number, end: number) => string | null

  constructor(check: (bytes: Buffer, start: number, end: number) => string | null) {
    this.check = check
  }

  split(bytes: Buffer, start: number, isLast: boolean): number {
    const newline = bytes.indexOf(NEWLINE, start)
    if (newline < 0 && !isLast) return -1
    const stop = newline < 0 ? bytes.length : newline
    this.end = stop > start && bytes[stop - 1] === RETURN ? stop - 1 : stop
    this.reason = this.check(bytes, start, this.end)
    return newline < 0 ? bytes.length : newline + 1
  }
}

interface Fields {
  readonly delimiter: string
  readonly fieldCount: number
  /** True when each line also ends with a delimiter. A split record then has one more field, which is empty. */
  readonly trailingDelimiter: boolean
}

/** Returns a splitter for fields without quotes: each line is a record, and its delimiters are counted. */
export function unquotedSplitter(options: Fields): Splitter {
  const delimiter = options.delimiter.charCodeAt(0)
  const expected = options.fieldCount + (options.trailingDelimiter ? 1 : 0)
  const splitter: LineSplitter = new LineSplitter((bytes, start, end) => {
    let fields = 1
    let hasLooseBytes = false
    for (let at = start; at < end; at++) {
      const byte = bytes[at]
      if (byte === delimiter) fields++
      else if (byte === QUOTE || byte === RETURN) hasLooseBytes = true
    }
    splitter.hasLooseBytes = hasLooseBytes
    if (fields !== expected) return wrongCount(fields, expected, options.trailingDelimiter)
    if (options.trailingDelimiter && bytes[end - 1] !== delimiter) {
      return 'the line does not end with its delimiter'
    }
    return null
  })
  return splitter
}

/**
 * Returns a splitter for fixed width. Shorter records are refused. Longer ones are accepted as records of a later
 * layout.
 */
export function fixedSplitter(recordLength: number): LineSplitter {
  return new LineSplitter((_bytes, start, end) =>
    end - start < recordLength ? `the record has ${end - start} bytes instead of ${recordLength}` : null,
  )
}

/**
 * A splitter for CSV with quotes (RFC 4180), read strictly: a field is quoted from its first to its last byte, or
 * contains no quote. A line that breaks this rule is refused, and the next line begins a new record.
 *
 * A quoted field may contain line ends, so a forgotten closing quote could swallow the records that follow. Therefore
 * the splitter tests each line inside a quoted field. When the line is a whole record, the opening quote is an error,
 * and its line is refused.
 */
export class QuotedSplitter implements Splitter {
  end = 0
  reason: string | null = null
  lineCount = 1
  hasLooseBytes = false
  private readonly delimiter: number
  private readonly fieldCount: number
  private readonly trailingDelimiter: boolean
  private readonly expected: number
  private fault = ''
  private fields = 0
  private linesInFields = 0

  constructor(options: Fields) {
    this.delimiter = options.delimiter.charCodeAt(0)
    this.fieldCount = options.fieldCount
    this.trailingDelimiter = options.trailingDelimiter
    this.expected = options.fieldCount + (options.trailingDelimiter ? 1 : 0)
  }

  split(bytes: Buffer, start: number, isLast: boolean): number {
    this.hasLooseBytes = false
    const stop = this.scan(bytes, start, isLast, true)
    if (stop === NEEDS_MORE) return -1
    if (stop === BROKEN) return this.refuseLine(bytes, start, isLast, this.fault)
    if (this.fields !== this.expected) {
      return this.refuseLine(
        bytes,
        start,
        isLast,
        wrongCount(this.fields, this.expected, this.trailingDelimiter),
      )
    }
    this.end = stop > start && bytes[stop - 1] === RETURN ? stop - 1 : stop
    if (this.trailingDelimiter && bytes[this.end - 1] !== this.delimiter) {
      return this.refuseLine(bytes, start, isLast, 'the line does not end with its delimiter')
    }
    this.reason = null
    this.lineCount = 1 + this.linesInFields
    return Math.min(stop + 1, bytes.length)
  }

  /** Refuses only the physical line at `start`, although its quotes may reach further. */
  private refuseLine(bytes: Buffer, start: number, isLast: boolean, reason: string): number {
    const newline = bytes.indexOf(NEWLINE, start)
    if (newline < 0 && !isLast) return -1
    const stop = newline < 0 ? bytes.length : newline
    this.end = stop > start && bytes[stop - 1] === RETURN ? stop - 1 : stop
    this.reason = reason
    this.lineCount = 1
    return newline < 0 ? bytes.length : newline + 1
  }

  /**
   * Returns the index of the record's line end, or of the end of the file. Counts the fields, and the line ends in
   * quoted fields. Otherwise returns NEEDS_MORE, BROKEN (with `fault`), or OPEN when a quoted field crosses the line
   * end although `mayCrossLines` is false.
   */
  private scan(bytes: Buffer, start: number, isLast: boolean, mayCrossLines: boolean): number {
    const { delimiter } = this
    const { length } = bytes
    let fields = 1
    let lines = 0
    let at = start
    for (;;) {
      if (at < length && bytes[at] === QUOTE) {
        at++
        for (;;) {
          while (at < length && bytes[at] !== QUOTE && bytes[at] !== NEWLINE) at++
          if (at >= length) {
            if (!isLast && at - start <= MAX_RECORD_BYTES) return NEEDS_MORE
            if (!mayCrossLines) return this.open(fields)
            return this.broken('a quoted field does not end')
          }
          if (bytes[at] === NEWLINE) {
            if (!mayCrossLines) return this.open(fields)
            lines++
            if (lines > MAX_LINES_IN_FIELD || at - start > MAX_RECORD_BYTES) {
              return this.broken('a quoted field does not end')
            }
            const verdict = this.isRecordAlone(bytes, at + 1, isLast)
            if (verdict === NEEDS_MORE) return NEEDS_MORE
            if (verdict === 1) return this.broken('a quoted field does not end')
            at++
            continue
          }
          at++
          if (at >= length && !isLast) return NEEDS_MORE
          if (bytes[at] !== QUOTE || at >= length) break
          at++
        }
        if (at < length && bytes[at] === RETURN) {
          if (at + 1 >= length && !isLast) return NEEDS_MORE
          if (at + 1 >= length || bytes[at + 1] === NEWLINE) at++
        }
        if (at < length && bytes[at] !== delimiter && bytes[at] !== NEWLINE) {
          return this.broken('a closing quote is followed by text')
        }
      } else {
        while (at < length && bytes[at] !== delimiter && bytes[at] !== NEWLINE) {
          if (bytes[at] === QUOTE) return this.broken('a quote stands inside an unquoted field')
          if (bytes[at] === RETURN && bytes[at + 1] !== NEWLINE) this.hasLooseBytes = true
          at++
        }
      }
      if (at >= length || bytes[at] === NEWLINE) {
        if (at >= length && !isLast) return NEEDS_MORE
        this.fields = fields
        this.linesInFields = lines
        return at
      }
      at++
      fields++
    }
  }

  /** Returns 1 when the line at `start` is a whole record, else 0. It never is one in files of one or two columns. */
  private isRecordAlone(bytes: Buffer, start: number, isLast: boolean): number {
    if (this.fieldCount < 3) return 0
    const { fault } = this
    const stop = this.scan(bytes, start, isLast, false)
    this.fault = fault
    if (stop === NEEDS_MORE) return NEEDS_MORE
    // A line whose last field begins with an open quote counts as well. Both open quotes are then errors.
    return stop !== BROKEN && this.fields === this.expected ? 1 : 0
  }

  private open(fields: number): number {
    this.fields = fields
    return OPEN
  }

  private broken(fault: string): number {
    this.fault = fault
    return BROKEN
  }
}

const NEEDS_MORE = -1
const BROKEN = -2
const OPEN = -3

function wrongCount(fields: number, expected: number, trailing: boolean): string {
  const own = trailing ? fields - 1 : fields
  return `the line has ${own} fields instead of ${trailing ? expected - 1 : expected}`
}
