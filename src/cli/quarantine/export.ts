import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type Exported, exportLines } from '../../ingest/quarantine-export.ts'
import { print } from '../print.ts'
import { count, several } from '../progress.ts'
import { definitions, type QuarantineRequest, selectedLines, withScratch } from './request.ts'

/** The most lines that one call exports. */
const MAX_LINES = 1_000_000

/** Writes the waiting lines of each landed file to a file in `folder`. Prints an error for a file that cannot be exported and continues. */
export async function exportWaiting(
  request: QuarantineRequest,
  { folder, isForced }: { folder: string; isForced: boolean },
): Promise<number> {
  const { io, isJson, sourceFolders } = request
  const files = await selectedLines(request, ['waiting'], MAX_LINES)
  if (files.length === 0) return 1
  const defined = await definitions(sourceFolders)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const exported: Exported[] = []
  const failed: string[] = []
  for (const lines of files) {
    const first = lines[0]!
    const base = (first.member ?? first.landed_name).split('/').at(-1) ?? ''
    const name = base
      .replace(/\.correction$/, '')
      .replace(/\.gz$/i, '')
      .replaceAll(/[^\w.-]/g, '_')
    const target = join(folder, `${first.file_id}-${name}`)
    try {
      const { kind } = defined(first.source_id, first.kind)
      const options = { lines, kind, landing: io.config.paths.landing, target, isForced }
      exported.push(
        await withScratch((scratch) => exportLines({ ...options, scratch, at: io.now().toISOString() })),
      )
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failed.push(error.message)
    }
  }
  const shown = exported.map(({ path, lines, left_out }) => {
    const rest =
      left_out === 0 ? '' : `; ${count(left_out)} left out: too long, or beyond the size limit of one export`
    return `${path}: ${several(lines, 'line')}${rest}`
  })
  if (exported.length > 0)
    shown.push(
      'correct the lines in place, then run `platbook quarantine replay FILE`; keep FILE.lines.json beside FILE',
    )
  if (!isJson) for (const message of failed) io.err(message)
  print(io, isJson, { exported, failed }, shown)
  return failed.length === 0 ? 0 : 1
}
