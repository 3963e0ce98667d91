import { AppError } from '../../errors.ts'
import { loadSuppressions } from '../match/load-suppressions.ts'
import { type HeaderOptions, type Input, type InputLimits, openInput } from '../read/read-input.ts'
import type { Suppressions } from '../match/suppressions.ts'

/** A list that was sent: where it lies, and how its first lines are taken. */
export interface SentList extends HeaderOptions {
  readonly path: string
}

/** Opens a list that was sent; its sender isn't told where it lies. */
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

/** Names options of the command line as they are called over HTTP. */
export function asParameters(message: string): string {
  return message
    .replaceAll('--map', 'map')
    .replaceAll('--no-header', 'no_header=true')
    .replaceAll('--skip-lines', 'skip_lines')
}

const MOST_SUPPRESSED = { bytes: 16 * 2 ** 20, rows: 100_000, ratio: 50 }

/** Reads the caller's own suppression list. @throws `bad_input`, `too_large`. */
export function loadSentSuppressions(
  path: string,
  today: string,
  signal?: AbortSignal,
): Promise<Suppressions> {
  return loadSuppressions(path, today, { name: 'the suppression list', limits: MOST_SUPPRESSED, signal })
}

/** How many rows a list that was sent has, those that can't be read among them. @throws `too_large`. */
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
