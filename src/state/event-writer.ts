// The thread that writes access events: an fsync takes 1 to 13 ms, which must not stand between two lookups.
// Takes one EventBatch at a time and answers each with why it failed, or null.
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../errors.ts'
import { openDatabase } from './database.ts'
import { type EventBatch, writeEvents } from './write-events.ts'

export interface WriterAnswer {
  readonly failure: string | null
}

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
      writeEvents(db, batch)
      return { failure: null }
    } catch (cause) {
      return { failure: messageOf(cause) }
    }
  }
}
