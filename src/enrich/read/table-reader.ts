import { messageOf } from '../../errors.ts'
import type { TableFile, TableReply, TableRows } from './table-rows.ts'

// This file runs as a process. A malicious input may exhaust its memory, and a crash of DuckDB's native code would end
// it.
const file = JSON.parse(process.argv[2]!) as TableFile

async function open(): Promise<TableRows> {
  if (file.kind === 'arrow') return (await import('./arrow-rows.ts')).readArrow(file.path)
  return (await import('./parquet-rows.ts')).readParquet(file.path)
}

let slices: AsyncGenerator<string[][]> | null = null

/** Answers the first question with the header and each later one with a slice of rows; null after the last slice. */
async function answer(): Promise<TableReply> {
  if (slices === null) {
    const { header, slices: read } = await open()
    slices = read()
    return { header }
  }
  const { value, done } = await slices.next()
  return { rows: done === true ? null : value }
}

process.on('message', () => {
  void answer()
    // Keeps the first line of an error only, because DuckDB's other lines quote the statement with the file's path.
    .catch((error: unknown): TableReply => ({
      failure: messageOf(error).split('\n')[0]!.replaceAll(file.path, 'the file'),
    }))
    .then((reply) => process.send!(reply))
})
process.on('disconnect', () => process.exit())
