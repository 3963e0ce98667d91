import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { Tally } from './tally.ts'
import { PARTIAL } from '../write/output.ts'
import type { RunOptions } from './options.ts'
import { unwritable } from '../unwritable.ts'

/** The files of a run until its output is complete. */
export interface WorkingFiles {
  readonly output: string
  readonly rejected: string
  readonly checkpoint: string
  readonly firstRows: string
  /** A copy of Parquet or Arrow from standard input. */
  readonly input: string
  /** The final name of the file with rejected rows. */
  readonly rejectedFinal: string
}

export function workingFiles(path: string): WorkingFiles {
  return {
    output: path + PARTIAL,
    rejected: `${path}.rejected${PARTIAL}`,
    checkpoint: `${path}${PARTIAL}.json`,
    firstRows: `${path}${PARTIAL}.doubles`,
    input: `${path}${PARTIAL}.input`,
    rejectedFinal: `${path.replace(/\.[^./\\]*$/, '')}.rejected.csv`,
  }
}

const Saved = z.object({
  format: z.literal(3),
  /** A resumed run must have the same input file and options. */
  input: z.string(),
  options: z.string(),
  snapshot: z.string(),
  /** The day for which ages are computed. A resumed run keeps the day, so that all rows have the same one. */
  today: z.string(),
  chunks: z.int(),
  outputBytes: z.int(),
  rejectedBytes: z.int(),
  tally: z.custom<Tally>((value) => typeof value === 'object' && value !== null),
})
/** The progress of a run. The working files contain everything up to here. */
export type Checkpoint = z.output<typeof Saved>

export function saveCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  return replaceFile(path, JSON.stringify(checkpoint))
}

/**
 * Returns a hash of the options that must be equal in a resumed run. Snapshot and day are not among them; they come
 * from the checkpoint.
 */
export function fingerprint({
  mapping,
  match,
  output,
  prefix,
  dedupe,
  limit,
  maxBillable,
  safeCells = false,
}: RunOptions): string {
  // The command line and HTTP differ in these settings. No option changes them.
  const { suppressions, today: _, reportsSuppressed: __, suppressesPeople: ___, ...rest } = match
  const lists =
    suppressions === null ? null : Object.values(suppressions).map((set: ReadonlySet<string>) => [...set])
  const all = [
    mapping,
    rest,
    lists,
    output?.kind,
    prefix,
    dedupe,
    limit,
    maxBillable,
    ...(safeCells ? ['safe'] : []),
  ]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}

/**
 * Returns where a resumed run continues; null for a new run.
 * @throws `bad_usage` when no checkpoint fits
 */
export async function resumePoint(
  options: RunOptions,
  files: WorkingFiles | null,
): Promise<Checkpoint | null> {
  if (!options.resume) return null
  if (files === null || options.input.identity === null)
    throw new AppError('bad_usage', '--resume needs files for input and output')
  return loadCheckpoint(files.checkpoint, options.input.identity, fingerprint(options))
}

/** Returns whether a stopped run that writes to `path` left a checkpoint that this version of Platbook reads. */
export async function hasCheckpoint(path: string): Promise<boolean> {
  const text = await readFile(workingFiles(path).checkpoint, 'utf8').catch(() => '')
  return Saved.safeParse(parsedJson(text)).success
}

async function loadCheckpoint(path: string, input: string, options: string): Promise<Checkpoint> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new AppError(
      'bad_usage',
      `there is no stopped run to resume: ${path} ${cause.code === 'ENOENT' ? 'does not exist' : "can't be read"}; run without --resume`,
      { cause },
    )
  })
  const parsed = Saved.safeParse(parsedJson(text))
  if (!parsed.success)
    throw new AppError(
      'bad_usage',
      `${path} is damaged or of another version of Platbook; run without --resume`,
    )
  const what =
    parsed.data.input !== input ? 'the input file' : parsed.data.options !== options ? 'an option' : null
  if (what !== null)
    throw new AppError('bad_usage', `${what} differs from the stopped run; run without --resume`)
  return parsed.data
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Saves, by person number, the first row that was matched to each person. */
export function saveFirstRows(path: string, firstRows: Uint32Array): Promise<void> {
  return replaceFile(path, firstRows)
}

/**
 * Reads the file of `saveFirstRows`. Row numbers after `rowsDone` become 0 (none). A run that was killed before it
 * wrote its checkpoint processes these rows again.
 */
export async function loadFirstRows(path: string, rowsDone: number): Promise<Uint32Array> {
  const bytes = await readFile(path)
  return new Uint32Array(new Uint8Array(bytes).buffer).map((row) => (row > rowsDone ? 0 : row))
}

async function replaceFile(path: string, content: string | Uint32Array): Promise<void> {
  const next = `${path}.next`
  try {
    await writeFile(next, content, { flush: true })
    await rename(next, path)
  } catch (cause) {
    await rm(next, { force: true })
    throw unwritable(path, cause as NodeJS.ErrnoException)
  }
}
