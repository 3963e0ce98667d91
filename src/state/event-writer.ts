// The thread that writes access events. A commit waits for the disk (fsync), and lookups must not wait with it.
import { workerData } from 'node:worker_threads'
import { serveTasks } from '../threads.ts'
import { openDatabase } from './database.ts'
import type { AccessEvent } from './access-events.ts'
import { writeEvents } from './write-events.ts'

const db = openDatabase(String((workerData as { path: unknown }).path))

serveTasks((batch: readonly AccessEvent[]): void => writeEvents(db, batch), { close: () => db.close() })
