import { userInfo } from 'node:os'
import { AppError } from '../../errors.ts'
import { hasControls } from '../../printable.ts'
import { print } from '../print.ts'
import { count, several } from '../progress.ts'
import { tableLines } from '../table.ts'
import { withState } from '../with-state.ts'
import { type QuarantineRequest, selectedLines } from './request.ts'

const MAX_LINES = 1_000_000
const MAX_TEXT = 500

/** Records that refused lines are left out permanently, who decided it and why. */
export async function discard(
  request: QuarantineRequest,
  { why, by }: { why: string; by: string | undefined },
): Promise<number> {
  const { io, isJson } = request
  const discardedBy = by ?? userInfo().username
  for (const [option, text] of [
    ['--why', why],
    ['--by', discardedBy],
  ] as const) {
    if (text.trim() === '' || text.length > MAX_TEXT || hasControls(text)) {
      throw new AppError('bad_usage', `${option} takes 1 to ${MAX_TEXT} characters on one line`)
    }
  }
  const files = await selectedLines(request, ['waiting'], MAX_LINES)
  if (files.length === 0) return 1
  const discards = files.map((lines) => {
    const { source_id, kind, container_sha256: sha256, member, file_name } = lines[0]!
    const line_numbers = lines.map(({ line_number }) => line_number)
    return { source_id, kind, sha256, member, file_name, line_numbers, why, discarded_by: discardedBy }
  })
  await withState(io, (state) => state.quarantineDiscards.record(discards))
  const shown = discards.map(
    ({ source_id, file_name, line_numbers }) =>
      `${source_id}  ${file_name}: ${several(line_numbers.length, 'line')} discarded`,
  )
  print(io, isJson, { discarded: discards }, shown)
  return 0
}

/** Prints a table of the discarded lines: when, by whom, how many and why. */
export async function listDiscards({ io, isJson }: QuarantineRequest): Promise<number> {
  const discards = await withState(io, (state) => state.quarantineDiscards.all())
  const rows = discards.map(({ discarded_at, discarded_by, source_id, file_name, row_count, why }) => [
    discarded_at.slice(0, 16),
    discarded_by,
    source_id,
    file_name,
    count(row_count),
    why,
  ])
  print(io, isJson, { discards }, tableLines(['when', 'who', 'source', 'file', 'lines', 'why'], rows))
  return 0
}
