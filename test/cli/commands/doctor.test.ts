import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { runNightly } from '../../../pipelines/nightly.ts'
import { run } from '../../../src/cli/commands/doctor.ts'
import { type Config, loadConfig } from '../../../src/config.ts'
import { currentSnapshot } from '../../../src/lookup/format/current.ts'
import { silentLog } from '../../../src/log.ts'
import { openState, type State } from '../../../src/state/open.ts'
import { RunLedger } from '../../../src/state/run-ledger.ts'
import { ScheduleLedger } from '../../../src/state/schedule-ledger.ts'
import { landFile, rollSource } from '../../ingest/night.ts'
import { runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'
import { inventedSnapshot } from '../../support/invented-snapshot.ts'
import { afterFirstNight } from '../../support/sample-nights.ts'

interface Health {
  readonly complaints: string[]
  readonly runs: { step: string; outcome: string; row_count: number | null; reason: string | null }[]
}

async function examine(config: Config, at: Date): Promise<{ code: number; health: Health }> {
  const { code, lines } = await doctor(config, at, ['--json'])
  return { code, health: JSON.parse(lines) as Health }
}

async function doctor(config: Config, at: Date, argv: string[]): Promise<{ code: number; lines: string }> {
  const lines: string[] = []
  const io = {
    config,
    out: (line: string) => void lines.push(line),
    err: () => {},
    isTerminal: false,
    now: () => at,
    signal: new AbortController().signal,
  }
  return { code: await run(argv, io), lines: lines.join('\n') }
}

async function withState(config: Config, body: (state: State) => Promise<void>): Promise<void> {
  const state = await openState(config.paths.state)
  try {
    await body(state)
  } finally {
    await state.close()
  }
}

test('a publication that failed is named with its reason and the command to run, until one succeeds', async () => {
  await withFolder(async (data) => {
    await cp(await afterFirstNight(), data, { recursive: true })
    const config = loadConfig({}, { data })
    const at = new Date('2026-01-06T12:00:00Z')
    const publish = (full = false) =>
      runNightly({
        config,
        sourceFolders: [],
        steps: ['publish'],
        full,
        now: () => at,
        signal: new AbortController().signal,
        log: silentLog,
        progress: () => {},
      })
    const change = async (sql: string): Promise<unknown[]> => {
      const instance = await DuckDBInstance.create(config.paths.warehouse)
      const db = await instance.connect()
      const rows = (await db.runAndReadAll(sql)).getRowObjectsJson()
      db.closeSync()
      instance.closeSync()
      return rows
    }
    await change('insert into published.people select * from published.people order by person_id limit 1')
    await change(`delete from ledger.stamps where step = 'publish'`)
    await expect(publish()).rejects.toMatchObject({ code: 'check_failed' })

    const failed = await examine(config, at)
    expect(failed.code).toBe(1)
    // One of the sample's files is of 2025 and late.
    expect(failed.health.complaints.filter((complaint) => !complaint.includes('days late'))).toEqual([
      expect.stringMatching(
        /^publish failed in run 2 of 2026-01-06T12:00Z: .*duplicate_rows.*; correct the cause, then run `platbook publish`$/,
      ),
    ])
    expect((await doctor(config, at, [])).lines).toMatch(/publish +2026-01-06T12:00 failed, .*duplicate_rows/)
    expect(
      await change(
        `select run_id, step, outcome, row_count > 0 as has_rows, started_at is not null and ended_at is not null as has_times,
           reason is not null as has_reason
         from ledger.runs order by run_id, list_position(['ingest', 'normalize', 'link', 'publish', 'events'], step)`,
      ),
    ).toEqual([
      { run_id: 1, step: 'ingest', outcome: 'done', has_rows: true, has_times: true, has_reason: false },
      { run_id: 1, step: 'normalize', outcome: 'done', has_rows: true, has_times: true, has_reason: false },
      { run_id: 1, step: 'link', outcome: 'done', has_rows: true, has_times: true, has_reason: false },
      { run_id: 1, step: 'publish', outcome: 'done', has_rows: true, has_times: true, has_reason: false },
      { run_id: 1, step: 'events', outcome: 'done', has_rows: false, has_times: true, has_reason: false },
      { run_id: 2, step: 'publish', outcome: 'failed', has_rows: null, has_times: true, has_reason: true },
    ])

    // Builds the published tables again.
    await publish(true)
    const mended = await examine(config, at)
    expect(mended.health.complaints.filter((complaint) => complaint.includes('publish'))).toEqual([])
  })
}, 240_000)

/** A data folder with a snapshot of 2026-06-01 04:30, and no warehouse. */
async function withSnapshot(
  body: (config: Config) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  await withFolder(async (data) => {
    const config = loadConfig(env, { data })
    await inventedSnapshot(config.paths.snapshots)
    await body(config)
  })
}

test('a step that says running while nobody holds the warehouse was killed', async () => {
  await withSnapshot(async (config) => {
    const at = new Date('2026-06-01T05:00:00Z')
    await withState(config, async ({ db }) => {
      const ledger = new RunLedger(db)
      await ledger.beginStep(await ledger.begin(at), 'link', at)
    })
    const { health } = await examine(config, at)
    expect(health.runs).toMatchObject([{ step: 'link', outcome: 'killed' }])
    expect(health.complaints).toContain(
      'link killed in run 1 of 2026-06-01T05:00Z: its process ended without recording a result; run `platbook nightly`',
    )
  })
})

test('the next run notes that the one before it was killed', async () => {
  await withSnapshot(async (config) => {
    const at = new Date('2026-06-01T05:00:00Z')
    await withState(config, async ({ db }) => {
      const ledger = new RunLedger(db)
      await ledger.beginStep(await ledger.begin(at), 'link', at)
      await ledger.begin(at)
      expect(await ledger.latest()).toMatchObject([{ step: 'link', outcome: 'killed' }])
    })
  })
})

const TOO_OLD = /^snapshot \S+ was last updated 37 hours ago, the limit is 36: /

test('a snapshot that no run has brought up to date for 36 hours is too old where a schedule runs', async () => {
  await withSnapshot(async (config) => {
    const at = new Date('2026-06-02T17:30:00Z')
    const isTooOld = async () =>
      (await examine(config, at)).health.complaints.some((complaint) => TOO_OLD.test(complaint))
    expect(await isTooOld()).toBe(false)
    await withState(config, async ({ db }) => {
      const schedule = new ScheduleLedger(db)
      const due = new Date('2026-06-01T07:30:00Z')
      await schedule.end((await schedule.begin('nightly', 'me', due, due))!, 'me', 'done', null, due)
    })
    expect(await isTooOld()).toBe(true)
    await withState(config, async ({ db }) => {
      const runs = new RunLedger(db)
      const run_id = await runs.begin(at)
      await runs.beginStep(run_id, 'publish', at)
      await runs.endStep(run_id, 'publish', { outcome: 'unchanged', row_count: null, reason: null }, at)
    })
    expect(await isTooOld()).toBe(false)
  })
})

test('SNAPSHOT_MAX_AGE_HOURS is the limit also where no schedule runs', async () => {
  await withSnapshot(
    async (config) => {
      const { health } = await examine(config, new Date('2026-06-01T06:30:00Z'))
      expect(health.complaints).toContainEqual(
        expect.stringMatching(/was last updated 2 hours ago, the limit is 2:/),
      )
    },
    { SNAPSHOT_MAX_AGE_HOURS: '2' },
  )
})

test('runs that are due in the future are reported, and are no failure of tonight', async () => {
  await withSnapshot(async (config) => {
    await withState(config, async ({ db }) => {
      const schedule = new ScheduleLedger(db)
      const due = new Date('2027-06-01T07:30:00Z')
      await schedule.end((await schedule.begin('nightly', 'me', due, due))!, 'me', 'failed', 'no disk', due)
    })
    const { health } = await examine(config, new Date('2026-06-01T05:00:00Z'))
    const complaints = health.complaints.filter((complaint) => complaint.includes('2027'))
    expect(complaints).toEqual([
      expect.stringMatching(
        /1 runs with a due time in the future, the last one of nightly at 2027-06-01T07:30/,
      ),
    ])
  })
})

test.each<[string, number, RegExp]>([
  ['an older', 1, /was made by an older version of Platbook \(schema 1, .*\): run `platbook nightly`, which publishes it anew$/],
  ['a newer', 999, /was made by a newer version of Platbook \(schema 999, .*\): start the newer one, or run `platbook nightly`/],
])('a snapshot of %s version is named as such, with the command to run', async (made, schema, complaint) => {
  await withSnapshot(async (config) => {
    const current = await currentSnapshot(config.paths.snapshots)
    const manifest = join(current?.folder ?? '', 'manifest.json')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace(/"schema_version": *\d+/, `"schema_version": ${schema}`))
    const at = new Date('2026-06-01T05:00:00Z')
    const { code, health } = await examine(config, at)
    expect(code).toBe(1)
    expect(health.complaints).toContainEqual(expect.stringMatching(complaint))
    const { lines } = await doctor(config, at, [])
    expect(lines).toMatch(new RegExp(`snapshot .*, made by ${made} version`))
    expect(lines).not.toMatch(/no snapshot is published|DAMAGED|all files match the manifest/)
  })
}) // prettier-ignore

test('dates outside their bounds are counted by source and column, with a file and what to change', async () => {
  await withFolder(async (data) => {
    const [kind] = rollSource().files
    const set = { county_fips: { literal: '12011' }, parcel_number: 'PARCEL', sold_on: { date: 'NOTE', formats: ['%Y-%m-%d'] } } // prettier-ignore
    const source = { ...rollSource(), files: [{ ...kind, rows: [{ into: 'sales', set }] }] }
    await landFile(data, 'sources/roll.json', JSON.stringify(source))
    const roll = 'CO,PARCEL,OWNER,VALUE,NOTE\n16,1,ANN,1,2025-06-30\n16,2,EVE,1,2069-06-30\n'
    await landFile(data, 'landing/roll_20250701.csv', roll)
    const given = ['--sources', join(data, 'sources'), '--data', data]
    expect(await runCommand(['ingest', ...given])).toMatchObject({ code: 0 })
    const { stdout } = await runCommand(['doctor', ...given])
    expect(stdout).toMatch(/ {2}us\/fl\/test\.roll +1 file +2 rows, 0 quarantined/)
    expect(stdout).toContain(
      [
        'dates outside their bounds in all loaded files (stored as unknown)',
        '         1  us/fl/test.roll: sales.sold_on (1 file, for example roll_20250701.csv)',
        '  if such dates are correct, change `bounds` or `pivot` in the source definition',
      ].join('\n'),
    )
  })
})
