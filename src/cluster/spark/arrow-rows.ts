import { DataType, tableFromIPC, type Vector } from 'apache-arrow'
import { AppError } from '../../errors.ts'

export type Row = Record<string, unknown>

/**
 * Reads the rows of an Arrow stream. Integers of 64 bits and decimals without fraction are bigint, smaller numbers are
 * number, lists are arrays, dates are milliseconds.
 */
export function rowsOf(batch: Uint8Array): Row[] {
  const table = tableFromIPC(batch)
  const columns = table.schema.fields.map((field, at) => ({
    name: field.name,
    type: field.type as DataType,
    values: table.getChildAt(at) as Vector,
  }))
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(
      columns.map(({ name, type, values }) => [name, valueOf(name, type, values.get(row) as unknown)]),
    ),
  )
}

function valueOf(column: string, type: DataType, value: unknown): unknown {
  if (value === null) return null
  if (DataType.isList(type))
    return Array.from(value as Iterable<unknown>, (item) => valueOf(column, type.valueType as DataType, item))
  if (DataType.isDecimal(type)) {
    if (type.scale !== 0)
      throw new AppError(
        'stage_failed',
        `the column ${column} is a decimal with a fraction: cast it to double`,
      )
    return decimalOf(value as Uint32Array)
  }
  return value
}

/** Reads a signed integer of 128 bits in words of 32 bits, the lowest first. */
function decimalOf(words: Uint32Array): bigint {
  let value = 0n
  for (const word of words.toReversed()) value = (value << 32n) | BigInt(word)
  return BigInt.asIntN(words.length * 32, value)
}
