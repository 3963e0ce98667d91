/** One night of ingestion in a process of its own, to be killed: `node night-process.ts <warehouse> <landing>`. */
import { ingest } from '../../src/ingest/ingest.ts'
import { silentLog } from '../../src/log.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { feedSource, rollSource } from './night.ts'

const [, , path = '', landing = ''] = process.argv
const warehouse = await openWarehouse(path, { memoryLimit: '1GB', threads: 1 })
process.stdout.write('open\n')
await ingest({
  db: warehouse.db,
  sources: [feedSource(), rollSource(), rollSource({ id: 'us/fl/other.roll' })],
  landing,
  now: () => new Date('2025-07-01T03:00:00Z'),
  log: silentLog,
  signal: new AbortController().signal,
})
process.stdout.write('loaded\n')
await warehouse.close()
