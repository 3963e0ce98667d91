import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { query } from '../warehouse/query.ts'
import type { Correction } from './corrections.ts'
import { contentId, type FileRecord } from './ledger.ts'
import { type LoadContext, type LoadingFile, type ReadableFile, shownRecord } from './loading.ts'
import { correctedKey, fileKey, isCorrectable } from './plan.ts'
import type { CorrectedLines } from './raw-loader.ts'

/** The file whose lines a correction replaces: a file of the ledger, or a file of the same load. */
type Corrected = Pick<LoadingFile, 'record' | 'failure'>

/**
 * Gives each correction file the name, day and groups of the file that it corrects, because its rows count as rows of
 * that file. Fails corrections whose file is neither in the ledger nor in this load. Resolves to the corrected files.
 */
export function placeCorrections(
  { known }: LoadContext,
  files: readonly LoadingFile[],
): ReadonlyMap<LoadingFile, Corrected> {
  const corrected = new Map<LoadingFile, Corrected>()
  const found = new Map<string, Corrected>(
    known.filter(isCorrectable).map((record) => [fileKey(record), { record, failure: null }]),
  )
  for (const file of files) if (file.unit !== null) found.set(fileKey(file.record), file)
  for (const file of files) {
    const correction = correctionOf(file)
    if (correction === null) continue
    const target = found.get(correctedKey(file.record.kind, correction))
    if (target === undefined || target === file) {
      file.failure = new AppError(
        'source_unreadable',
        `${shownRecord(file.record)} corrects ${shownCorrected(correction)}, which is not loaded: put that file into landing again, or reject the correction`,
      )
      continue
    }
    const { base_name, groups, as_of_on } = target.record
    file.record = { ...file.record, base_name, groups, as_of_on }
    corrected.set(file, target)
  }
  return corrected
}

/**
 * Records which lines of `target` the correction file replaces. `target` must have been read before.
 * @throws `source_unreadable` when that file failed, or when another correction replaces one of the lines
 */
export async function resolveCorrection(
  db: DuckDBConnection,
  file: LoadingFile,
  target: Corrected,
  files: readonly LoadingFile[],
): Promise<void> {
  const correction = correctionOf(file)
  if (correction === null) return
  if (target.failure !== null) {
    throw new AppError(
      'source_unreadable',
      `${shownRecord(file.record)} corrects ${shownCorrected(correction)}, which failed: correct or reject that file first`,
    )
  }
  const content_id = contentId(target.record)
  const { line_numbers } = correction
  const isTaken = new Set(
    (await correctedLines(db, [content_id], files)).flatMap((each) => each.line_numbers),
  )
  const twice = line_numbers.find((line) => isTaken.has(line))
  if (twice !== undefined) {
    throw new AppError(
      'source_unreadable',
      `${shownRecord(file.record)} corrects line ${twice} of ${shownCorrected(correction)}, which another correction has already replaced: remove this one from landing`,
    )
  }
  file.record = {
    ...file.record,
    corrects_file_id: content_id,
    corrected_lines: line_numbers,
    part_of_file_id: target.record.part_of_file_id ?? content_id,
  }
}

/**
 * Returns the lines of these files that corrections replace. It counts corrections in the ledger and those of this
 * load that have not failed.
 */
export async function correctedLines(
  db: DuckDBConnection,
  fileIds: readonly number[],
  files: readonly LoadingFile[],
): Promise<CorrectedLines[]> {
  const known = await query(
    db,
    `select corrects_file_id as file_id, corrected_lines as line_numbers from ledger.files
     where status in ('loaded', 'held') and corrects_file_id in (${[0, ...fileIds].join(', ')})`,
    z.object({ file_id: z.number(), line_numbers: z.array(z.number()) }),
  )
  const own = files.flatMap(({ record, failure }) => {
    const { corrects_file_id: file_id, corrected_lines: line_numbers } = record
    const isOne = failure === null && record.status === 'loaded' && line_numbers !== null
    return isOne && file_id !== null && fileIds.includes(file_id) ? [{ file_id, line_numbers }] : []
  })
  return [...known, ...own]
}

export function correctionOf({ unit }: Pick<LoadingFile, 'unit'>): Correction | null {
  return unit?.content.file.correction ?? null
}

export function isCorrection(file: LoadingFile): file is ReadableFile {
  return correctionOf(file) !== null
}

/** Compares corrections by name. A name begins with the time of the export. */
export function inOrderOfExport(a: FileRecord, b: FileRecord): number {
  return a.file_name < b.file_name ? -1 : 1
}

function shownCorrected({ corrects: { file_name, member } }: Correction): string {
  return shownRecord({ file_name, member })
}
