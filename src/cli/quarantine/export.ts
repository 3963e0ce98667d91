import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type Exported, exportLines } from '../../ingest/quarantine-export.ts'
import { quarantinedLines } from '../../ingest/quarantine.ts'
import { count } from '../progress.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { definitions, type QuarantineRequest, recordedDiscards, withScratch } from './request.ts'

/** The most lines that one call exports. */
const MAX_LINES = 1_000_000

/** Writes the waiting lines of each landed file to a file in `folder`. Prints an error for a file that cannot be exported and continues. */
export async function exportWaiting(
  { io, isJson, selection, sourceFolders }: QuarantineRequest,
  { folder, isForced }: { folder: string; isForced: boolean },
): Promise<number> {
  const discards = await recordedDiscards(io)
  const lines = await readWarehouse(io.config, (db) =>
    quarantinedLines(db, discards, selection, ['waiting'], MAX_LINES),
  )
  if (lines.length === 0) {
    io.err(
      `no matching refused line of ${selection.source ?? ''} is waiting; \`platbook quarantine list\` lists the waiting lines`,
    )
    return 1
  }
  const defined = await definitions(sourceFolders)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const exported: Exported[] = []
  const failed: string[] = []
  for (const ofFile of Map.groupBy(lines, ({ file_id }) => file_id).values()) {
    const [first] = ofFile
    if (first === undefined) continue
    const base = (first.member ?? first.landed_name).split('/').at(-1) ?? ''
    const name = base
      .replace(/\.correction$/, '')
      .replace(/\.gz$/i, '')
      .replaceAll(/[^\w.-]/g, '_')
    const target = join(folder, `${first.file_id}-${name}`)
    try {
      const { kind } = defined(first.source_id, first.kind)
      const options = { lines: ofFile, kind, landing: io.config.paths.landing, target, isForced }
      exported.push(
        await withScratch((scratch) => exportLines({ ...options, scratch, at: io.now().toISOString() })),
      )
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failed.push(error.message)
    }
  }
  if (isJson) {
    io.out(JSON.stringify({ exported, failed }))
  } else {
    for (const { path, lines: written, left_out } of exported) {
      const rest =
        left_out === 0
          ? ''
          : `; ${count(left_out)} left out: too long, or beyond the size limit of one export`
      io.out(`${path}: ${count(written)} ${written === 1 ? 'line' : 'lines'}${rest}`)
    }
    for (const message of failed) io.err(message)
    if (exported.length > 0) {
      io.out(
        'correct the lines in place, then run `platbook quarantine replay FILE`; keep FILE.lines.json beside FILE',
      )
    }
  }
  return failed.length === 0 ? 0 : 1
}
