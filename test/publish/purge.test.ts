import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { purgeSnapshots } from '../../src/publish/purge.ts'
import { withFolder } from '../support/folder.ts'
import { leavingOut, publishedSnapshot } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

const ANN = 'P0000000001'

test('a purge by another policy for names makes another version', async () => {
  await withFolder(async (folder) => {
    const people = [{ person_id: ANN, name: 'Ann Quill', last_name: 'QUILL' }]
    await publishedSnapshot(join(folder, 'published'), { people })
    const versions = new Set<unknown>()
    for (const names of ['withheld', 'public_record'] as const) {
      const snapshots = join(folder, names)
      await cp(join(folder, 'published'), snapshots, { recursive: true })
      const suppression = leavingOut([{ kind: 'person', value: ANN, marks: [] }], names)
      const { signal } = new AbortController()
      const purged = await withWarehouse(async (db) => purgeSnapshots({ db, snapshots, suppression, log: silentLog, signal })) // prettier-ignore
      expect(purged).toMatchObject([{ outcome: 'rewritten', people: 1 }])
      versions.add(purged[0]!.replaced_by)
    }
    // A purge after a kill takes a version with this name as its own.
    expect(versions.size).toBe(2)
  })
}) // prettier-ignore
