import { closeSync, openSync, writeSync } from 'node:fs'
import { link, rename, rm, stat, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { type Content, shownName } from './content.ts'
import { Correction, MAX_CORRECTED_LINES } from './corrections.ts'
import type { FileKind } from './definition.ts'
import { landedContent, readRecords } from './landed-records.ts'
import type { QuarantinedLine } from './quarantine.ts'

/** The JSON file beside an exported file. It names the landed file and its lines, for `quarantine replay`. */
export const ExportNote = Correction.extend({ exported_at: z.iso.datetime() })
export type ExportNote = z.output<typeof ExportNote>

export interface Exported {
  readonly path: string
  readonly lines: number
  /** Number of lines that were not written: too long to be read, or more than one export may have. */
  readonly left_out: number
}

export function notePath(path: string): string {
  return `${path}.lines.json`
}

/**
 * Writes quarantined lines of one file to `target`: the header, then the lines with their original bytes. Writes
 * the note for `quarantine replay` beside it. Only the current user may read the two files.
 * @throws `output_unwritable` when one of the files exists
 * @throws `source_unreadable` when the landed file is missing or changed
 */
export async function exportLines(options: {
  lines: readonly QuarantinedLine[]
  kind: FileKind
  landing: string
  scratch: string
  target: string
  isForced: boolean
  at: string
}): Promise<Exported> {
  const { lines, kind, landing, scratch, target, isForced, at } = options
  const [first] = lines
  if (first === undefined) throw new Error('there are no lines to export')
  if (kind.format.type === 'parquet') {
    throw new AppError(
      'bad_usage',
      `${first.file_name} is Parquet, which has no lines to edit: put a corrected file into landing, or discard its rows`,
    )
  }
  for (const path of isForced ? [] : [target, notePath(target)]) {
    if ((await stat(path).catch(() => null)) !== null) throw isThere(path)
  }
  const whole = lines.filter(({ reason }) => !IS_TOO_LONG.test(reason)).slice(0, MAX_CORRECTED_LINES)
  if (whole.length === 0) {
    throw new AppError(
      'source_unreadable',
      `${first.file_name}: its lines are too long to be exported; only the publisher can correct the file`,
    )
  }
  const written = `${target}.partial`
  await rm(written, { force: true })
  try {
    await writeRecords(written, whole, kind, await landedContent(landing, first), scratch)
    if (isForced) await rename(written, target)
    else await linkNew(written, target)
  } finally {
    await rm(written, { force: true })
  }
  const note: ExportNote = {
    source_id: first.source_id,
    kind: kind.kind,
    corrects: {
      file_name: first.landed_name,
      container_sha256: first.container_sha256,
      member: first.member,
    },
    line_numbers: whole.map(({ line_number }) => line_number),
    exported_at: at,
  }
  if (isForced) await rm(notePath(target), { force: true })
  await writeFile(notePath(target), `${JSON.stringify(note)}\n`, { mode: 0o600, flag: 'wx' })
  return { path: target, lines: whole.length, left_out: lines.length - whole.length }
}

const IS_TOO_LONG = /^the line has \d+ bytes, more than/

async function writeRecords(
  path: string,
  lines: readonly QuarantinedLine[],
  kind: FileKind,
  content: Content,
  scratch: string,
): Promise<void> {
  const output = openSync(path, 'wx', 0o600)
  try {
    let count = 0
    const wanted = new Set(lines.map(({ line_number }) => line_number))
    const { sha256 } = await readRecords(content, kind, scratch, wanted, ({ bytes }, frame) => {
      const end = Buffer.from(frame.lineEnd)
      if (count === 0 && frame.header !== null) writeWhole(output, Buffer.concat([frame.header, end]))
      writeWhole(output, Buffer.concat([bytes, end]))
      count++
    })
    const known = lines[0]?.sha256 ?? null
    const isSame = content.file.correction !== null || known === null || sha256 === known
    if (!isSame || count !== wanted.size) {
      throw new AppError(
        'source_unreadable',
        `${shownName(content)} has changed since it was loaded, so line numbers would be wrong: run \`platbook ingest\`, then export again`,
      )
    }
  } finally {
    closeSync(output)
  }
}

function writeWhole(output: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(output, bytes, at)
}

async function linkNew(from: string, to: string): Promise<void> {
  await link(from, to).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? isThere(to) : cause
  })
}

function isThere(path: string): AppError {
  return new AppError('output_unwritable', `${path} already exists; use --force to replace it`)
}
