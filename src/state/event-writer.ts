// The thread that writes access events: an fsync takes 1 to 13 ms, which must not stand between two lookups.
import { workerData } from 'node:worker_threads'
import { serveTasks } from '../threads.ts'
import { openDatabase } from './database.ts'
import { type EventBatch, writeEvents } from './write-events.ts'

const db = openDatabase(String((workerData as { path: unknown }).path))

serveTasks((batch: EventBatch): void => writeEvents(db, batch), { close: () => db.close() })
