import { AppError } from '../errors.ts'

/**
 * The keys after `-- by:`. The parts of a table are the values of its key. A model may compute the key from other
 * columns of an input, so not every key is a column.
 */
export const PARTITION_KEYS = [
  'record_key',
  'document_id',
  'county_fips',
  'name',
  'name_key',
  'address_id',
  'place',
  'house_number',
  'building_key',
  'organisation_key',
  'business_id',
  'mention_base',
  'mention_key',
  'zip',
  'file_id',
  'source_id',
  'person_id',
  'email',
  'phone',
  'property_id',
] as const
export type PartitionKey = (typeof PARTITION_KEYS)[number]

/** How a query can be answered in parts: the union of the results of all parts is the result for the whole tables. */
export interface Partition {
  readonly key: PartitionKey
  /** The rows that a part gets, in the order in which they must be selected. A table may occur more than once. */
  readonly inputs: readonly PartInput[]
  /** A part keeps the rows of its result whose value of this expression belongs to the part. Null: all rows. */
  readonly result: string | null
}

export type PartInput = SplitInput | WholeInput | AskedInput

/** Each row is in the part that the value of `by`, an SQL expression over the columns of `table`, belongs to. */
export interface SplitInput {
  readonly kind: 'split'
  readonly table: string
  readonly by: string
  /** No part gets the rows whose value is null. Otherwise null belongs to a part like any other value. */
  readonly leavesOutNull: boolean
}

/** Each part has all rows. For small tables. */
export interface WholeInput {
  readonly kind: 'whole'
  readonly table: string
}

/** A part has the rows whose value of `value` is among the values of `asked` in the rows that it has of `asker`. */
export interface AskedInput {
  readonly kind: 'asked'
  readonly table: string
  readonly value: string
  readonly asker: string
  /** An SQL expression over the columns of `asker`. It may be an `unnest`. */
  readonly asked: string
}

/**
 * Reads the header lines from `-- by:` on. `reads` are the tables of the query. A table without a line is split by
 * the column that the key names.
 * @throws `model_failed` for a line that cannot be read, and for a table that asks before it has rows
 */
export function readPartition(text: string, reads: readonly string[], file: string): Partition {
  const [, key, lines] = /^-- by: *(\S+)\n((?:-- {3}\S.*\n)*)/m.exec(text) ?? []
  if (key === undefined) throw new AppError('model_failed', `${file} has no line "-- by: <key>"`)
  if (!isKey(key)) {
    throw new AppError(
      'model_failed',
      `${file}: "-- by: ${key}" names no known key; the keys are ${PARTITION_KEYS.join(', ')}`,
    )
  }
  const stated: PartInput[] = []
  let result: string | null = null
  for (const line of (lines ?? '').split('\n').filter((each) => each !== '')) {
    const [, table, how] = /^-- {3}([\w.]+): (.+)$/.exec(line) ?? []
    if (table === undefined || how === undefined)
      throw new AppError('model_failed', `${file}: "${line}" is not "--   <table>: <rows of a part>"`)
    if (table === 'result') result = how
    else if (reads.includes(table)) stated.push(readInput(table, how))
    else throw new AppError('model_failed', `${file}: "${line}" names a table that the query does not read`)
  }
  const isStated = (table: string): boolean => stated.some((input) => input.table === table)
  const byKey = reads
    .filter((table) => !isStated(table))
    .map((table): PartInput => ({ kind: 'split', table, by: key, leavesOutNull: false }))
  const inputs = [...byKey, ...stated.filter(({ kind }) => kind !== 'asked')]
  for (const input of stated) {
    if (input.kind !== 'asked') continue
    if (!inputs.some(({ table }) => table === input.asker))
      throw new AppError(
        'model_failed',
        `${file}: ${input.table} is asked for by ${input.asker}, which has no rows yet; put the line of ${input.asker} first`,
      )
    inputs.push(input)
  }
  return { key, inputs, result }
}

function readInput(table: string, how: string): PartInput {
  if (how === 'whole') return { kind: 'whole', table }
  const [, value, asked, asker] = /^(.+) in (.+) of ([\w.]+)$/.exec(how) ?? []
  if (value !== undefined && asked !== undefined && asker !== undefined)
    return { kind: 'asked', table, value, asked, asker }
  const by = how.replace(/, not null$/, '')
  return { kind: 'split', table, by, leavesOutNull: by !== how }
}

function isKey(key: string): key is PartitionKey {
  return (PARTITION_KEYS as readonly string[]).includes(key)
}
