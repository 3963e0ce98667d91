import { setImmediate as turn } from 'node:timers/promises'
import type { Lookup } from '../../lookup/index.ts'
import type { BrokenRecord } from '../read/records.ts'
import type { MappedColumn } from '../columns/recognise.ts'
import { fieldColumns, type Value } from '../match/fields.ts'
import {
  matchRow,
  type MatchOptions,
  type MatchStatus,
  NOT_LOOKED_UP,
  type RowAnswer,
  STATUSES,
} from '../match/match-row.ts'
import { cluesOf } from '../match/row-clues.ts'
import type { Input } from '../read/read-input.ts'
import { type ListedRow, rowsOfChunk } from '../read/rows.ts'

/** The answer to one row in `POST /v1/enrichments`. */
export interface AnsweredRow {
  readonly row: number
  readonly key: string | null
  /** From 1. Greater than 1 only with `top`. */
  readonly match_rank: number
  readonly match_status: MatchStatus
  readonly match_probability: number | null
  readonly matched_by: readonly string[]
  readonly reason: string
  readonly person_id: string | null
  readonly person_name: string | null
  readonly property_id: string | null
  /** With `dedupe`: the earlier row that was matched to the same person. */
  readonly duplicate_of: number | null
  readonly data: Readonly<Record<string, Value>> | null
}

export interface AnswerOptions {
  readonly mapping: readonly MappedColumn[]
  readonly counties: ReadonlyMap<string, string>
  readonly match: MatchOptions
  /** True: later rows of a person who was matched before are not billed. */
  readonly dedupe: boolean
  readonly maxBillable: number | null
}

/** Counts of rows by status, and of billed rows. */
export interface RowCounts {
  readonly statuses: Readonly<Record<MatchStatus, number>>
  readonly rows: number
  readonly billable: number
  readonly duplicates: number
}

// Lets other requests run after this number of rows, which take a few milliseconds.
const ROWS_A_TURN = 32

/** A row with its number in the input. */
export type NumberedRow = ListedRow & { readonly row: number }

/**
 * Reads all rows, or the rows up to `limit`. Returns null when there are more than `most.rows` rows or `most.bytes`
 * bytes.
 */
export async function rowsOfShort(
  input: Input,
  most: { readonly rows: number; readonly bytes: number },
  limit: number | null,
): Promise<NumberedRow[] | null> {
  const settings = { input: input.format, inputDialect: input.dialect, header: input.header }
  const rows: NumberedRow[] = []
  let bytes = 0
  for await (const chunk of input.chunks()) {
    bytes += chunk.bytes.length
    if (bytes > most.bytes) return null
    let row = chunk.firstRow - 1
    for (const record of rowsOfChunk(chunk.bytes, chunk.firstLine, settings)) {
      row++
      if (limit !== null && row > limit) return rows
      if (row > most.rows) return null
      rows.push({ ...record, row })
    }
    if (chunk.broken === null) continue
    const { row: number, line, reason, text } = chunk.broken
    if (limit !== null && number > limit) return rows
    if (number > most.rows) return null
    rows.push({ row: number, line, cells: null, raw: text, fault: reason })
  }
  return rows
}

/** Matches the rows of a short input in the calling thread, and lets other requests run between rows. */
export async function answerRows(
  lookup: Lookup,
  rows: readonly NumberedRow[],
  { mapping, counties, match, dedupe, maxBillable }: AnswerOptions,
): Promise<{ results: AnsweredRow[]; rejected: BrokenRecord[]; counts: RowCounts }> {
  const columns = fieldColumns(match.fields)
  const keyColumn = mapping.find(({ field }) => field === 'key')?.column
  const results: AnsweredRow[] = []
  const rejected: BrokenRecord[] = []
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<MatchStatus, number>
  const firstRows = new Map<number, number>()
  let billed = 0
  let duplicates = 0
  for (const record of rows) {
    const { row, line, cells } = record
    if (row % ROWS_A_TURN === 0) await turn()
    if (cells === null) {
      rejected.push({ row, line, reason: record.fault, text: record.raw })
      continue
    }
    const key = keyColumn === undefined ? null : (cells[keyColumn] ?? null)
    const isOverCap = maxBillable !== null && billed >= maxBillable
    const answers = isOverCap ? NOT_LOOKED_UP : matchRow(lookup, cluesOf(cells, mapping, counties), match)
    const [best] = answers as [RowAnswer]
    statuses[best.status]++
    const duplicate_of = (dedupe && best.person !== null ? firstRows.get(best.person) : undefined) ?? null
    if (duplicate_of !== null) duplicates++
    else if (best.isBillable) {
      billed++
      if (best.person !== null) firstRows.set(best.person, row)
    }
    for (const found of answers)
      results.push({
        row,
        key,
        match_rank: found.rank,
        match_status: found.status,
        match_probability: found.match_probability,
        matched_by: found.matched_by,
        reason: found.reason,
        person_id: found.person_id,
        person_name: found.person_name,
        property_id: found.property_id,
        duplicate_of,
        data:
          found.status === 'matched'
            ? Object.fromEntries(columns.map((name, at) => [name, found.values[at] ?? null]))
            : null,
      })
  }
  const counts = { statuses, rows: rows.length - rejected.length, billable: billed, duplicates }
  return { results, rejected, counts }
}
