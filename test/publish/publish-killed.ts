import { silentLog } from '../../src/log.ts'
import { publish } from '../../src/publish/publish.ts'
import { givenPublished } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

/** A process of its own that publishes the invented world into a folder and dies, as by `kill -9`, right behind the named step. */
const [snapshots, step] = process.argv.slice(2)
await withWarehouse(async (db) => {
  await givenPublished(db)
  await publish({
    db,
    snapshots: snapshots!,
    now: () => new Date('2026-06-02T04:30:00Z'),
    log: silentLog,
    signal: new AbortController().signal,
    keep: 3,
    checks: null,
    sources: [],
    progress: ({ detail }) => {
      if (detail === step) process.kill(process.pid, 'SIGKILL')
    },
  })
})
