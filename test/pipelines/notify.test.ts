import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type NightlyContext, runNightly, STEPS } from '../../pipelines/nightly.ts'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import type { Condition, Message } from '../../src/notify/condition.ts'
import { httpReceiver } from '../notify/receivers.ts'
import { withFolder } from '../support/folder.ts'

test('a good run calls the dead-man URL; a failed file and a failed step are told, and fail no further', async () => {
  const http = await httpReceiver()
  await withFolder(async (data) => {
    const config = loadConfig(
      { NOTIFY_URL: `${http.url}/hook`, NOTIFY_DEADMAN_URL: `${http.url}/deadman` },
      { data },
    )
    const night = (options: Partial<NightlyContext> = {}) =>
      runNightly({
        config,
        sourceFolders: [],
        steps: STEPS,
        full: false,
        now: () => new Date('2026-01-06T03:30:00Z'),
        signal: new AbortController().signal,
        log: silentLog,
        progress: () => {},
        ...options,
      })
    const goodRuns = (): number => http.received.filter(({ path }) => path === '/deadman').length
    const began = (): Condition[] =>
      http.received
        .filter(({ path }) => path === '/hook')
        .flatMap(({ body }) => (JSON.parse(body) as Message).began)
        // The disk of a test machine may be full.
        .filter(({ kind }) => kind !== 'disk')

    await mkdir(config.paths.landing)
    expect(await night()).toMatchObject({ exitCode: 0, published: true })
    expect(goodRuns()).toBe(1)
    expect(began()).toEqual([])

    const feed = join(config.paths.landing, 'us-nanpa-central-office-codes')
    await mkdir(feed)
    await writeFile(join(feed, 'allutlzd_20260105.txt'), 'no\tcolumn\tis\tthere\n1\t2\t3\t4\n')
    const sourceFolders = [join(import.meta.dirname, '../../pipelines/sources')]
    expect(await night({ sourceFolders, steps: ['ingest'] })).toMatchObject({ exitCode: 3 })
    expect(began()).toMatchObject([
      {
        kind: 'failed_file',
        source_id: 'us/nanpa.central-office-codes',
        file_name: 'us-nanpa-central-office-codes/allutlzd_20260105.txt',
      },
    ])

    await rm(config.paths.snapshots, { recursive: true })
    await writeFile(config.paths.snapshots, '')
    // A receiver that fails changes nothing.
    http.status = 500
    await expect(night({ steps: ['publish'] })).rejects.toThrow('ENOTDIR')
    expect(began().at(-1)).toMatchObject({
      key: 'failed_step publish',
      command: 'platbook doctor, then platbook publish',
    })
    expect(goodRuns()).toBe(1)
  })
}, 120_000)
