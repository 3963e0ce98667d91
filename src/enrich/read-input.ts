import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError, messageOf } from '../errors.ts'
import { cellOf, fieldText, type RowFormat } from './chunks.ts'
import { fitsHeader, sniffDialect, takeHeader } from './dialect.ts'
import { type Encoding, decoded, encodingOf, endsLinesByReturn, refuseOtherFiles } from './encoding.ts'
import { type Chunk, COMMA, type Dialect, LINES, RecordSplitter, recordsOf } from './records.ts'

/** A list, opened: what it is, and its rows in chunks (once). */
export interface Input {
  /** As messages name it. */
  readonly name: string
  readonly kind: 'csv' | 'jsonl' | 'parquet' | 'arrow'
  readonly format: RowFormat
  readonly dialect: Dialect
  readonly encoding: Encoding
  readonly hasByteOrderMark: boolean
  readonly header: readonly string[]
  /** Some of the first rows. */
  readonly sample: readonly (readonly string[])[]
  /** Bytes of the file; null when it is no file. */
  readonly bytes: number | null
  /** Bytes of the file read so far. */
  bytesRead(): number
  chunks(): AsyncGenerator<Chunk>
  /** @throws `input_changed` when the file is not what it was when it was opened. */
  checkUnchanged(): Promise<void>
  /** What tells this file from another, or from itself at another time; null when it is no file. */
  readonly identity: string | null
  /** Lets go of a file whose rows are not, or not all, read. */
  close(): Promise<void>
}

export const STANDARD_INPUT = 'standard input'
const SAMPLE_BYTES = 512 * 1024
const SAMPLE_ROWS = 1_000

export interface InputOptions {
  readonly encoding?: Encoding | undefined
  readonly stdin?: Readable | undefined
  /** For messages. */
  readonly name?: string
  /** Bytes as they are read, unzipped: behind them rows are not read but refused (`too_large`). */
  readonly mostBytes?: number
  /** Rows are not read once it is aborted. */
  readonly signal?: AbortSignal | undefined
}

/** Opens a list: delimited text, JSON lines, Parquet or Arrow; plain or gzip; `-` is standard input. */
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
        `${name} changed while it was read: nothing was written; run it again when the file is whole`,
      )
    },
  }
  const take = bounded(name, asked)
  const kind = tableKind(head)
  if (kind !== null) {
    const { openArrow, openParquet } = await import('./columnar-input.ts')
    const table = kind === 'parquet' ? await openParquet(path, name) : await openArrow(path, name)
    return { ...facts, kind, close: async () => undefined, ...(await fromTable(table, name, take)) }
  }
  const raw = isStdin ? (asked.stdin ?? process.stdin) : createReadStream(path, { highWaterMark: 1 << 20 })
  const source = new ByteSource(raw, state, name)
  const close = (): Promise<void> => source.close()
  try {
    return { ...facts, close, ...(await fromText(source, name, asked.encoding, take)) }
  } catch (error) {
    await close()
    throw error
  }
}

/** Told of the bytes that are read, of a record that never ends too. */
type Take = (bytes: number) => void

function bounded(name: string, { mostBytes = Infinity, signal }: InputOptions): Take {
  let left = mostBytes
  return (bytes) => {
    signal?.throwIfAborted()
    left -= bytes
    if (left < 0)
      throw new AppError(
        'too_large',
        `${name} has more than ${mostBytes / 2 ** 20} MiB when it is unzipped: send it in parts`,
      )
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

/** Whether a file that begins so is a table of columns: those are read from a file, not as they come. */
export function tableKind(head: Buffer): 'parquet' | 'arrow' | null {
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet'
  if (
    head.toString('latin1', 0, 6) === 'ARROW1' ||
    (head.length >= 4 && head.readUInt32LE(0) === 0xffff_ffff)
  )
    return 'arrow'
  return null
}

/** Bytes of a stream, unzipped where it is gzip; the first can be looked at before they are taken. */
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

/** What can't be unzipped is thrown to who reads; when nobody reads any more, it is nobody's. */
function unzipped(source: AsyncIterable<Buffer>): AsyncIterator<Buffer> {
  const unzip = createGunzip().on('error', () => undefined)
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
  asked: Encoding | undefined,
  take: Take,
): Promise<Text> {
  const head = await source.peek(SAMPLE_BYTES)
  const { encoding, mark } = encodingOf(head, asked, head.length < SAMPLE_BYTES)
  refuseOtherFiles(head, encoding, name)
  const raw = decoded(head.subarray(mark), encoding)
  const isByReturn = endsLinesByReturn(raw)
  const text = isByReturn ? raw.replaceAll('\r', '\n') : raw
  const utf8 = (): AsyncGenerator<Buffer> => textBytes(source, encoding, mark, isByReturn)
  if (text.trim() === '') throw new AppError('bad_input', `${name} is empty: it has no header`)
  const isJson = /^\s*\{/.test(text)
  const whole =
    text.slice(0, text.length < SAMPLE_BYTES / 2 ? text.length : text.lastIndexOf('\n') + 1) || text
  const common = { encoding, hasByteOrderMark: mark > 0 }
  if (isJson) {
    const { header, sample } = jsonSample(whole, name)
    return { ...common, kind: 'jsonl', format: 'jsonl', dialect: LINES, header, sample, chunks: () => chunksOf(utf8(), new RecordSplitter(LINES), take) } // prettier-ignore
  }
  const dialect = sniffDialect(whole)
  const taken = takeHeader(whole, dialect)
  if (taken === null)
    throw new AppError('bad_input', `${name}: the header can't be read: text stands behind a closing quote`)
  const sample = sampleOf(whole.slice(taken.length), dialect)
  refuseOtherWidth(taken.cells.length, sample, name)
  const skip = Buffer.byteLength(text.slice(0, taken.length))
  return {
    ...common,
    kind: 'csv',
    format: 'delimited',
    dialect,
    header: taken.cells,
    sample,
    chunks: () => chunksOf(dropBytes(utf8(), skip), new RecordSplitter(dialect, taken.lines + 1), take),
  }
}

function sampleOf(text: string, dialect: Dialect): string[][] {
  const rows: string[][] = []
  for (const { cells } of recordsOf(text, dialect, 1))
    if (cells !== null && rows.push(cells) === SAMPLE_ROWS) break
  return rows
}

const ENOUGH_ROWS = 3

/** Rows that mostly have another number of fields than the header would all be rejected, one by one. */
function refuseOtherWidth(columns: number, sample: readonly string[][], name: string): void {
  const others = sample.filter((cells) => !fitsHeader(cells, columns))
  if (sample.length < ENOUGH_ROWS || others.length * 2 < sample.length) return
  throw new AppError(
    'bad_input',
    `${name}: the header has ${columns} ${columns === 1 ? 'field' : 'fields'}, most rows don't (the first ${others[0]!.length}): take away lines above the header, name every column, and quote fields that hold the delimiter`,
  )
}

function jsonSample(text: string, name: string): { header: string[]; sample: string[][] } {
  const objects: Record<string, unknown>[] = []
  const header = new Set<string>()
  for (const { raw, line } of recordsOf(text, LINES, 1)) {
    let object: unknown
    try {
      object = JSON.parse(raw)
    } catch (cause) {
      if (objects.length > 0) continue
      throw new AppError('bad_input', `${name}, line ${line} is not JSON: ${messageOf(cause)}`, { cause })
    }
    if (typeof object !== 'object' || object === null) continue
    objects.push(object as Record<string, unknown>)
    for (const key of Object.keys(object)) header.add(key)
    if (objects.length === SAMPLE_ROWS) break
  }
  const names = [...header]
  return { header: names, sample: objects.map((object) => names.map((key) => cellOf(object[key]))) }
}

/** UTF-8 bytes behind the byte-order mark; `isByReturn`: carriage returns become line ends. */
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
  take: Take,
): AsyncGenerator<Chunk> {
  for await (const bytes of source) {
    take(bytes.length)
    yield* splitter.push(bytes)
  }
  yield* splitter.end()
}

/** A table of columns, read as text. */
export interface TableSource {
  readonly header: readonly string[]
  rows(): AsyncIterable<readonly (readonly string[])[]>
}

async function fromTable(table: TableSource, name: string, take: Take): Promise<Omit<Text, 'kind'>> {
  if (table.header.length === 0) throw new AppError('bad_input', `${name} has no columns`)
  const sample: (readonly string[])[] = []
  for await (const rows of table.rows()) {
    sample.push(...rows.slice(0, SAMPLE_ROWS - sample.length))
    if (sample.length >= SAMPLE_ROWS) break
  }
  const text = async function* (): AsyncGenerator<Buffer> {
    for await (const rows of table.rows())
      yield Buffer.from(
        rows
          .map(
            (row) =>
              `${row.map((cell) => (row.length === 1 && cell === '' ? '""' : fieldText(cell, COMMA))).join(',')}\n`,
          )
          .join(''),
      )
  }
  return {
    format: 'delimited',
    dialect: COMMA,
    encoding: 'utf-8',
    hasByteOrderMark: false,
    header: table.header,
    sample,
    chunks: () => chunksOf(text(), new RecordSplitter(COMMA, 2), take),
  }
}
