import { readFile, stat } from 'node:fs/promises'
import { AppError, messageOf } from '../../errors.ts'
import { ExportNote, notePath } from '../../ingest/quarantine-export.ts'
import { quarantinedLines, STATES } from '../../ingest/quarantine.ts'
import { correctedFile, landCorrection, tryCorrection } from '../../ingest/replay.ts'
import { openWarehouse } from '../../warehouse/open.ts'
import { count } from '../progress.ts'
import { parseJson } from '../../json-places.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { definitions, type QuarantineRequest, recordedDiscards, withScratch } from './request.ts'

/** A note is smaller than this even with the most lines that an export can have. */
const MAX_NOTE_BYTES = 4 << 20
const SHOWN_REFUSALS = 20

/**
 * Checks a corrected export and copies it to the landing folder, from which the next run loads it. Returns exit code 1, without any
 * change, when the file is not accepted.
 */
export async function replay(
  { io, isJson, sourceFolders }: QuarantineRequest,
  path: string,
  { isJoined }: { isJoined: boolean },
): Promise<number> {
  const note = await readNote(path)
  const { source, kind } = (await definitions(sourceFolders))(note.source_id, note.kind)
  const discards = await recordedDiscards(io)
  const corrected = await readWarehouse(io.config, async (db) => {
    const file = await correctedFile(db, note)
    if (file === null) {
      throw new AppError(
        'bad_input',
        `${path} corrects ${note.corrects.file_name}, which has changed since or is no longer loaded: export the lines again`,
      )
    }
    const selection = { source: source.id, lines: note.line_numbers }
    const lines = await quarantinedLines(db, discards, selection, STATES, 10_000_000)
    const own = lines.filter(
      (line) =>
        line.container_sha256 === note.corrects.container_sha256 &&
        line.member === note.corrects.member &&
        line.kind === kind.kind,
    )
    const waiting = own.filter(({ state }) => state === 'waiting').length
    if (waiting < note.line_numbers.length) {
      const settled = own.find(({ state }) => state !== 'waiting')
      const why = settled === undefined ? 'are no longer refused' : `are already handled (line ${settled.line_number}: ${settled.state})` // prettier-ignore
      throw new AppError(
        'bad_input',
        `${count(note.line_numbers.length - waiting)} of the lines in ${path} ${why}: export the waiting lines again`,
      )
    }
    return file
  })
  const trial = await withScratch(async (scratch) => {
    const memory = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 1 })
    try {
      const at = io.now().toISOString()
      return await tryCorrection({ db: memory.db, source, kind, corrected, path, scratch, at })
    } finally {
      await memory.close()
    }
  })
  const problem = problemOf(trial, note, path, source.refusedLimit, isJoined)
  const landed =
    problem === null ? await landCorrection(path, note, corrected, io.config.paths.landing) : null
  if (isJson) {
    io.out(JSON.stringify({ ...trial, landed, problem }))
    return problem === null ? 0 : 1
  }
  for (const { line_number, reason, column } of trial.refused.slice(0, SHOWN_REFUSALS)) {
    io.err(
      `${path}, line ${line_number} is refused again: ${reason}${column === null ? '' : `; column ${column}`}`,
    )
  }
  if (trial.refused.length > SHOWN_REFUSALS) {
    io.err(`and ${count(trial.refused.length - SHOWN_REFUSALS)} more lines; --json lists them`)
  }
  if (landed === null) {
    io.err(problem ?? '')
    return 1
  }
  io.out(
    `${count(trial.records)} corrected ${trial.records === 1 ? 'record is' : 'records are'} in landing: ${landed}`,
  )
  io.out('the next run loads them: start one now with `platbook nightly`')
  return 0
}

async function readNote(path: string): Promise<ExportNote> {
  const note = notePath(path)
  const found = await stat(note).catch(() => null)
  if (found === null || found.size > MAX_NOTE_BYTES) {
    throw new AppError(
      'bad_input',
      `${note} is ${found === null ? 'missing' : 'too large'}: \`platbook quarantine export\` writes this file beside the lines, and replay needs it`,
    )
  }
  try {
    return ExportNote.parse(parseJson(await readFile(note, 'utf8'), note, 'bad_input'))
  } catch (cause) {
    throw new AppError('bad_input', `${note} is damaged (${messageOf(cause).split('\n')[0] ?? ''}): export the lines again`, { cause }) // prettier-ignore
  }
}

function problemOf(
  { records, refused }: { records: number; refused: readonly unknown[] },
  note: ExportNote,
  path: string,
  refusedLimit: number,
  isJoined: boolean,
): string | null {
  const exported = note.line_numbers.length
  if (records === 0) return `${path} has no records; to leave lines out, run \`platbook quarantine discard\``
  if (records !== exported && !isJoined) {
    return `${path} has ${count(records)} records, and ${count(exported)} were exported: keep one record for each line, or replay with --joined if lines were joined, split or removed on purpose`
  }
  if (refused.length > records * refusedLimit) {
    return `${count(refused.length)} of ${count(records)} records would be refused again, more than the limit of ${note.source_id} (${refusedLimit * 100} %): correct them and replay ${path} again; nothing was put into landing`
  }
  return null
}
