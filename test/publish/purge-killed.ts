import { silentLog } from '../../src/log.ts'
import type { Suppression } from '../../src/lookup/index.ts'
import { purgeSnapshots } from '../../src/publish/purge.ts'
import { leavingOut } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

/** A process of its own that purges the kept snapshots of a folder and dies, as by `kill -9`, right behind the named step. */
const [snapshots = '', person = '', step] = process.argv.slice(2)
const suppressions: Suppression[] = [{ kind: 'person', value: person, marks: [] }]
await withWarehouse(async (db) => {
  await purgeSnapshots({
    db,
    snapshots,
    suppression: leavingOut(suppressions),
    log: silentLog,
    signal: new AbortController().signal,
    progress: ({ detail }) => {
      if (detail === step) process.kill(process.pid, 'SIGKILL')
    },
  })
})
