import { open } from 'node:fs/promises'
import { type Data, DataType, RecordBatchReader, Vector } from 'apache-arrow'
import { AppError } from '../../errors.ts'
import { arrowMessages } from './arrow-messages.ts'
import { LONGEST_RECORD } from './records.ts'
import { SLICE_ROWS, SLICE_TEXT, type TableRows } from './table-rows.ts'
import { cellOf } from './rows.ts'

const LONGEST_LIST = 1_000

/** Reads the columns and rows of an Arrow stream or file as text, one slice at a time. */
export async function readArrow(path: string): Promise<TableRows> {
  const file = await open(path)
  const reader = await RecordBatchReader.from(arrowMessages(file))
  await reader.open()
  const header = reader.schema.fields.map((field) => field.name)
  return {
    header,
    async *slices() {
      const checked = new WeakSet<Data>()
      let row = 0
      for await (const batch of reader) {
        checkData(batch.data, checked)
        const columns = header.map((_, column) => batch.getChildAt(column))
        let slice: string[][] = []
        let length = 0
        for (let at = 0; at < batch.numRows; at++) {
          row++
          const cells = rowOf(columns, header, at, row)
          slice.push(cells.texts)
          length += cells.length
          if (slice.length < SLICE_ROWS && length < SLICE_TEXT) continue
          yield slice
          slice = []
          length = 0
        }
        if (slice.length > 0) yield slice
      }
    },
  }
}

function rowOf(
  columns: readonly (Vector | null)[],
  header: readonly string[],
  at: number,
  row: number,
): { texts: string[]; length: number } {
  const texts: string[] = []
  let length = 0
  for (const [column, vector] of columns.entries()) {
    const value: unknown = vector?.get(at)
    if (value instanceof Vector && value.length > LONGEST_LIST)
      throw new AppError(
        'bad_input',
        `row ${row} has a list of ${value.length} values in the column '${header[column]}'`,
      )
    const text = cellText(value)
    length += text.length
    // A long value of a dictionary is stored once, so a row may be longer than the file.
    if (length > LONGEST_RECORD)
      throw new AppError('bad_input', `row ${row} has more than ${LONGEST_RECORD} bytes`)
    texts.push(text)
  }
  return { texts, length }
}

/**
 * Compares the offsets and lengths of a column with the sizes of its buffers, because apache-arrow trusts them.
 * @throws `bad_input`
 */
function checkData(data: Data, checked: WeakSet<Data>): void {
  if (checked.has(data)) return
  checked.add(data)
  const { type, length } = data
  const values = data.values as ArrayLike<unknown> | undefined
  const offsets = data.valueOffsets as ArrayLike<number | bigint> | undefined
  if (
    DataType.isUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isLargeBinary(type)
  )
    checkOffsets(offsets, length, values?.length ?? 0)
  else if (DataType.isList(type) || DataType.isMap(type))
    checkOffsets(offsets, length, data.children[0]?.length ?? 0)
  else if (!DataType.isBool(type) && (values?.length ?? 0) > 0 && values!.length < length)
    throw new AppError('bad_input', `it is damaged: a column has ${values!.length} of ${length} values`)
  for (const child of data.children) checkData(child, checked)
  for (const part of data.dictionary?.data ?? []) checkData(part, checked)
}

function checkOffsets(offsets: ArrayLike<number | bigint> | undefined, rows: number, most: number): void {
  if (rows === 0) return
  if (offsets === undefined || offsets.length <= rows)
    throw new AppError(
      'bad_input',
      `it is damaged: a column has ${offsets?.length ?? 0} offsets for ${rows} values`,
    )
  let before = 0
  for (let row = 0; row <= rows; row++) {
    const offset = Number(offsets[row])
    if (offset < before || offset > most)
      throw new AppError('bad_input', `it is damaged: a value lies at ${offset} of ${most} bytes`)
    before = offset
  }
}

function cellText(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString().slice(0, 10)
  return typeof value === 'bigint' ? String(value) : cellOf(value)
}
