import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { Tally } from './tally.ts'
import { unwritable } from './write-output.ts'

const Saved = z.object({
  format: z.literal(1),
  /** What must be the same to go on: the input file and the options. */
  input: z.string(),
  options: z.string(),
  snapshot: z.string(),
  chunks: z.int(),
  outputBytes: z.int(),
  rejectedBytes: z.int(),
  tally: z.custom<Tally>((value) => typeof value === 'object' && value !== null),
})
/** How far a run came: everything up to here is in the working files. */
export type Checkpoint = z.output<typeof Saved>

export async function saveCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const next = `${path}.next`
  try {
    await writeFile(next, JSON.stringify(checkpoint), { flush: true })
    await rename(next, path)
  } catch (cause) {
    throw unwritable(path, cause as NodeJS.ErrnoException)
  }
}

/** @throws `bad_usage` when there is none, or it is of another run. */
export async function loadCheckpoint(path: string, input: string, options: string): Promise<Checkpoint> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new AppError(
      'bad_usage',
      `there is nothing to go on with: ${path} ${cause.code === 'ENOENT' ? 'does not exist' : "can't be read"}; run without --resume`,
      { cause },
    )
  })
  const parsed = Saved.safeParse(parsedJson(text))
  if (!parsed.success) throw new AppError('bad_usage', `${path} is not readable; run without --resume`)
  const what =
    parsed.data.input !== input ? 'the input file' : parsed.data.options !== options ? 'an option' : null
  if (what !== null)
    throw new AppError(
      'bad_usage',
      `${what} is not the same as in the run that was stopped; run without --resume`,
    )
  return parsed.data
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
