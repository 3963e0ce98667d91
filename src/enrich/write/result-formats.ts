import { Readable } from 'node:stream'
import { arrowBytes, type OutputColumn, outputColumns, rowsOf, toParquet } from './columnar-output.ts'
import type { Field } from '../match/fields.ts'
import { addedColumns } from '../match/added-columns.ts'

/** The prefix of all added columns of a result over HTTP. */
export const RESULT_PREFIX = 'pb_'

/** The options of a run that decide the columns of its result. */
export interface ResultShape {
  readonly fields: readonly Field[]
  readonly top: number
  readonly dedupe: boolean
}

/** Returns the names of the columns after the input's own columns. */
export function resultColumns({ fields, top, dedupe }: ResultShape): string[] {
  return addedColumns(fields, RESULT_PREFIX, top, dedupe)
}

/** The media types of results and their formats. */
export const RESULT_TYPES: Readonly<Record<string, 'csv' | 'jsonl' | 'parquet' | 'arrow'>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'jsonl',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.apache.arrow.stream': 'arrow',
}

/** Returns a result (a CSV file with a header) as JSON lines or as an Arrow stream. Numeric columns become numbers. */
export async function resultStream(
  path: string,
  kind: 'jsonl' | 'arrow',
  shape: ResultShape,
): Promise<Readable> {
  const columns = await columnsOf(path, shape)
  return kind === 'jsonl'
    ? Readable.from(jsonLines(path, columns))
    : Readable.from(arrowBytes(path, columns, 'stream'), { objectMode: false })
}

/** Converts the result at `path` to Parquet and writes it to `to`. */
export async function writeParquet(path: string, to: string, shape: ResultShape): Promise<void> {
  await toParquet(path, to, await columnsOf(path, shape))
}

async function columnsOf(path: string, shape: ResultShape): Promise<OutputColumn[]> {
  const added = resultColumns(shape)
  for await (const [header] of rowsOf(path, true)) {
    const first = header!.length - added.length
    // Takes the names from the file, because an older version wrote other names.
    return outputColumns(header!.slice(0, first), header!.slice(first))
  }
  return []
}

async function* jsonLines(path: string, columns: readonly OutputColumn[]): AsyncGenerator<string> {
  for await (const rows of rowsOf(path)) {
    yield rows
      .map(
        (row) =>
          `{${columns.map(({ name, isNumber }, at) => `${JSON.stringify(name)}:${cell(row[at]!, isNumber)}`).join(',')}}\n`,
      )
      .join('')
  }
}

function cell(text: string, isNumber: boolean): string {
  if (text === '') return 'null'
  return isNumber ? String(Number(text)) : JSON.stringify(text)
}
