import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { type NightlyContext, runNightly, STEPS } from '../../pipelines/nightly.ts'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import { verifySnapshot } from '../../src/lookup/index.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { quotedLiteral } from '../../src/warehouse/query.ts'
import { runCommand, withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { afterBothNights, afterFirstNight } from '../support/sample-nights.ts'
import { mountDisk, type SmallDisk } from '../support/small-disk.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

// As an installation has it by default; commands of other tests have one thread.
const TWO_THREADS = { DUCKDB_THREADS: '2' }
const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url))

/** Of every published table of the current snapshot: its rows and a hash over them, whatever their order; without the column `but`. */
async function contentOf(db: DuckDBConnection, data: string, but = ''): Promise<Record<string, unknown>> {
  const snapshot = await currentSnapshot(join(data, 'snapshots'))
  expect(snapshot).not.toBeNull()
  const content: Record<string, unknown> = {}
  for (const table of Object.keys(PUBLISHED_TABLES)) {
    const file = quotedLiteral(join(snapshot?.folder ?? '', 'tables', `${table}.parquet`))
    const sql = `select count(*)::integer as rows, bit_xor(hash(t))::varchar as hash from (select columns(name -> name <> ${quotedLiteral(but)}) from read_parquet(${file})) as t`
    content[table] = (await rowsOf(db, sql))[0]
  }
  return content
}

test('a night that is killed again and again publishes what an undisturbed one does', async () => {
  await withFolder(async (folder) => {
    const killed = join(folder, 'killed')
    await cp(join(SAMPLE, 'day-1'), join(killed, 'landing', 'day-1'), { recursive: true })
    // Into the loads, the dictionaries, the models and the publication of this sample; where each falls differs by machine.
    for (const milliseconds of [1_500, 2_500, 3_500, 5_000]) {
      await withCommand(
        ['nightly', '--data', killed],
        async (night) => {
          await Promise.race([night.ended, new Promise((resolve) => setTimeout(resolve, milliseconds))])
        },
        { env: TWO_THREADS },
      )
    }
    expect((await runCommand(['nightly', '--data', killed], { env: TWO_THREADS })).code).toBe(0)

    const undisturbed = await afterFirstNight()
    await withWarehouse(async (db) => {
      expect(await contentOf(db, killed)).toEqual(await contentOf(db, undisturbed))
    })
    const snapshot = await currentSnapshot(join(killed, 'snapshots'))
    expect(await verifySnapshot(snapshot?.folder ?? '')).toEqual([])
  })
}, 900_000)

test('an engine that does not exist, and units without their engine, are errors', async () => {
  await withFolder(async (data) => {
    const faultOf = async (command: string, ...flags: string[]): Promise<string> => {
      const { code, stderr } = await runCommand([command, '--data', data, ...flags])
      expect(code).toBe(2)
      return stderr
    }
    const night = async (...flags: string[]): Promise<string> => faultOf('nightly', ...flags)
    expect(await faultOf('schedule', '--engine', 'hadoop')).toContain("there is no engine 'hadoop'")
    expect(await night('--engine', 'hadoop')).toContain("there is no engine 'hadoop'")
    expect(await night('--units', '3')).toContain('--units and --work need --engine units')
    expect(await night('--engine', 'units', '--units', 'many')).toContain('give a number from 1 to')
  })
})

test('two nights publish what everything made anew of the same files publishes', async () => {
  await withFolder(async (data) => {
    const night = async (...flags: string[]): Promise<string> => {
      const ended = await runCommand(['nightly', '--data', data, ...flags])
      expect(ended, ended.stderr).toMatchObject({ code: 0 })
      return ended.stdout
    }
    await cp(await afterBothNights(), data, { recursive: true })
    await withWarehouse(async (db) => {
      const afterNights = await contentOf(db, data)
      await night('--full')
      expect(await contentOf(db, data)).toEqual(afterNights)

      // Nothing new in landing, but the snapshot is one that this Platbook can't read.
      const older = await currentSnapshot(join(data, 'snapshots'))
      const manifest = join(older?.folder ?? '', 'manifest.json')
      const text = await readFile(manifest, 'utf8')
      await writeFile(manifest, text.replace(/"schema_version": *\d+/, '"schema_version": 1'))
      expect(await night()).toMatch(
        /made by an older version of Platbook \(schema 1, .*; a new snapshot is published/,
      )
      const newer = await currentSnapshot(join(data, 'snapshots'))
      expect(newer?.version).not.toBe(older?.version)
      expect(await contentOf(db, data)).toEqual(afterNights)
      await night()
      expect((await currentSnapshot(join(data, 'snapshots')))?.version).toBe(newer?.version)

      // Nothing new in landing, but a file of the snapshot has other bytes than were published.
      await writeFile(join(newer?.folder ?? '', 'tables', 'people.parquet'), 'damaged')
      const mending = await runCommand(['nightly', '--data', data])
      expect(mending.stdout).toMatch(
        /damaged: tables\/people.parquet has changed; a new snapshot is published/,
      )
      expect(await contentOf(db, data)).toEqual(afterNights)
    })
  })
}, 900_000)

test('a damaged warehouse is named, and rebuild makes the same people with the same ids of what lies in landing', async () => {
  await withFolder(async (data) => {
    await cp(await afterBothNights(), data, { recursive: true })
    const warehouse = join(data, 'warehouse', 'warehouse.duckdb')
    const bytes = await readFile(warehouse)
    await writeFile(warehouse, bytes.fill(0xff, 4096, 13_000))
    const nightly = await runCommand(['nightly', '--data', data])
    expect(nightly.code).toBe(1)
    expect(nightly.stderr).toMatch(/warehouse.duckdb is damaged.*platbook rebuild/)
    await withWarehouse(async (db) => {
      // Files are numbered in the order in which they are loaded, here those of both days at once.
      const before = await contentOf(db, data, 'file_id')
      const rebuilt = await runCommand(['rebuild', '--data', data])
      expect(rebuilt, rebuilt.stderr).toMatchObject({ code: 0 })
      expect(rebuilt.stdout).toMatch(/the old warehouse is now in .*aside-/)
      expect(rebuilt.stdout).toMatch(/ 0 of [1-9][\d,]* records got another person id/)
      expect(await contentOf(db, data, 'file_id')).toEqual(before)
    })
  })
}, 900_000)

test('a night that is killed when it has linked by a new model is made up for by the next, though no file is new', async () => {
  await withFolder(async (data) => {
    const config = loadConfig({}, { data })
    const feed = 'us-fl-statewide-voters'
    let hour = 0
    await cp(join(SAMPLE, 'day-1', feed), join(config.paths.landing, feed), { recursive: true })
    const night = (options: Partial<NightlyContext> = {}) => {
      const at = Date.UTC(2026, 0, 6, hour++)
      return runNightly({
        config,
        sourceFolders: [join(import.meta.dirname, '../../pipelines/sources')],
        steps: STEPS,
        full: false,
        now: () => new Date(at),
        signal: new AbortController().signal,
        log: silentLog,
        progress: () => {},
        ...options,
      })
    }
    await night({ steps: ['ingest', 'normalize'] })
    await expect(night({ steps: ['publish'] })).rejects.toMatchObject({ code: 'not_linked' })
    await night()
    expect(await night()).toMatchObject({ normalized: null, link: null, published: false })

    const killedAt = async (killed: { step: string; detail: string }, options: Partial<NightlyContext>) => {
      const kill = new AbortController()
      const run = night({
        ...options,
        signal: kill.signal,
        progress: ({ step, detail }) => {
          if (step === killed.step && detail === killed.detail) kill.abort()
        },
      })
      await expect(run).rejects.toMatchObject({ name: 'AbortError' })
    }
    // The model file is replaced, but the linkage is not stored.
    await killedAt({ step: 'link', detail: 'clusters' }, { train: true })
    // The tables of the run before can still be published, for example without a suppressed person.
    expect(await night({ steps: ['publish'] })).toMatchObject({ published: false, exitCode: 0 })
    const madeUp = await night()
    expect(madeUp.link).not.toBeNull()
    expect(madeUp.published).toBe(true)
    expect(await night()).toMatchObject({ link: null, published: false, version: madeUp.version })

    // The linkage is stored, and nothing of it is published.
    await killedAt({ step: 'link', detail: 'people' }, { train: true })
    expect(await night()).toMatchObject({ link: null, published: true })

    // Killed among the published tables: what is published later is made of whole tables only.
    await killedAt({ step: 'publish', detail: 'people' }, { full: true })
    const published = await night()
    expect(published).toMatchObject({ link: null, published: true })

    // What is normalized but not linked keeps the tables of the last link run.
    await night({ steps: ['normalize'], full: true })
    expect(await night({ steps: ['publish'] })).toMatchObject({
      published: false,
      version: published.version,
    })
    expect(await night()).toMatchObject({ normalized: null, published: false, version: published.version })
  })
}, 240_000)

/** Moves `folder` onto a small disk of its own; null where none can be mounted. */
async function ontoSmallDisk(folder: string, kilobytes: number): Promise<SmallDisk | null> {
  await rm(`${folder}.before`, { recursive: true, force: true })
  await cp(folder, `${folder}.before`, { recursive: true })
  await rm(folder, { recursive: true })
  await mkdir(folder)
  const disk = mountDisk(folder, kilobytes)
  await cp(`${folder}.before`, folder, { recursive: true })
  return disk
}

test('a snapshot that is current when the disk is full is reported as published, and the next run makes up for the rest', async (context) => {
  await withFolder(async (data) => {
    await cp(await afterFirstNight(), data, { recursive: true })
    const [warehouse, state] = [join(data, 'warehouse'), join(data, 'state')]
    const disks = [await ontoSmallDisk(warehouse, 200_000), await ontoSmallDisk(state, 40_000)]
    const [warehouseDisk = null, stateDisk = null] = disks
    if (warehouseDisk === null || stateDisk === null) {
      context.skip()
      return
    }
    try {
      const before = await currentSnapshot(join(data, 'snapshots'))
      await writeFile(join(before?.folder ?? '', 'tables', 'people.parquet'), 'damaged')
      let hour = 0
      const publishing = async (progress: NightlyContext['progress'] = () => {}) =>
        runNightly({
          config: loadConfig({}, { data }),
          sourceFolders: [],
          steps: ['publish'],
          full: false,
          now: () => new Date(Date.UTC(2026, 0, 6, 12 + hour++)),
          signal: new AbortController().signal,
          log: silentLog,
          progress,
        })
      await warehouseDisk.fill()
      const report = await publishing(({ detail }) => {
        if (detail === 'pointer') fillNow(state)
      })
      expect(report).toMatchObject({ published: true, exitCode: 3, released: null })
      expect(report.warnings).toEqual([
        expect.stringMatching(
          /^snapshot \S+ is published, but the warehouse could not record it: the disk of \S+ is full: a run may need/,
        ),
        expect.stringMatching(
          /^snapshot \S+ is published, but its new deed events are not sent yet: the disk of/,
        ),
      ])
      const published = await currentSnapshot(join(data, 'snapshots'))
      expect(published?.version).toBe(report.version)
      expect(published?.version).not.toBe(before?.version)

      await warehouseDisk.free()
      await stateDisk.free()
      const next = await publishing()
      expect(next).toMatchObject({ published: true, exitCode: 0, warnings: [] })
      expect(await publishing()).toMatchObject({ published: false, exitCode: 0, version: next.version })
    } finally {
      warehouseDisk.unmount()
      stateDisk.unmount()
    }
  })
}, 240_000)

// At once: the run goes on when `progress` returns.
function fillNow(folder: string): void {
  execFileSync('sh', ['-c', 'cat /dev/zero > "$0" 2>/dev/null || true', join(folder, 'filler')])
}
