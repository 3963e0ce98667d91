import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError, messageOf } from '../../errors.ts'
import { fitsHeader, sniffDialect, takeHeader } from './dialect.ts'
import { ArrayLines, arrayLines, isJsonArray } from './json-array.ts'
import { type Encoding, decoded, encodingOf, endsLinesByReturn, refuseOtherFiles } from './encoding.ts'
import { openTable, type TableSource } from './open-table.ts'
import { type Chunk, COMMA, type Dialect, LINES, RecordSplitter, recordsOf } from './records.ts'
import { cellOf, fieldText, parseLine, type RowFormat } from './rows.ts'

/** An open input file: its format and header, and its rows in chunks. The rows can be read once. */
export interface Input {
  /** The name for messages. */
  readonly name: string
  readonly kind: 'csv' | 'jsonl' | 'parquet' | 'arrow'
  readonly format: RowFormat
  readonly dialect: Dialect
  readonly encoding: Encoding
  readonly hasByteOrderMark: boolean
  readonly header: readonly string[]
  /** The first rows, at most 1,000. */
  readonly sample: readonly (readonly string[])[]
  /** The size of the file in bytes; null for standard input. */
  readonly bytes: number | null
  /** How many bytes of the file were read so far. */
  bytesRead(): number
  chunks(): AsyncGenerator<Chunk>
  /** @throws `input_changed` when size, time or inode of the file changed since it was opened */
  checkUnchanged(): Promise<void>
  /** Identifies the file and its version by inode, size and time; null for standard input. */
  readonly identity: string | null
  /** Closes a file whose rows were not read to the end. */
  close(): Promise<void>
}

export const STANDARD_INPUT = 'standard input'
const MOST_COLUMNS = 1_000
const SAMPLE_BYTES = 512 * 1024
/** The most lines above a header. */
export const MOST_SKIPPED = 1_000
const SAMPLE_ROWS = 1_000

/** How to find the header of delimited text. */
export interface HeaderOptions {
  /** True when no line names the columns. They are called column1, column2, … */
  readonly noHeader?: boolean | undefined
  /** The number of lines above the header, which are skipped. */
  readonly skipLines?: number | undefined
}

export interface InputOptions extends HeaderOptions {
  readonly encoding?: Encoding | undefined
  readonly stdin?: Readable | undefined
  /** The name for messages; by default the path. */
  readonly name?: string
  /** Larger inputs are refused (`too_large`). */
  readonly limits?: InputLimits
  /** Aborting it stops the reading. */
  readonly signal?: AbortSignal | undefined
}

/** The limits of an input. */
export interface InputLimits {
  /** Bytes after unzipping. */
  readonly bytes: number
  readonly rows: number
  /** How many times its own size a gzip file may unzip to. Applies from `RATIO_FROM_BYTES` on. */
  readonly ratio: number
}

/** Repetitive text compresses well, so the ratio is not checked below this size. */
const RATIO_FROM_BYTES = 64 * 2 ** 20

/**
 * Opens an input file: delimited text, JSON lines, a JSON array, Parquet or Arrow; text may be gzipped. `-` is standard
 * input.
 */
export async function openInput(path: string, asked: InputOptions = {}): Promise<Input> {
  const isStdin = path === '-'
  const name = asked.name ?? (isStdin ? STANDARD_INPUT : path)
  const before = isStdin ? null : await statOf(path)
  const state = { read: 0 }
  const head = isStdin ? Buffer.alloc(0) : await firstBytes(path)
  const facts = {
    name,
    bytes: before === null ? null : Number(before.size),
    bytesRead: () => state.read,
    identity: before === null ? null : `${before.ino}:${before.size}:${before.mtimeNs}`,
    async checkUnchanged() {
      if (before === null) return
      const after = await statOf(path)
      if (after.size === before.size && after.mtimeNs === before.mtimeNs && after.ino === before.ino) return
      throw new AppError(
        'input_changed',
        `${name} changed while it was read, and no output was written: run the command again when the file is complete`,
      )
    },
  }
  const kind = tableKind(head)
  if (kind !== null) {
    refuseHeaderOptions(asked, name, kind === 'arrow' ? 'Arrow' : 'Parquet')
    const limit = limitCheck(name, asked, () => Infinity)
    const table = await openTable({ path, kind }, name)
    try {
      return { ...facts, kind, close: () => table.close(), ...(await fromTable(table, name, limit)) }
    } catch (error) {
      await table.close()
      throw error
    }
  }
  const limit = limitCheck(name, asked, () => state.read)
  const raw = isStdin ? (asked.stdin ?? process.stdin) : createReadStream(path, { highWaterMark: 1 << 20 })
  const source = new ByteSource(raw, state, name)
  const close = (): Promise<void> => source.close()
  try {
    return { ...facts, close, ...(await fromText(source, name, asked, limit)) }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Checks the limits of an input while it is read, also within a record that never ends.
 * @throws `too_large`
 */
interface LimitCheck {
  bytes(count: number): void
  rows(upTo: number): void
}

/** `sent` returns how many bytes of the file itself, before unzipping, were read. */
function limitCheck(name: string, { limits, signal }: InputOptions, sent: () => number): LimitCheck {
  let bytes = 0
  const refuse = (why: string): never => {
    throw new AppError('too_large', `${name} ${why}: split it into smaller files`)
  }
  return {
    bytes(count) {
      signal?.throwIfAborted()
      bytes += count
      if (limits === undefined) return
      if (bytes > limits.bytes) refuse(`has more than ${limits.bytes / 2 ** 20} MiB when it is unzipped`)
      if (bytes > RATIO_FROM_BYTES && bytes > limits.ratio * sent())
        refuse(`unzips to more than ${limits.ratio} times its size`)
    },
    rows(upTo) {
      if (limits !== undefined && upTo > limits.rows)
        refuse(`has more than ${limits.rows.toLocaleString('en-US')} rows`)
    },
  }
}

async function statOf(path: string) {
  const found = await stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'ENOENT'
        ? 'there is no such file'
        : cause.code === 'EACCES'
          ? 'this user may not read it'
          : cause.message
    throw new AppError('bad_input', `${path}: ${why}`, { cause })
  })
  if (found.isDirectory()) throw new AppError('bad_input', `${path} is a folder: name a file`)
  return found
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new AppError(
      'bad_input',
      `${path}: ${cause.code === 'EACCES' ? 'this user may not read it' : cause.message}`,
      { cause },
    )
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Returns the format of a file by its first bytes; null for text. */
export function tableKind(head: Buffer): 'parquet' | 'arrow' | null {
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet'
  if (
    head.toString('latin1', 0, 6) === 'ARROW1' ||
    (head.length >= 4 && head.readUInt32LE(0) === 0xffff_ffff)
  )
    return 'arrow'
  return null
}

/**
 * The bytes of a stream; those of a gzip stream are unzipped. `peek` returns the first bytes, which `bytes` yields
 * again.
 */
class ByteSource {
  readonly #raw: Readable
  readonly #state: { read: number }
  readonly #name: string
  #isGzip = false
  #iterator: AsyncIterator<Buffer> | null = null
  #head: Buffer[] = []

  constructor(raw: Readable, state: { read: number }, name: string) {
    this.#raw = raw
    this.#state = state
    this.#name = name
  }

  async peek(wanted: number): Promise<Buffer> {
    let length = this.#head.reduce((sum, part) => sum + part.length, 0)
    while (length < wanted) {
      const { value, done } = await this.#next()
      if (done === true) break
      this.#head.push(value)
      length += value.length
    }
    return Buffer.concat(this.#head)
  }

  async *bytes(): AsyncGenerator<Buffer> {
    const head = this.#head
    this.#head = []
    yield* head
    for (;;) {
      const { value, done } = await this.#next()
      if (done === true) return
      yield value
    }
  }

  async close(): Promise<void> {
    await this.#iterator?.return?.()
    this.#raw.destroy()
  }

  async #next(): Promise<IteratorResult<Buffer, unknown>> {
    try {
      this.#iterator ??= await this.#open()
      return await this.#iterator.next()
    } catch (cause) {
      const what = this.#isGzip ? 'unzipped' : 'read'
      throw new AppError('bad_input', `${this.#name} can't be ${what}: ${messageOf(cause)}`, { cause })
    }
  }

  async #open(): Promise<AsyncIterator<Buffer>> {
    const counted = countBytes(this.#raw, this.#state)
    const first = await counted.next()
    const all = (async function* () {
      if (first.done === true) return
      yield first.value
      yield* counted
    })()
    this.#isGzip = first.done !== true && first.value[0] === 0x1f && first.value[1] === 0x8b
    return this.#isGzip ? unzipped(all) : all
  }
}

// In bytes. Other requests run after each part.
const UNZIPPED_AT_ONCE = 128 * 1024

/**
 * Unzips a stream. Errors go to the reader of the returned iterator. After that reader has stopped, errors are ignored.
 */
function unzipped(source: AsyncIterable<Buffer>): AsyncIterator<Buffer> {
  const unzip = createGunzip({ chunkSize: UNZIPPED_AT_ONCE }).on('error', () => undefined)
  pipeline(Readable.from(source), unzip, () => undefined)
  return unzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>
}

async function* countBytes(raw: Readable, state: { read: number }): AsyncGenerator<Buffer> {
  for await (const bytes of raw as AsyncIterable<Buffer>) {
    state.read += bytes.length
    yield bytes
  }
}

type Text = Pick<
  Input,
  'kind' | 'format' | 'dialect' | 'encoding' | 'hasByteOrderMark' | 'header' | 'sample' | 'chunks'
>

async function fromText(
  source: ByteSource,
  name: string,
  { encoding: asked, noHeader = false, skipLines = 0 }: InputOptions,
  limit: LimitCheck,
): Promise<Text> {
  const head = await source.peek(SAMPLE_BYTES)
  const { encoding, mark } = encodingOf(head, asked, head.length < SAMPLE_BYTES)
  refuseOtherFiles(head, encoding, name)
  const raw = decoded(head.subarray(mark), encoding)
  const isByReturn = endsLinesByReturn(raw)
  const isArray = isJsonArray(raw)
  const text = isArray
    ? new ArrayLines(name).push(Buffer.from(raw)).toString('utf8')
    : isByReturn
      ? raw.replaceAll('\r', '\n')
      : raw
  const utf8 = (): AsyncGenerator<Buffer> => {
    const bytes = textBytes(source, encoding, mark, isByReturn && !isArray)
    return isArray ? arrayLines(bytes, name) : bytes
  }
  if (text.trim() === '') throw new AppError('bad_input', `${name} is empty: it has no header`)
  const isJson = isArray || /^\s*\{/.test(text)
  const whole =
    text.slice(0, text.length < SAMPLE_BYTES / 2 ? text.length : text.lastIndexOf('\n') + 1) || text
  const common = { encoding, hasByteOrderMark: mark > 0 }
  if (isJson) {
    refuseHeaderOptions({ noHeader, skipLines }, name, 'JSON')
    const { header, sample } = jsonSample(whole, name)
    return { ...common, kind: 'jsonl', format: 'jsonl', dialect: LINES, header, sample, chunks: () => chunksOf(utf8(), new RecordSplitter(LINES), limit) } // prettier-ignore
  }
  const above = lengthOfLines(whole, skipLines, name)
  const below = whole.slice(above)
  const dialect = sniffDialect(below)
  const taken = takeHeader(below, dialect)
  if (taken === null)
    throw new AppError(
      'bad_input',
      `${name}, line ${skipLines + 1}: the ${noHeader ? 'first row' : 'header'} can't be read: a closing quote is followed by text`,
    )
  refuseTooManyColumns(taken.cells.length, name)
  const length = above + (noHeader ? 0 : taken.length)
  const first = sampleOf(whole.slice(length), dialect)
  refuseOtherWidth(taken.cells.length, first, name, noHeader)
  const sample = first.filter((cells) => fitsHeader(cells, taken.cells.length))
  const skip = Buffer.byteLength(text.slice(0, length))
  const firstLine = 1 + skipLines + (noHeader ? 0 : taken.lines)
  return {
    ...common,
    kind: 'csv',
    format: 'delimited',
    dialect,
    header: noHeader ? taken.cells.map((_, column) => `column${column + 1}`) : taken.cells,
    sample,
    chunks: () => chunksOf(dropBytes(utf8(), skip), new RecordSplitter(dialect, firstLine), limit),
  }
}

function refuseHeaderOptions({ noHeader, skipLines }: HeaderOptions, name: string, kind: string): void {
  if (noHeader === true)
    throw new AppError('bad_input', `${name} is ${kind}, which names its own columns: leave out --no-header`)
  if (skipLines !== undefined && skipLines > 0)
    throw new AppError(
      'bad_input',
      `${name} is ${kind}, which has no lines above a header: leave out --skip-lines`,
    )
}

/**
 * Returns the length of the first `lines` lines in characters.
 * @throws `bad_input` when no text follows them
 */
function lengthOfLines(text: string, lines: number, name: string): number {
  let at = 0
  for (let line = 0; line < lines; line++) {
    const end = text.indexOf('\n', at)
    if (end < 0)
      throw new AppError(
        'bad_input',
        `${name}: nothing follows the ${lines} lines of --skip-lines: its first ${SAMPLE_BYTES / 1024} KiB have ${line + 1} lines`,
      )
    at = end + 1
  }
  if (text.slice(at).trim() !== '') return at
  throw new AppError('bad_input', `${name}: nothing follows the ${lines} lines of --skip-lines`)
}

function sampleOf(text: string, dialect: Dialect): string[][] {
  const rows: string[][] = []
  for (const { cells } of recordsOf(text, dialect, 1))
    if (cells !== null && rows.push(cells) === SAMPLE_ROWS) break
  return rows
}

const ENOUGH_ROWS = 3

/**
 * Refuses an input in which at least half of the first rows have another number of fields than the header. All these
 * rows would be rejected one by one.
 */
function refuseOtherWidth(
  columns: number,
  sample: readonly string[][],
  name: string,
  noHeader: boolean,
): void {
  const others = sample.filter((cells) => !fitsHeader(cells, columns))
  if (sample.length < ENOUGH_ROWS || others.length * 2 < sample.length) return
  throw new AppError(
    'bad_input',
    `${name}: the ${noHeader ? 'first row' : 'header'} has ${columns} ${columns === 1 ? 'field' : 'fields'}, but most rows have another number (the first such row: ${others[0]!.length}): skip lines above the header with --skip-lines N,${noHeader ? '' : ' name every column,'} and quote fields that hold the delimiter`,
  )
}

function refuseTooManyColumns(columns: number, name: string): void {
  if (columns > MOST_COLUMNS)
    throw new AppError(
      'bad_input',
      `${name} has ${columns} columns, and the limit is ${MOST_COLUMNS}: leave out columns that the output does not need`,
    )
}

function jsonSample(text: string, name: string): { header: string[]; sample: string[][] } {
  const objects: Record<string, unknown>[] = []
  const header = new Set<string>()
  for (const { raw, line } of recordsOf(text, LINES, 1)) {
    let object: unknown
    try {
      object = parseLine(raw)
    } catch (cause) {
      if (objects.length > 0) continue
      const why = cause instanceof AppError ? cause.message : `the line is not JSON: ${messageOf(cause)}`
      throw new AppError('bad_input', `${name}, line ${line}: ${why}`, { cause })
    }
    if (typeof object !== 'object' || object === null) continue
    objects.push(object as Record<string, unknown>)
    for (const key of Object.keys(object)) header.add(key)
    refuseTooManyColumns(header.size, name)
    if (objects.length === SAMPLE_ROWS) break
  }
  const names = [...header]
  return {
    header: names,
    sample: objects.map((object) =>
      names.map((key) => (Object.hasOwn(object, key) ? cellOf(object[key]) : '')),
    ),
  }
}

/** Yields UTF-8 bytes after the byte-order mark. With `isByReturn` carriage returns become line ends. */
async function* textBytes(
  source: ByteSource,
  encoding: Encoding,
  mark: number,
  isByReturn: boolean,
): AsyncGenerator<Buffer> {
  const bytes = mark > 0 ? dropBytes(source.bytes(), mark) : source.bytes()
  for await (const part of encoding === 'utf-8' ? bytes : toUtf8(bytes, encoding)) {
    if (isByReturn)
      for (let at = part.indexOf(RETURN); at >= 0; at = part.indexOf(RETURN, at + 1)) part[at] = NEWLINE
    yield part
  }
}

const RETURN = 13
const NEWLINE = 10

async function* toUtf8(source: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const part of source) yield Buffer.from(decoder.decode(part, { stream: true }))
  yield Buffer.from(decoder.decode())
}

async function* dropBytes(source: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count
  for await (const bytes of source) {
    if (left === 0) yield bytes
    else if (bytes.length > left) {
      yield bytes.subarray(left)
      left = 0
    } else left -= bytes.length
  }
}

async function* chunksOf(
  source: AsyncIterable<Buffer>,
  splitter: RecordSplitter,
  limit: LimitCheck,
): AsyncGenerator<Chunk> {
  for await (const bytes of source) {
    limit.bytes(bytes.length)
    for (const chunk of splitter.push(bytes)) yield withinLimit(chunk, limit)
  }
  for (const chunk of splitter.end()) yield withinLimit(chunk, limit)
}

function withinLimit(chunk: Chunk, limit: LimitCheck): Chunk {
  limit.rows(chunk.firstRow - 1 + chunk.rows + (chunk.broken === null ? 0 : 1))
  return chunk
}

async function fromTable(table: TableSource, name: string, limit: LimitCheck): Promise<Omit<Text, 'kind'>> {
  if (table.header.length === 0) throw new AppError('bad_input', `${name} has no columns`)
  refuseTooManyColumns(table.header.length, name)
  const rows = table.rows()
  const first: (readonly (readonly string[])[])[] = []
  const sample: (readonly string[])[] = []
  while (sample.length < SAMPLE_ROWS) {
    const { value, done } = await rows.next()
    if (done === true) break
    first.push(value)
    sample.push(...value.slice(0, SAMPLE_ROWS - sample.length))
  }
  const text = async function* (): AsyncGenerator<Buffer> {
    for (const slice of first.splice(0)) yield textOf(slice)
    for await (const slice of rows) yield textOf(slice)
  }
  return {
    format: 'delimited',
    dialect: COMMA,
    encoding: 'utf-8',
    hasByteOrderMark: false,
    header: table.header,
    sample,
    chunks: () => chunksOf(text(), new RecordSplitter(COMMA, 2), limit),
  }
}

function textOf(rows: readonly (readonly string[])[]): Buffer {
  const lines = rows.map(
    (row) =>
      `${row.map((cell) => (row.length === 1 && cell === '' ? '""' : fieldText(cell, COMMA))).join(',')}\n`,
  )
  return Buffer.from(lines.join(''))
}
