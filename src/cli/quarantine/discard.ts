import { userInfo } from 'node:os'
import { AppError } from '../../errors.ts'
import { quarantinedLines } from '../../ingest/quarantine.ts'
import { hasControls } from '../../printable.ts'
import { count } from '../progress.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { tableLines } from '../table.ts'
import { withState } from '../with-state.ts'
import { type QuarantineRequest, recordedDiscards } from './request.ts'

const MAX_LINES = 1_000_000
const MAX_TEXT = 500

/** Leaves waiting lines out permanently, and records who decided it and why. */
export async function discard(
  { io, isJson, selection }: QuarantineRequest,
  { why, by }: { why: string; by: string | undefined },
): Promise<number> {
  const discardedBy = by ?? userInfo().username
  for (const [option, text] of [
    ['--why', why],
    ['--by', discardedBy],
  ] as const) {
    if (text.trim() === '' || text.length > MAX_TEXT || hasControls(text)) {
      throw new AppError('bad_usage', `${option} takes 1 to ${MAX_TEXT} characters on one line`)
    }
  }
  const earlier = await recordedDiscards(io)
  const lines = await readWarehouse(io.config, (db) =>
    quarantinedLines(db, earlier, selection, ['waiting'], MAX_LINES),
  )
  if (lines.length === 0) {
    io.err(
      `no matching refused line of ${selection.source ?? ''} is waiting; \`platbook quarantine list\` lists the waiting lines`,
    )
    return 1
  }
  const discards = [...Map.groupBy(lines, ({ file_id }) => file_id).values()].flatMap((ofFile) => {
    const [first] = ofFile
    if (first === undefined) return []
    const { source_id, kind, container_sha256: sha256, member, file_name } = first
    const line_numbers = ofFile.map(({ line_number }) => line_number)
    return [{ source_id, kind, sha256, member, file_name, line_numbers, why, discarded_by: discardedBy }]
  })
  await withState(io, (state) => state.quarantineDiscards.record(discards))
  if (isJson) {
    io.out(JSON.stringify({ discarded: discards }))
    return 0
  }
  for (const { file_name, line_numbers } of discards) {
    io.out(
      `${selection.source ?? ''}  ${file_name}: ${count(line_numbers.length)} ${line_numbers.length === 1 ? 'line' : 'lines'} discarded`,
    )
  }
  return 0
}

/** Prints a table of the discarded lines: when, by whom, how many and why. */
export async function listDiscards({ io, isJson }: QuarantineRequest): Promise<number> {
  const discards = await withState(io, (state) => state.quarantineDiscards.all())
  if (isJson) {
    io.out(JSON.stringify({ discards }))
    return 0
  }
  const rows = discards.map(({ discarded_at, discarded_by, source_id, file_name, row_count, why }) => [
    discarded_at.slice(0, 16),
    discarded_by,
    source_id,
    file_name,
    count(row_count),
    why,
  ])
  for (const line of tableLines(['when', 'who', 'source', 'file', 'lines', 'why'], rows)) io.out(line)
  return 0
}
