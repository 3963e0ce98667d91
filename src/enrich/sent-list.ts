import { type Input, type InputLimits, openInput } from './read-input.ts'

/** Opens a list that was sent; its sender isn't told where it lies. */
export async function openSentList(path: string, limits: InputLimits, signal?: AbortSignal): Promise<Input> {
  return openInput(path, { name: 'the list', limits, signal })
}

/** How many rows a list that was sent has, those that can't be read among them. @throws `too_large`. */
export async function countRows(path: string, limits: InputLimits, signal: AbortSignal): Promise<number> {
  const input = await openSentList(path, limits, signal)
  try {
    let rows = 0
    for await (const { firstRow, rows: more, broken } of input.chunks())
      rows = firstRow - 1 + more + (broken === null ? 0 : 1)
    return rows
  } finally {
    await input.close()
  }
}
