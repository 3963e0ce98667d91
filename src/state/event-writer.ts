// The thread that writes access events into the SQLite file. A commit waits for the disk (fsync), and lookups must not wait
// with it.
import { workerData } from 'node:worker_threads'
import { serveTasks } from '../threads.ts'
import type { AccessEvent } from './access-events.ts'
import { openSqlite } from './sqlite.ts'
import { writeEvents } from './write-events.ts'

const opening = openSqlite(String((workerData as { path: unknown }).path))

serveTasks(async (batch: readonly AccessEvent[]): Promise<void> => writeEvents(await opening, batch), {
  close: async () => (await opening).close(),
})
