import type { FileHandle } from 'node:fs/promises'
import { Message, type MessageHeader, RecordBatchReader, type Schema } from 'apache-arrow'
import { AppError } from '../../errors.ts'

/**
 * In bytes. Pandas and Spark store their own schemas as text in the metadata: hundreds of kilobytes for a thousand
 * columns.
 */
const LONGEST_METADATA = 16 * 1024 * 1024
/** The first bytes of an Arrow file. An Arrow stream begins with its first message. */
const FILE_MARK = 'ARROW1'
/** The bytes before the first message of an Arrow file: the mark and two bytes of padding. */
const FILE_START_BYTES = 8
/** The bytes after the footer of an Arrow file: the length of the footer, then the mark. */
const FILE_END_BYTES = 10
/** Precedes the length of each message since version 0.15 of the format. */
const CONTINUATION = -1

/**
 * Yields an Arrow stream or file as the bytes of a stream. apache-arrow allocates memory by the counts that a message
 * claims. So these counts are first compared with the bytes of the file.
 * @throws `bad_input` without the file's name; the caller adds it.
 */
export async function* arrowMessages(file: FileHandle): AsyncGenerator<Uint8Array> {
  const { start, end, isFile } = await messagesOf(file)
  let at = start
  const take = async (length: number): Promise<Buffer> => {
    if (length < 0 || length > end - at)
      throw damaged(`a message announces ${length} bytes; ${end - at} are left`)
    const bytes = await bytesAt(file, at, length)
    at += length
    return bytes
  }
  const dictionaries = { wanted: new Set<number>(), read: new Set<number>() }
  for (let isFirst = true; ; isFirst = false) {
    if (end - at < 4) return
    let length = (await take(4)).readInt32LE()
    if (length === CONTINUATION) length = (await take(4)).readInt32LE()
    // The end of the stream.
    if (length === 0) return
    if (length > LONGEST_METADATA) throw damaged(`a message announces ${length} bytes of metadata`)
    const metadata = await take(length)
    const message = Message.decode(metadata)
    if (!isFirst && message.isSchema()) throw damaged('it has a second schema')
    if (isFirst && !message.isSchema()) {
      if (!isFile) throw damaged('it does not begin with a schema')
      const schema = Message.from(await footerSchema(file))
      checkMessage(schema, dictionaries)
      yield* framed(Message.encode(schema))
    }
    const body = await take(message.bodyLength)
    checkMessage(message, dictionaries)
    yield* framed(metadata)
    // Yields the body in one piece, because apache-arrow copies several pieces to join them.
    if (body.length > 0) yield body
  }
}

/**
 * Returns the positions of the first message and after the last one. The messages of an Arrow file are those of a
 * stream.
 */
async function messagesOf(file: FileHandle): Promise<{ start: number; end: number; isFile: boolean }> {
  const { size } = await file.stat()
  const mark = await bytesAt(file, 0, Math.min(size, FILE_MARK.length))
  if (mark.toString('latin1') !== FILE_MARK) return { start: 0, end: size, isFile: false }
  const tail = await bytesAt(file, Math.max(0, size - FILE_END_BYTES), FILE_END_BYTES)
  if (tail.toString('latin1', 4) !== FILE_MARK)
    throw damaged(`it does not end with ${FILE_MARK}: it was cut off`)
  const footer = tail.readInt32LE()
  const end = size - FILE_END_BYTES - footer
  if (footer < 0 || end < FILE_START_BYTES)
    throw damaged(`its footer announces ${footer} bytes; the file has ${size}`)
  return { start: FILE_START_BYTES, end, isFile: true }
}

// apache-arrow writes files without a schema message. Their schema is in the footer only.
async function footerSchema(file: FileHandle): Promise<Schema> {
  const reader = await RecordBatchReader.from(file)
  await reader.open()
  return reader.schema
}

function* framed(metadata: Uint8Array): Generator<Uint8Array> {
  const prefix = Buffer.alloc(8)
  prefix.writeInt32LE(CONTINUATION)
  prefix.writeInt32LE(metadata.length, 4)
  yield prefix
  yield metadata
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  if (bytesRead < length) throw damaged(`the file ends at byte ${at + bytesRead}`)
  return bytes
}

function damaged(why: string): AppError {
  return new AppError('bad_input', `it is damaged: ${why}`)
}

/** Ids of the dictionaries that columns use, and ids of the dictionaries whose values were read. */
interface Dictionaries {
  readonly wanted: Set<number>
  readonly read: Set<number>
}

function checkMessage(message: Message, { wanted, read }: Dictionaries): void {
  if (message.isSchema()) for (const id of message.header().dictionaries.keys()) wanted.add(id)
  else if (message.isDictionaryBatch()) {
    checkBatch(message.header().data, message.bodyLength)
    read.add(message.header().id)
  } else if (message.isRecordBatch()) {
    for (const id of wanted)
      if (!read.has(id)) throw damaged(`rows come before the values of dictionary ${id}`)
    checkBatch(message.header(), message.bodyLength)
  } else throw damaged(`a message has the unknown kind ${message.headerType}`)
}

type Batch = ReturnType<Message<MessageHeader.RecordBatch>['header']>

// A column takes at least one bit per row, whatever its type. So the number of bits limits the number of rows.
function checkBatch({ length: rows, nodes, buffers, compression }: Batch, body: number): void {
  if (compression !== null)
    throw new AppError('bad_input', 'its record batches are compressed: write it without compression')
  const most = body * 8
  if (rows < 0 || rows > most) throw damaged(`a record batch announces ${rows} rows in ${body} bytes`)
  for (const { length } of nodes)
    if (length < 0 || length > most) throw damaged(`a column announces ${length} values in ${body} bytes`)
  for (const { offset, length } of buffers)
    if (offset < 0 || length < 0 || offset + length > body)
      throw damaged(`a column announces ${length} bytes at ${offset} of ${body}`)
}
