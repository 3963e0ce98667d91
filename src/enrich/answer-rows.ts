import { setImmediate as turn } from 'node:timers/promises'
import type { Lookup } from '../lookup/open.ts'
import { type ListedRow, type RejectedRow, rowsOfChunk } from './chunks.ts'
import { type MappedColumn } from './columns.ts'
import { fieldColumns, type Value } from './fields.ts'
import { matchRow, type MatchOptions, type MatchStatus, NOT_LOOKED_UP } from './match-row.ts'
import { cluesOf } from './row-clues.ts'
import type { Input } from './read-input.ts'

/** A row's answer as `POST /v1/enrichments` gives it. */
export interface AnsweredRow {
  readonly row: number
  readonly key: string | null
  readonly match_status: MatchStatus
  readonly match_score: number | null
  readonly matched_by: readonly string[]
  readonly reason: string
  readonly person_id: string | null
  readonly person_name: string | null
  readonly property_id: string | null
  readonly data: Readonly<Record<string, Value>> | null
}

export interface AnswerOptions {
  readonly mapping: readonly MappedColumn[]
  readonly counties: ReadonlyMap<string, string>
  readonly match: MatchOptions
  readonly maxBillable: number | null
}

// A few milliseconds: lookups of others wait no longer for a list.
const ROWS_A_TURN = 32

/** A row of a list by its number, as it was read. */
export type NumberedRow = ListedRow & { readonly row: number }

/** All rows of a list that has no more than `most`, in characters and rows as they are read; null when it has more. */
export async function rowsOfShort(
  input: Input,
  most: { readonly rows: number; readonly bytes: number },
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
      if (row > most.rows) return null
      rows.push({ ...record, row })
    }
    if (chunk.broken === null) continue
    const { row: number, line, reason, text } = chunk.broken
    if (number > most.rows) return null
    rows.push({ row: number, line, cells: null, raw: text, fault: reason })
  }
  return rows
}

/** Matches a short list in this thread, row by row, by the same code as `platbook enrich`; others have their turn between rows. */
export async function answerRows(
  lookup: Lookup,
  rows: readonly NumberedRow[],
  { mapping, counties, match, maxBillable }: AnswerOptions,
): Promise<{ results: AnsweredRow[]; rejected: RejectedRow[] }> {
  const columns = fieldColumns(match.fields)
  const keyColumn = mapping.find(({ field }) => field === 'key')?.column
  const results: AnsweredRow[] = []
  const rejected: RejectedRow[] = []
  let billed = 0
  for (const record of rows) {
    const { row, line, cells } = record
    if (row % ROWS_A_TURN === 0) await turn()
    if (cells === null) {
      rejected.push({ row, line, reason: record.fault, text: record.raw })
      continue
    }
    const key = keyColumn === undefined ? null : (cells[keyColumn] ?? null)
    const isOverCap = maxBillable !== null && billed >= maxBillable
    const found = isOverCap
      ? NOT_LOOKED_UP[0]
      : matchRow(lookup, cluesOf(cells, mapping, counties), match)[0]!
    if (found.status === 'matched') billed++
    results.push({
      row,
      key,
      match_status: found.status,
      match_score: found.score,
      matched_by: found.matched_by,
      reason: found.reason,
      person_id: found.person_id,
      person_name: found.person_name,
      property_id: found.property_id,
      data:
        found.status === 'matched'
          ? Object.fromEntries(columns.map((name, at) => [name, found.values[at] ?? null]))
          : null,
    })
  }
  return { results, rejected }
}
