import { type Input, openInput } from './read-input.ts'

/** Sixteen times what may be sent. Zipped, two hundred gigabytes can be: they would keep all who come behind waiting. */
const MOST_BYTES = 4 * 2 ** 30

/** Opens a list that was sent; its sender isn't told where it stands. */
export async function openSentList(path: string, signal?: AbortSignal): Promise<Input> {
  return openInput(path, { name: 'the list', mostBytes: MOST_BYTES, signal })
}

/** How many rows a list that was sent has, those that can't be read among them. */
export async function countRows(path: string, signal: AbortSignal): Promise<number> {
  const input = await openSentList(path, signal)
  try {
    let rows = 0
    for await (const { firstRow, rows: more, broken } of input.chunks())
      rows = firstRow - 1 + more + (broken === null ? 0 : 1)
    return rows
  } finally {
    await input.close()
  }
}
