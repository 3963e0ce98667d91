import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  Field,
  Float64,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
  makeData,
} from 'apache-arrow'
import { AppError, messageOf } from '../../errors.ts'
import { COMMA, RecordSplitter, recordsOf } from '../read/records.ts'
import { PARTIAL, publishFile, type OutputKind } from './output.ts'
import { isNumeric } from '../match/added-columns.ts'
import { unwritable } from '../unwritable.ts'

/**
 * Converts the rows of `working` (CSV) to Parquet or Arrow, in their order, and replaces `working` with the new file.
 */
export async function convertOutput(
  working: string,
  output: { readonly path: string; readonly kind: OutputKind },
  columns: readonly OutputColumn[],
  signal: AbortSignal,
): Promise<void> {
  if (output.kind !== 'parquet' && output.kind !== 'arrow') return
  const made = `${output.path}.made${PARTIAL}`
  try {
    if (output.kind === 'parquet') await toParquet(working, made, columns)
    else
      await pipeline(arrowBytes(working, columns, 'file'), createWriteStream(made, { flush: true }), {
        signal,
      })
  } catch (cause) {
    throw /no space left|disk full/i.test(messageOf(cause))
      ? unwritable(output.path, Object.assign(new Error(messageOf(cause)), { code: 'ENOSPC' }))
      : new AppError('output_unwritable', `${output.path} can't be written: ${messageOf(cause)}`, { cause })
  }
  await publishFile(made, working)
}

export interface OutputColumn {
  readonly name: string
  readonly isNumber: boolean
}

/** Returns the input's own columns, which stay text, followed by the added columns. */
export function outputColumns(own: readonly string[], added: readonly string[]): OutputColumn[] {
  return [
    ...own.map((name) => ({ name, isNumber: false })),
    ...added.map((name) => ({ name, isNumber: isNumeric(name) })),
  ]
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export async function toParquet(
  working: string,
  made: string,
  columns: readonly OutputColumn[],
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const connection = await instance.connect()
  try {
    // Reads the columns by position, because names may be empty or differ only in case.
    const names = columns.map((_, at) => `c${at}`)
    const types = names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ')
    const select = columns.map(
      ({ name, isNumber }, at) =>
        `${isNumber ? `try_cast(c${at} as double)` : `c${at}`} as "${(name || `column_${at + 1}`).replaceAll('"', '""')}"`,
    )
    const read = `read_csv(${literal(working)}, header = false, skip = 1, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = {${types}}, null_padding = false, max_line_size = 4000000, parallel = false)`
    await connection.run(
      `copy (select ${select.join(', ')} from ${read}) to ${literal(made)} (format parquet, compression zstd)`,
    )
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Yields the rows of `working` (CSV) as an Arrow file or stream, one batch at a time. */
export async function* arrowBytes(
  working: string,
  columns: readonly OutputColumn[],
  form: 'file' | 'stream',
): AsyncGenerator<Uint8Array> {
  const schema = new Schema(
    columns.map(({ name, isNumber }) => new Field(name, isNumber ? new Float64() : new Utf8(), true)),
  )
  const writer = form === 'file' ? new RecordBatchFileWriter() : new RecordBatchStreamWriter()
  writer.reset(undefined, schema)
  const bytes = writer[Symbol.asyncIterator]()
  const feed = (async () => {
    for await (const rows of rowsOf(working)) {
      const children = columns.map(({ isNumber }, at) =>
        isNumber
          ? vectorFromArray(
              rows.map((row) => (row[at] === '' ? null : Number(row[at]))),
              new Float64(),
            ).data[0]!
          : vectorFromArray(
              rows.map((row) => (row[at] === '' ? null : row[at]!)),
              new Utf8(),
            ).data[0]!,
      )
      writer.write(
        new RecordBatch(
          schema,
          makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children }),
        ),
      )
    }
    writer.close()
  })()
  for (;;) {
    const { value, done } = await bytes.next()
    if (done === true) break
    yield value
  }
  await feed
}

/** Yields the rows of a CSV file in batches; with `withHeader` the header is the first row. */
export async function* rowsOf(working: string, withHeader = false): AsyncGenerator<string[][]> {
  const splitter = new RecordSplitter(COMMA)
  let isHeader = !withHeader
  const rows = (bytes: Uint8Array): string[][] => {
    const found: string[][] = []
    for (const { cells } of recordsOf(Buffer.from(bytes).toString('utf8'), COMMA, 1)) {
      if (isHeader) isHeader = false
      else if (cells !== null) found.push(cells)
    }
    return found
  }
  for await (const bytes of createReadStream(working) as AsyncIterable<Buffer>)
    for (const chunk of splitter.push(bytes)) yield rows(chunk.bytes)
  for (const chunk of splitter.end()) yield rows(chunk.bytes)
}
