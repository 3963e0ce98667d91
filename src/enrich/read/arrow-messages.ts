import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../errors.ts'

/** Pandas and Spark store their own schemas as text in the metadata: hundreds of kilobytes for a thousand columns. */
const LONGEST_METADATA = 16 * 1024 * 1024
const MOST_FIELDS = 4_096
const MOST_DEPTH = 16
const MOST_ENTRIES = 65_536
/** The bytes after the footer of an Arrow file: the footer's length, then `ARROW1`. */
const FOOTER_END_BYTES = 10
const CONTINUATION = -1

const BLOCK_BYTES = 24

const SCHEMA = 1
const DICTIONARY_BATCH = 2
const RECORD_BATCH = 3

/**
 * Reads an Arrow stream message by message. apache-arrow allocates memory by the counts that a message claims. So every
 * count is compared with the bytes of the file before apache-arrow sees the message.
 * @throws `bad_input` without the file's name; the caller adds it.
 */
export async function* arrowMessages(file: FileHandle): AsyncGenerator<Uint8Array> {
  const bytes = new FileBytes(file, (await file.stat()).size)
  const dictionaries = { wanted: new Set<number>(), read: new Set<number>() }
  let isFirst = true
  for (let at = 0; at + 4 <= bytes.size; isFirst = false) {
    const message = await readMessage(bytes, at)
    if (message === null) break
    message.check(dictionaries)
    if (isFirst !== (message.kind === SCHEMA))
      throw damaged(isFirst ? 'it does not begin with a schema' : 'it has a second schema')
    const { metadata, bodyAt, bodyLength } = message
    const prefix = Buffer.alloc(8)
    prefix.writeInt32LE(CONTINUATION)
    prefix.writeInt32LE(metadata.length, 4)
    yield prefix
    yield metadata
    // Yields the body in one piece, because apache-arrow copies several pieces to join them.
    if (bodyLength > 0) yield await bytes.take(bodyAt, bodyLength)
    at = bodyAt + bodyLength
  }
}

/**
 * Checks an Arrow file in the same way: the footer, which gives the position of each message, and every message.
 * @throws `bad_input`
 */
export async function checkArrowFile(file: FileHandle): Promise<void> {
  const bytes = new FileBytes(file, (await file.stat()).size)
  const end = bytes.size - FOOTER_END_BYTES
  const length = (await bytes.take(Math.max(0, end), 4)).readInt32LE()
  if (length <= 0 || length > LONGEST_METADATA) throw damaged(`its footer announces ${length} bytes`)
  if (length > end) throw damaged(`its footer announces ${length} bytes; the file has ${bytes.size}`)
  const dictionaries = { wanted: new Set<number>(), read: new Set<number>() }
  const blocks = new Metadata(await bytes.take(end - length, length)).footer(dictionaries)
  for (const { at, kind } of blocks) {
    const message = await readMessage(bytes, at)
    if (message?.kind !== kind) throw damaged(`its footer names a message at byte ${at}, where there is none`)
    message.check(dictionaries)
  }
}

interface MessageBytes {
  readonly kind: number
  readonly metadata: Buffer
  readonly bodyAt: number
  readonly bodyLength: number
  readonly check: (dictionaries: Dictionaries) => void
}

/** Reads the message at byte `at`; null at the end of the stream. */
async function readMessage(bytes: FileBytes, at: number): Promise<MessageBytes | null> {
  let start = at + 4
  let length = (await bytes.take(at, 4)).readInt32LE()
  if (length === CONTINUATION) {
    length = (await bytes.take(start, 4)).readInt32LE()
    start += 4
  }
  if (length === 0) return null
  if (length < 0 || length > LONGEST_METADATA)
    throw damaged(`a message announces ${length} bytes of metadata`)
  const metadata = await bytes.take(start, length)
  const { kind, bodyLength, check } = new Metadata(metadata).message()
  const bodyAt = start + length
  if (bodyLength < 0 || bodyLength > bytes.size - bodyAt)
    throw damaged(`a message announces ${bodyLength} bytes; ${bytes.size - bodyAt} are left`)
  return { kind, metadata, bodyAt, bodyLength, check: (dictionaries) => check(bodyLength, dictionaries) }
}

/** Reads parts of the file. Never allocates more bytes than the file has. */
class FileBytes {
  readonly #file: FileHandle
  readonly size: number

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  async take(at: number, length: number): Promise<Buffer> {
    if (at < 0 || length < 0 || length > this.size - at)
      throw damaged(`${length} bytes are announced at byte ${at} of ${this.size}`)
    const bytes = Buffer.allocUnsafeSlow(length)
    const { bytesRead } = await this.#file.read(bytes, 0, length, at)
    if (bytesRead < length) throw damaged(`the file ends at byte ${at + bytesRead}`)
    return bytes
  }
}

function damaged(why: string): AppError {
  return new AppError('bad_input', `it is damaged: ${why}`)
}

/** Ids of the dictionaries that columns use, and ids of the dictionaries whose values were read. */
interface Dictionaries {
  readonly wanted: Set<number>
  readonly read: Set<number>
}

interface Message {
  readonly kind: number
  readonly bodyLength: number
  readonly check: (bodyLength: number, dictionaries: Dictionaries) => void
}

/**
 * The metadata of a message (a flatbuffer), read only as far as its counts. The layout is `Message.fbs` and
 * `Schema.fbs` of the Arrow format. The number of a field is its position there.
 */
class Metadata {
  readonly #bytes: DataView
  #fields = 0
  #entries = 0

  constructor(bytes: Buffer) {
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  message(): Message {
    const root = this.#within(() => this.#bytes.getUint32(0, true))
    const kind = this.#within(() => this.#byte(root, 1))
    const header = this.#within(() => this.#table(root, 2))
    const bodyLength = this.#within(() => this.#long(root, 3))
    this.#within(() => this.#countEntries(root, 4))
    return {
      kind,
      bodyLength,
      check: (body, dictionaries) =>
        this.#within(() => {
          if (header === null) throw damaged('a message has no header')
          if (kind === SCHEMA) this.#schema(header, dictionaries)
          else if (kind === DICTIONARY_BATCH) this.#dictionary(header, body, dictionaries)
          else if (kind === RECORD_BATCH) this.#records(header, body, dictionaries)
          else throw damaged(`a message has the unknown kind ${kind}`)
        }),
    }
  }

  /** Returns the positions of the messages that the footer names, dictionaries first. */
  footer(dictionaries: Dictionaries): { at: number; kind: number }[] {
    return this.#within(() => {
      const root = this.#bytes.getUint32(0, true)
      const schema = this.#table(root, 1)
      if (schema === null) throw damaged('its footer has no schema')
      this.#schema(schema, dictionaries)
      this.#countEntries(root, 4)
      return [...this.#blocks(root, 2, DICTIONARY_BATCH), ...this.#blocks(root, 3, RECORD_BATCH)]
    })
  }

  #blocks(table: number, slot: number, kind: number): { at: number; kind: number }[] {
    const { start, count } = this.#vector(table, slot, BLOCK_BYTES)
    return Array.from({ length: count }, (_, at) => ({ at: this.#longAt(start + at * BLOCK_BYTES), kind }))
  }

  // DataView throws a RangeError for an offset outside the metadata.
  #within<T>(read: () => T): T {
    try {
      return read()
    } catch (cause) {
      if (cause instanceof RangeError) throw damaged('its metadata has an offset beyond its end')
      throw cause
    }
  }

  #schema(table: number, { wanted }: Dictionaries): void {
    this.#countEntries(table, 2)
    for (const field of this.#children(table, 1)) this.#field(field, 1, wanted)
  }

  #field(table: number, depth: number, wanted: Set<number>): void {
    if (++this.#fields > MOST_FIELDS)
      throw damaged(`it has more than ${MOST_FIELDS} columns, including nested ones`)
    if (depth > MOST_DEPTH) throw damaged(`its columns are nested more than ${MOST_DEPTH} deep`)
    this.#vector(table, 0, 1)
    const type = this.#table(table, 3)
    // Only a union (type 14) has a vector: its type codes.
    if (type !== null && this.#byte(table, 2) === 14) this.#vector(type, 1, 4)
    const dictionary = this.#table(table, 4)
    if (dictionary !== null) wanted.add(this.#long(dictionary, 0))
    this.#countEntries(table, 6)
    for (const child of this.#children(table, 5)) this.#field(child, depth + 1, wanted)
  }

  #dictionary(table: number, body: number, { read }: Dictionaries): void {
    const data = this.#table(table, 1)
    if (data === null) throw damaged('a dictionary has no values')
    this.#batch(data, body)
    read.add(this.#long(table, 0))
  }

  #records(table: number, body: number, { wanted, read }: Dictionaries): void {
    for (const id of wanted)
      if (!read.has(id)) throw damaged(`rows come before the values of dictionary ${id}`)
    this.#batch(table, body)
  }

  // A column takes at least one bit per row, whatever its type. So the number of bits limits the number of rows.
  #batch(table: number, body: number): void {
    if (this.#table(table, 3) !== null)
      throw new AppError('bad_input', 'its record batches are compressed: write it without compression')
    const most = body * 8
    const rows = this.#long(table, 0)
    if (rows < 0 || rows > most) throw damaged(`a record batch announces ${rows} rows in ${body} bytes`)
    const nodes = this.#vector(table, 1, 16)
    for (let at = 0; at < nodes.count; at++) {
      const length = this.#longAt(nodes.start + at * 16)
      if (length < 0 || length > most) throw damaged(`a column announces ${length} values in ${body} bytes`)
    }
    const buffers = this.#vector(table, 2, 16)
    for (let at = 0; at < buffers.count; at++) {
      const offset = this.#longAt(buffers.start + at * 16)
      const length = this.#longAt(buffers.start + at * 16 + 8)
      if (offset < 0 || length < 0 || offset + length > body)
        throw damaged(`a column announces ${length} bytes at ${offset} of ${body}`)
    }
  }

  #countEntries(table: number, slot: number): void {
    this.#entries += this.#vector(table, slot, 4).count
    if (this.#entries > MOST_ENTRIES) throw damaged(`its metadata has more than ${MOST_ENTRIES} entries`)
  }

  *#children(table: number, slot: number): Generator<number> {
    const { start, count } = this.#vector(table, slot, 4)
    for (let at = start; at < start + count * 4; at += 4) yield at + this.#bytes.getUint32(at, true)
  }

  /** Returns the position of a field of a table; null when the table lacks the field. */
  #slot(table: number, slot: number): number | null {
    const layout = table - this.#bytes.getInt32(table, true)
    const at = 4 + slot * 2
    if (at >= this.#bytes.getUint16(layout, true)) return null
    const offset = this.#bytes.getUint16(layout + at, true)
    return offset === 0 ? null : table + offset
  }

  #table(table: number, slot: number): number | null {
    const at = this.#slot(table, slot)
    return at === null ? null : at + this.#bytes.getUint32(at, true)
  }

  #vector(table: number, slot: number, bytesEach: number): { start: number; count: number } {
    const at = this.#table(table, slot)
    if (at === null) return { start: 0, count: 0 }
    const count = this.#bytes.getUint32(at, true)
    if (count * bytesEach > this.#bytes.byteLength - at)
      throw damaged(`its metadata announces ${count} entries`)
    return { start: at + 4, count }
  }

  #byte(table: number, slot: number): number {
    const at = this.#slot(table, slot)
    return at === null ? 0 : this.#bytes.getUint8(at)
  }

  #long(table: number, slot: number): number {
    const at = this.#slot(table, slot)
    return at === null ? 0 : this.#longAt(at)
  }

  #longAt(at: number): number {
    return Number(this.#bytes.getBigInt64(at, true))
  }
}
