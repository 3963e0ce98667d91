import { type Input, openInput } from './read-input.ts'

/** Opens a list that was sent; its sender isn't told where it stands. */
export async function openSentList(path: string): Promise<Input> {
  return openInput(path, { name: 'the list' })
}

/** How many rows a list that was sent has, those that can't be read among them. */
export async function countRows(path: string): Promise<number> {
  const input = await openSentList(path)
  let rows = 0
  for await (const { firstRow, rows: more, broken } of input.chunks())
    rows = firstRow - 1 + more + (broken === null ? 0 : 1)
  return rows
}
