import { closeSync, openSync, writeSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../errors.ts'

/** How the records of a spool are written; one byte between fields, `\n` behind records, RFC 4180 quotes. */
export interface SpoolChunk {
  readonly path: string
  /** A quoted field holds a line end: such text is not read in parallel. */
  readonly hasLineEndInField: boolean
}

/** Room for the longest record, of which Latin-1 and quotes may make six times its bytes. */
const BUFFER_BYTES = 8 << 20
const FIRST_CHUNK_BYTES = 4 << 20
const LAST_CHUNK_BYTES = 64 << 20
const QUOTE = 0x22
const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * Records on their way into the warehouse: each with file and line number in front, in chunks that `load` takes
 * one after the other, while the next one is being written; the first is small, so that loading begins early. A chunk is removed once it is loaded.
 */
export class Spool {
  private readonly folder: string
  private readonly name: string
  private readonly delimiter: number
  private readonly load: (chunk: SpoolChunk) => Promise<void>
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  private used = 0
  private written = 0
  private descriptor: number | null = null
  private chunkCount = 0
  private hasLineEndInField = false
  private loading: Promise<void> = Promise.resolve()

  constructor(options: {
    folder: string
    name: string
    delimiter: string
    load: (chunk: SpoolChunk) => Promise<void>
  }) {
    this.folder = options.folder
    this.name = options.name
    this.delimiter = options.delimiter.charCodeAt(0)
    this.load = options.load
  }

  /** A record as it stands: well formed, UTF-8, without its line end. */
  write(fileId: number, line: number, source: Buffer, start: number, end: number, spansLines: boolean): void {
    if (spansLines) this.hasLineEndInField = true
    this.begin(fileId, line, end - start)
    this.used += source.copy(this.buffer, this.used, start, end)
    this.buffer[this.used++] = NEWLINE
  }

  /** Begins a record that is written field by field; its fields and their delimiters have at most `length` bytes. */
  begin(fileId: number, line: number, length: number): void {
    if (this.used + length + 32 > BUFFER_BYTES) this.drain()
    this.writeDigits(fileId)
    this.buffer[this.used++] = this.delimiter
    this.writeDigits(line)
    this.buffer[this.used++] = this.delimiter
  }

  /** A field that holds no quote, delimiter or line end. */
  plainField(source: Buffer, start: number, end: number): void {
    this.used += source.copy(this.buffer, this.used, start, end)
    this.buffer[this.used++] = this.delimiter
  }

  /** Any field; quoted where it needs it. */
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

  /** Ends a record begun with `begin`. */
  end(): void {
    this.buffer[this.used - 1] = NEWLINE
  }

  /** A whole record from its fields. */
  writeFields(fileId: number, line: number, fields: readonly Buffer[]): void {
    let length = 0
    for (const field of fields) length += field.length * 2 + 3
    this.begin(fileId, line, length)
    for (const field of fields) this.field(field)
    this.end()
  }

  /** True when a chunk is full and should be handed over. */
  get isFull(): boolean {
    return this.written + this.used >= Math.min(FIRST_CHUNK_BYTES * 2 ** this.chunkCount, LAST_CHUNK_BYTES)
  }

  /** Hands the records so far to `load`, and waits only for the chunk before. */
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
    this.loading = this.load(chunk).finally(() => unlink(path))
    // Awaited by the next hand or by settle; until then a failure must not count as unhandled.
    this.loading.catch(() => undefined)
  }

  /** Hands over what is left and waits until everything is loaded. */
  async settle(): Promise<void> {
    await this.hand()
    await this.loading
  }

  /** Gives up: waits for the load under way, whatever becomes of it. */
  async abandon(): Promise<void> {
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
    await this.loading.catch(() => undefined)
  }

  private path(): string {
    return join(this.folder, `${this.name}-${this.chunkCount}.csv`)
  }

  private writeDigits(value: number): void {
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
    let rest = value
    for (let at = this.used + digits - 1; at >= this.used; at--) {
      this.buffer[at] = 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
    this.used += digits
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
        `no space left on the disk of ${this.folder}, where files wait to be loaded: free some and run again`,
        { cause },
      )
    }
    this.written += this.used
    this.used = 0
  }
}
