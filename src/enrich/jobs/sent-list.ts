import { AppError } from '../../errors.ts'
import { loadSuppressions } from '../match/load-suppressions.ts'
import { type HeaderOptions, type Input, type InputLimits, openInput } from '../read/read-input.ts'
import type { Suppressions } from '../match/suppressions.ts'

/** An input file that a caller sent: its path and the position of its header. */
export interface SentList extends HeaderOptions {
  readonly path: string
}

/** Opens an input file that a caller sent. Errors call it `the list` and do not contain its path. */
export async function openSentList(
  { path, ...header }: SentList,
  limits: InputLimits,
  signal?: AbortSignal,
): Promise<Input> {
  return openInput(path, { name: 'the list', limits, signal, ...header }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'bad_input')
      throw new AppError(error.code, asParameters(error.message), { cause: error })
    throw error
  })
}

/** Replaces the names of command line options in a message with names of HTTP parameters. */
export function asParameters(message: string): string {
  return message
    .replaceAll('--map', 'map')
    .replaceAll('--no-header', 'no_header=true')
    .replaceAll('--skip-lines', 'skip_lines')
}

const MOST_SUPPRESSED = { bytes: 16 * 2 ** 20, rows: 100_000, ratio: 50 }

/**
 * Reads the caller's suppression list.
 * @throws `bad_input`, `too_large`
 */
export function loadSentSuppressions(
  path: string,
  today: string,
  signal?: AbortSignal,
): Promise<Suppressions> {
  return loadSuppressions(path, today, { name: 'the suppression list', limits: MOST_SUPPRESSED, signal })
}

/**
 * Counts the rows of an input file, including rows that cannot be read.
 * @throws `too_large`
 */
export async function countRows(list: SentList, limits: InputLimits, signal: AbortSignal): Promise<number> {
  const input = await openSentList(list, limits, signal)
  try {
    let rows = 0
    for await (const { firstRow, rows: more, broken } of input.chunks())
      rows = firstRow - 1 + more + (broken === null ? 0 : 1)
    return rows
  } finally {
    await input.close()
  }
}
