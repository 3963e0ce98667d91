import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DoctorContext } from '../../src/cli/doctor/check.ts'
import { checkLinkModel } from '../../src/cli/doctor/link-model.ts'
import { checkNotify } from '../../src/cli/doctor/notify.ts'
import { run as runCommand } from '../../src/cli/commands/notify.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { type Condition, type Message, withoutValues } from '../../src/notify/condition.ts'
import { Notices } from '../../src/notify/notices.ts'
import { noteConditions, noteGoodRun, sendNotices } from '../../src/notify/notify.ts'
import { diskConditions, serviceConditions } from '../../src/notify/service-conditions.ts'
import { openState, type State } from '../../src/state/open.ts'
import { LinkModels } from '../../src/state/link-models.ts'
import { RunLedger } from '../../src/state/run-ledger.ts'
import { ScheduleLedger } from '../../src/state/schedule-ledger.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { httpReceiver, mailReceiver } from './receivers.ts'

const START = Date.parse('2026-01-06T03:00:00Z')

interface World {
  at: number
  readonly config: Config
  readonly state: State
  readonly data: string
  note(conditions: readonly Condition[]): Promise<void>
  goodRun(): Promise<void>
  send(): Promise<{ sent: number; failed: number }>
}

async function withNotify(
  env: (data: string) => NodeJS.ProcessEnv,
  body: (world: World) => Promise<void>,
): Promise<void> {
  await withFolder(async (data) => {
    const config = loadConfig(env(data), { data })
    const state = await openState(config.paths.state)
    try {
      const now = (): Date => new Date(world.at)
      const options = { config, db: state.db, now, log: silentLog }
      const world: World = {
        at: START,
        config,
        state,
        data,
        note: (conditions) => noteConditions(options, 'service', conditions),
        goodRun: () => noteGoodRun(options),
        send: () => sendNotices(options),
      }
      await body(world)
    } finally {
      await state.close()
    }
  })
}

const HELD: Condition = {
  key: 'held us/fl/statewide.voters voters_20260105.txt',
  kind: 'held',
  summary: 'us/fl/statewide.voters: voters_20260105.txt is held: 12 rows, the median of five loads is 447',
  command: 'platbook sources accept us/fl/statewide.voters',
  source_id: 'us/fl/statewide.voters',
  file_name: 'voters_20260105.txt',
  before: 447,
  after: 12,
}

test('a condition is told once through every channel when it begins, and once when it is resolved', async () => {
  const http = await httpReceiver()
  const mail = await mailReceiver()
  await withFolder(async (folder) => {
    const written = join(folder, 'written.json')
    const program = join(folder, 'write.mjs')
    await writeFile(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs'
       appendFileSync(process.argv[2], readFileSync(0, 'utf8') + process.argv[3] + '\\n')`,
    )
    const env = {
      NOTIFY_URL: `${http.url}/hook`,
      NOTIFY_COMMAND: `${process.execPath} ${program} ${written} $(id)`,
      NOTIFY_SMTP_URL: mail.url,
      NOTIFY_EMAIL_TO: 'night@example.com, day@example.com',
      NOTIFY_EMAIL_FROM: 'platbook@example.com',
      NOTIFY_DEADMAN_URL: `${http.url}/deadman`,
    }
    await withNotify(
      () => env,
      async (world) => {
        await world.note([HELD])
        expect(await world.send()).toEqual({ sent: 3, failed: 0 })
        for (let tick = 0; tick < 3; tick += 1) {
          world.at += 5_000
          await world.note([HELD])
          expect(await world.send()).toEqual({ sent: 0, failed: 0 })
        }
        expect(http.received).toHaveLength(1)
        const message = JSON.parse(http.received[0]!.body) as Message
        expect(message).toMatchObject({ kind: 'conditions', began: [HELD], resolved: [] })
        expect(message.text).toMatch(
          /1 new\n- us\/fl\/statewide\.voters: voters_20260105\.txt is held: 12 rows, .* 447\. Run: platbook sources accept us\/fl\/statewide\.voters$/,
        )
        expect(mail.received).toMatchObject([{ to: ['night@example.com', 'day@example.com'] }])
        // Quoted-printable breaks a long line after an equals sign.
        expect(mail.received[0]!.content.replaceAll('=\r\n', '')).toContain('voters_20260105.txt is held')
        // The words of the command are arguments. No shell reads them.
        expect(await readFile(written, 'utf8')).toBe(`${http.received[0]!.body}$(id)\n`)

        await world.note([])
        expect(await world.send()).toEqual({ sent: 3, failed: 0 })
        expect(JSON.parse(http.received[1]!.body)).toMatchObject({
          began: [],
          resolved: [{ key: HELD.key }],
        })
        expect(mail.received).toHaveLength(2)

        await world.goodRun()
        expect(await world.send()).toEqual({ sent: 1, failed: 0 })
        expect(http.received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/deadman'])
      },
    )
  })
})

test('a channel that fails is tried again at the next tick, then at growing intervals, and doctor names it', async () => {
  const http = await httpReceiver()
  await withNotify(
    () => ({ NOTIFY_URL: http.url }),
    async (world) => {
      const complaints = async (): Promise<readonly string[]> =>
        (
          await checkNotify({
            config: world.config,
            now: new Date(world.at),
            definitions: [],
            badDefinitions: [],
            state: { db: world.state.db, problem: null },
            warehouse: { db: null, problem: '', isInUse: false },
          })
        ).complaints
      http.status = 500
      await world.note([HELD])
      expect(await world.send()).toEqual({ sent: 0, failed: 1 })
      world.at += 5_000
      expect(await world.send()).toEqual({ sent: 0, failed: 1 })
      expect(await complaints()).toEqual([
        'notify by url: 1 messages could not be sent after up to 2 attempts: answered 500; test the channel with `platbook notify --test`',
      ])
      world.at += 5_000
      expect(await world.send()).toEqual({ sent: 0, failed: 0 })
      http.status = 200
      world.at += 5_000
      expect(await world.send()).toEqual({ sent: 1, failed: 0 })
      expect(await complaints()).toEqual([])
    },
  )
})

test('a message that one process sends is not sent by another, and is due again when that process dies', async () => {
  const http = await httpReceiver()
  await withNotify(
    () => ({ NOTIFY_URL: http.url }),
    async (world) => {
      await world.note([HELD])
      const both = await Promise.all([world.send(), world.send()])
      expect(both.reduce((sum, { sent }) => sum + sent, 0)).toBe(1)
      expect(http.received).toHaveLength(1)

      await world.note([])
      expect(await new Notices(world.state.db).claim(['url'], new Date(world.at))).toHaveLength(1)
      world.at += 59_000
      expect(await world.send()).toEqual({ sent: 0, failed: 0 })
      world.at += 1_000
      expect(await world.send()).toEqual({ sent: 1, failed: 0 })
    },
  )
})

test('a channel that cannot be reached, or does not exist, says why without its address', async () => {
  const lines: string[] = []
  await withFolder(async (data) => {
    const config = loadConfig(
      {
        NOTIFY_URL: 'http://127.0.0.1:9/secret',
        NOTIFY_COMMAND: '/no/such/program',
        NOTIFY_DEADMAN_URL: (await httpReceiver()).url,
      },
      { data },
    )
    const io = {
      config,
      out: (line: string) => void lines.push(line),
      err: () => {},
      isTerminal: false,
      now: () => new Date(START),
      signal: new AbortController().signal,
    }
    expect(await runCommand(['--test'], io)).toBe(1)
  })
  expect(lines).toEqual([
    expect.stringMatching(/^ {2}url +FAILED: no answer: /),
    expect.stringMatching(/^ {2}command +FAILED: .*ENOENT/),
    expect.stringMatching(/^ {2}deadman +sent$/),
  ])
  expect(lines.join('\n')).not.toContain('secret')
})

test('failed steps, failed jobs, an old snapshot and deliveries that were given up are conditions of the service', async () => {
  await withNotify(
    () => ({}),
    async ({ config, state, at }) => {
      await inventedSnapshot(config.paths.snapshots)
      const now = new Date('2026-06-03T04:30:00Z')
      const service = async (): Promise<Condition[]> =>
        (await serviceConditions(config, state.db, now)).filter(({ kind }) => kind !== 'disk')
      expect(await service()).toEqual([])

      const runs = new RunLedger(state.db)
      const run_id = await runs.begin(now)
      await runs.beginStep(run_id, 'publish', now)
      await runs.endStep(
        run_id,
        'publish',
        { outcome: 'failed', row_count: null, reason: `no room for 'Ann Example'` },
        now,
      )
      const schedule = new ScheduleLedger(state.db)
      const due = new Date('2026-06-03T04:00:00Z')
      for (const job of ['nightly', 'usage']) {
        await schedule.end((await schedule.begin(job, 'me', due, due))!, 'me', 'failed', 'no reason', due)
      }
      await state.db.exec(`pragma foreign_keys = off;
        insert into deliveries (subscription_id, event_id, event_type, status, due_at, created_at, finished_at)
        values ('wh_1', 'e1', 'deed.transfer', 'failed', 0, 0, ${now.getTime() - 1000}),
               ('wh_1', 'e2', 'deed.transfer', 'failed', 0, 0, ${at})`)
      const conditions = await service()
      expect(conditions.map(({ key }) => key)).toEqual([
        'failed_step publish',
        'failed_job usage',
        'old_snapshot',
        'given_up wh_1',
      ])
      expect(conditions[0]).toMatchObject({
        summary: `publish failed in run 1 of 2026-06-03T04:30Z: no room for '…'`,
        command: 'platbook doctor, then platbook publish',
      })
      expect(conditions[2]).toMatchObject({ before: 36, after: 48 })
      expect(conditions[3]).toMatchObject({
        summary: expect.stringMatching(/: 1$/) as string,
        command: 'platbook webhooks deliveries --webhook wh_1 --status failed',
      })
    },
  )
})

test('a disk at its limit is told once: full below 5 GiB, fine from 6 GiB on', () => {
  expect(diskConditions(5, false)).toEqual([])
  expect(diskConditions(4.9, false)).toMatchObject([{ key: 'disk', before: 5, after: 4.9 }])
  expect(diskConditions(5.9, true)).toHaveLength(1)
  expect(diskConditions(6, true)).toEqual([])
})

test('reasons lose what stands in quotes, which may come from a file', () => {
  expect(withoutValues(`line 3: 'Ann Example' is no date\nselect 1`)).toBe(`line 3: '…' is no date`)
  expect(withoutValues('x'.repeat(1_000))).toHaveLength(301)
})

test('mail needs its addresses', () => {
  expect(() => loadConfig({ NOTIFY_SMTP_URL: 'smtp://127.0.0.1' })).toThrow(
    /NOTIFY_EMAIL_TO is not set.*\n.*NOTIFY_EMAIL_FROM is not set/,
  )
})

test('a link model that was refused is a condition until one is used, and doctor says what to do', async () => {
  await withNotify(
    () => ({}),
    async ({ config, state }) => {
      const now = new Date('2026-06-03T04:30:00Z')
      const models = new LinkModels(state.db)
      const seen = async (): Promise<Condition[]> =>
        (await serviceConditions(config, state.db, now)).filter(({ kind }) => kind === 'refused_model')
      const complaints = async (): Promise<readonly string[]> =>
        (await checkLinkModel({ state: { db: state.db, problem: null } } as DoctorContext)).complaints
      expect([await seen(), await complaints()]).toEqual([[], []])
      const learned = { trained_on: '2026-06-03', record_count: 1_400 } as const
      await models.record(
        { ...learned, outcome: 'refused', linked_by: 'default', faults: ['birth date is off'] },
        now,
      )
      const summary = 'the link model trained on 2026-06-03 with 1,400 records was refused: birth date is off; records are linked with the default model of Platbook, which finds fewer pairs' // prettier-ignore
      expect(await seen()).toMatchObject([
        { summary, command: expect.stringMatching(/^platbook link --train, after/) },
      ])
      expect(await complaints()).toEqual([expect.stringMatching(/^the link model trained on .*; run: platbook link --train, after .*--train --accept/)]) // prettier-ignore
      await models.record({ ...learned, outcome: 'used', linked_by: 'learned', faults: [] }, now)
      expect([await seen(), await complaints()]).toEqual([[], []])
    },
  )
})
