import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../errors.ts'
import type { TableFile, TableReply, TableRows } from './table-rows.ts'

// This file runs as a thread for Arrow and as a process for Parquet. DuckDB is native code, and a crash of it ends the
// whole process.
const file = (parentPort === null ? JSON.parse(process.argv[2]!) : workerData) as TableFile

async function open(): Promise<TableRows> {
  if (file.kind === 'arrow') return (await import('./arrow-rows.ts')).readArrow(file.path)
  return (await import('./parquet-rows.ts')).readParquet(file.path)
}

function send(reply: TableReply): void {
  if (parentPort === null) process.send!(reply)
  else parentPort.postMessage(reply, [])
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

// Keeps the first line of an error only, because DuckDB's other lines quote the statement with the file's path.
function onQuestion(): void {
  answer()
    .catch((error: unknown): TableReply => ({
      failure: messageOf(error).split('\n')[0]!.replaceAll(file.path, 'the file'),
    }))
    .then(send, () => undefined)
}

if (parentPort === null) {
  process.on('message', onQuestion)
  process.on('disconnect', () => process.exit())
} else parentPort.on('message', onQuestion)
