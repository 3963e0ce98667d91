// The thread that writes access events: an fsync takes 1 to 13 ms, which must not stand between two lookups.
// Takes one EventBatch at a time and answers each with its month totals or with why it failed.
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../errors.ts'
import { openDatabase } from './database.ts'
import { type EventBatch, type MonthTotal, writeEvents } from './write-events.ts'

export type WriterAnswer = { readonly totals: MonthTotal[] } | { readonly failure: string }

if (parentPort !== null) {
  const port = parentPort
  const db = openDatabase(String((workerData as { path: unknown }).path))
  port.on('message', (message: EventBatch | 'close') => {
    if (message === 'close') {
      db.close()
      port.close()
      return
    }
    port.postMessage(answer(message))
  })

  function answer(batch: EventBatch): WriterAnswer {
    try {
      return { totals: writeEvents(db, batch) }
    } catch (cause) {
      return { failure: messageOf(cause) }
    }
  }
}
