import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runNightly } from '../../pipelines/nightly.ts'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { SnapshotFetcher } from '../../src/replicate/fetch.ts'
import { currentSnapshot } from '../../src/lookup/index.ts'
import { openState } from '../../src/state/open.ts'
import { RunLedger } from '../../src/state/run-ledger.ts'
import { openStore } from '../../src/store/open.ts'
import { withFolder } from '../support/folder.ts'

test('a nightly run uploads its snapshot, and the next run only what the store does not have', async () => {
  await withFolder(async (folder) => {
    const place = join(folder, 'store')
    const config = loadConfig({ LOG_LEVEL: 'silent', SNAPSHOT_STORE: place }, { data: join(folder, 'data') })
    const { signal } = new AbortController()
    const run = (env: NodeJS.ProcessEnv = {}) =>
      runNightly({
        config: { ...config, ...env },
        sourceFolders: [],
        steps: ['ingest', 'normalize', 'link', 'publish'],
        full: false,
        now: systemClock,
        signal,
        log: silentLog,
        progress: () => undefined,
      })
    const steps = async (): Promise<string[]> => {
      const state = await openState(config.paths.state)
      const rows = (await new RunLedger(state.db).last(1)).map(({ step, outcome }) => `${step} ${outcome}`)
      await state.close()
      return rows.slice(-2)
    }
    const first = await run()
    expect(first).toMatchObject({ published: true, uploaded: true })
    expect(await steps()).toEqual(['publish done', 'events done'])
    expect(await run()).toMatchObject({ published: false, uploaded: false })

    // A store that could not be used, and then can: the snapshot of the run before is uploaded.
    const other = join(folder, 'other')
    await expect(run({ SNAPSHOT_STORE: 'gs://no/store' })).rejects.toMatchObject({ code: 'bad_usage' })
    expect((await steps()).at(-1)).toBe('publish failed')
    expect(await run({ SNAPSHOT_STORE: other })).toMatchObject({ published: false, uploaded: true })

    const store = await openStore(other, { settings: config, signal })
    const snapshots = join(folder, 'replica', 'snapshots')
    await new SnapshotFetcher({ store, snapshots, keep: 3, now: systemClock, log: silentLog, signal }).check()
    expect((await currentSnapshot(snapshots))?.version).toBe(first.version)
    const replica = loadConfig({ LOG_LEVEL: 'silent' }, { data: join(folder, 'replica') })
    await expect(run({ ...replica } as never)).rejects.toMatchObject({ code: 'conflict' })
  })
})
