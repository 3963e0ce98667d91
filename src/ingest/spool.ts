import { closeSync, openSync, writeSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../errors.ts'

/** A temporary CSV file of records: `delimiter` between fields, `\n` after each record, quotes as in RFC 4180. */
export interface SpoolChunk {
  readonly path: string
  /** True when a quoted field contains a line end. DuckDB cannot read such a file in parallel. */
  readonly hasLineEndInField: boolean
}

interface SpoolOptions {
  readonly folder: string
  readonly name: string
  readonly delimiter: string
  readonly load: (chunk: SpoolChunk) => Promise<void>
}

/** Fits the longest record (1 MB), which decoding and quoting may make six times as long. */
const BUFFER_BYTES = 8 << 20
const FIRST_CHUNK_BYTES = 4 << 20
const LAST_CHUNK_BYTES = 64 << 20
const QUOTE = 0x22
const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * Collects records in temporary files (chunks) until DuckDB loads them. Each record begins with its file id and line
 * number. `load` reads one chunk while the next one is being written. Loaded chunks are deleted. The first chunk is
 * small, so that loading begins early.
 */
export class Spool {
  private readonly options: SpoolOptions
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  private used = 0
  private written = 0
  private descriptor: number | null = null
  private chunkCount = 0
  private hasLineEndInField = false
  private loading: Promise<void> = Promise.resolve()
  private readonly delimiter: number

  constructor(options: SpoolOptions) {
    this.options = options
    this.delimiter = options.delimiter.charCodeAt(0)
  }

  /** Writes a record without changes: its fields are already valid CSV in UTF-8. `end` excludes the line end. */
  write(fileId: number, line: number, source: Buffer, start: number, end: number, spansLines: boolean): void {
    if (spansLines) this.hasLineEndInField = true
    this.begin(fileId, line, end - start)
    this.used += source.copy(this.buffer, this.used, start, end)
    this.buffer[this.used++] = NEWLINE
  }

  /** Begins a record that is written field by field. Its fields and delimiters have at most `length` bytes. */
  begin(fileId: number, line: number, length: number): void {
    if (this.used + length + 32 > BUFFER_BYTES) this.drain()
    const { delimiter } = this.options
    this.used += this.buffer.write(`${fileId}${delimiter}${line}${delimiter}`, this.used, 'latin1')
  }

  /** Writes a field that contains no quote, delimiter or line end. */
  plainField(source: Buffer, start: number, end: number): void {
    this.used += source.copy(this.buffer, this.used, start, end)
    this.buffer[this.used++] = this.delimiter
  }

  /** Writes any field, in quotes where needed. */
  field(source: Buffer): void {
    const needsQuotes =
      source.includes(QUOTE) ||
      source.includes(this.delimiter) ||
      source.includes(NEWLINE) ||
      source.includes(RETURN)
    if (!needsQuotes) {
      this.plainField(source, 0, source.length)
      return
    }
    if (source.includes(NEWLINE)) this.hasLineEndInField = true
    this.buffer[this.used++] = QUOTE
    for (const byte of source) {
      if (byte === QUOTE) this.buffer[this.used++] = QUOTE
      this.buffer[this.used++] = byte
    }
    this.buffer[this.used++] = QUOTE
    this.buffer[this.used++] = this.delimiter
  }

  /** Ends the record that `begin` began. */
  end(): void {
    this.buffer[this.used - 1] = NEWLINE
  }

  /** Writes a whole record from its fields. */
  writeFields(fileId: number, line: number, fields: readonly Buffer[]): void {
    let length = 0
    for (const field of fields) length += field.length * 2 + 3
    this.begin(fileId, line, length)
    for (const field of fields) this.field(field)
    this.end()
  }

  /** True when the current chunk has reached its size, so that `hand` should be called. */
  get isFull(): boolean {
    return this.written + this.used >= Math.min(FIRST_CHUNK_BYTES * 2 ** this.chunkCount, LAST_CHUNK_BYTES)
  }

  /** Passes the collected records to `load`. Waits only until the previous chunk is loaded. */
  async hand(): Promise<void> {
    if (this.written + this.used === 0) return
    this.drain()
    const path = this.path()
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
    const chunk = { path, hasLineEndInField: this.hasLineEndInField }
    this.written = 0
    this.chunkCount++
    this.hasLineEndInField = false
    await this.loading
    this.loading = this.options.load(chunk).finally(() => unlink(path))
    // The next `hand` or `settle` throws the failure. This handler keeps Node from reporting it as unhandled before.
    this.loading.catch(() => undefined)
  }

  /** Passes the remaining records to `load` and waits until all are loaded. */
  async settle(): Promise<void> {
    await this.hand()
    await this.loading
  }

  /** Stops without loading the rest. Waits for the running load and ignores its result. */
  async abandon(): Promise<void> {
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
    await this.loading.catch(() => undefined)
  }

  private path(): string {
    return join(this.options.folder, `${this.options.name}-${this.chunkCount}.csv`)
  }

  private drain(): void {
    try {
      this.descriptor ??= openSync(this.path(), 'w')
      let from = 0
      while (from < this.used) from += writeSync(this.descriptor, this.buffer, from, this.used - from)
    } catch (cause) {
      if (!/ENOSPC|EDQUOT|EFBIG/.test(messageOf(cause))) throw cause
      throw new AppError(
        'disk_full',
        `no space left on the disk of ${this.options.folder}, where files wait to be loaded: free space and run again`,
        { cause },
      )
    }
    this.written += this.used
    this.used = 0
  }
}
