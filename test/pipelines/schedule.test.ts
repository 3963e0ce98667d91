import type { Database } from '../../src/state/database.ts'
import { expect, test } from 'vitest'
import { lastDaily } from '../../pipelines/due.ts'
import { type Job, runSchedule, Schedule } from '../../pipelines/schedule.ts'
import { AppError } from '../../src/errors.ts'
import { silentLog } from '../../src/log.ts'
import { migrate } from '../../src/state/migrate.ts'
import { ScheduleLedger } from '../../src/state/schedule-ledger.ts'
import { withFolder } from '../support/folder.ts'
import { IN_POSTGRES, newStatePlace, openPlace } from '../support/state-place.ts'

const HOUR = 3_600_000

/** A run that is under way until the test ends it. */
interface UnderWay {
  end(detail?: string): void
  fail(reason: string): void
  /** Ends as a run does that finds the warehouse in use. */
  refuse(): void
  endWithFailures(failures: string): void
}

class World {
  at: number
  readonly now = (): Date => new Date(this.at)
  readonly runs: UnderWay[] = []
  readonly job: Job
  readonly ledger: ScheduleLedger
  readonly db: Database

  constructor(db: Database, start: string) {
    this.db = db
    this.at = Date.parse(start)
    this.ledger = new ScheduleLedger(db)
    this.job = {
      name: 'nightly',
      lastDue: (now) => lastDaily('03:30', 'America/New_York', now),
      run: (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('asked to end')))
          this.runs.push({
            end: (detail = 'done') => resolve(detail),
            fail: (reason) => reject(new Error(reason)),
            refuse: () => reject(new AppError('warehouse_locked', 'another process uses the warehouse')),
            endWithFailures: (failures) => resolve({ detail: 'snapshot 1', failures }),
          })
        }),
    }
  }

  schedule(jobs: readonly Job[] = [this.job]): Schedule {
    return new Schedule({ jobs, ledger: this.ledger, now: this.now, log: silentLog })
  }

  async statuses(): Promise<string[]> {
    return (await this.ledger.last(100)).map(({ status, due_at }) => `${due_at.slice(0, 10)} ${status}`)
  }
}

async function withWorld(
  body: (world: World) => Promise<void>,
  start = '2026-01-05T00:00:00Z',
): Promise<void> {
  await withFolder(async (folder) => {
    const db = await openPlace(await newStatePlace(folder))
    try {
      await migrate(db, () => new Date(start))
      await body(new World(db, start))
    } finally {
      await db.close()
    }
  })
}

test('a night runs when it is due, once, and stands in the ledger', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule()
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      await schedule.tick()
      for (const run of world.runs) run.end('snapshot 1')
      await schedule.idle()
      world.at += 5 * 60_000
    }
    expect(world.runs).toHaveLength(1)
    expect(await world.ledger.last(9)).toMatchObject([
      { job: 'nightly', due_at: '2026-01-05T08:30:00.000Z', status: 'done', detail: 'snapshot 1' },
    ])
  })
})

test('what never ran is not behind; what ran once is made up for, once, however many nights were missed', async () => {
  await withWorld(async (world) => {
    const first = world.schedule()
    await first.tick()
    expect(world.runs).toHaveLength(0)
    world.at += 9 * HOUR
    await first.tick()
    world.runs[0]!.end()
    await first.stop()
    world.at += 4 * 24 * HOUR
    const second = world.schedule()
    await second.tick()
    expect(world.runs).toHaveLength(2)
    world.runs[1]!.end()
    await second.idle()
    await second.tick()
    expect(await world.statuses()).toEqual(['2026-01-09 done', '2026-01-05 done'])
  })
})

test('a process that starts at the very instant a job is due leaves a job that never ran for the next', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule()
    await schedule.tick()
    expect(world.runs).toHaveLength(0)
    world.at += 24 * HOUR
    await schedule.tick()
    expect(world.runs).toHaveLength(1)
    world.runs[0]!.end()
    await schedule.stop()
  }, '2026-01-05T08:30:00Z')
})

test('a run that was made is not begun again, though two processes see it due at once', async () => {
  await withWorld(async ({ ledger }) => {
    const [due, at] = [new Date('2026-01-05T08:30:00Z'), new Date('2026-01-05T08:30:05Z')]
    const run_id = await ledger.begin('nightly', 'here', due, at)
    await ledger.end(run_id!, 'here', 'done', null, at)
    expect(await ledger.begin('nightly', 'there', due, at)).toBeNull()
  })
})

test('a night that is still going when the next is due is not started again, here or by another process', async () => {
  await withWorld(async (world) => {
    const here = world.schedule()
    const there = world.schedule()
    world.at += 9 * HOUR
    // Both look every minute for a day and a half, while the one run goes on.
    for (let minute = 0; minute < 36 * 60; minute += 1) {
      await here.tick()
      await there.tick()
      world.at += 59_000
    }
    expect(world.runs).toHaveLength(1)
    world.runs[0]!.end()
    await here.idle()
    await here.tick()
    await there.tick()
    expect(world.runs).toHaveLength(2)
    world.runs[1]!.end()
    await Promise.all([here.idle(), there.idle()])
    expect(await world.statuses()).toEqual(['2026-01-06 done', '2026-01-05 done'])
  })
})

test('a run whose process left without a word is lost when its lease ends, and another process makes it', async () => {
  await withWorld(async (world) => {
    const killed = world.schedule()
    const other = world.schedule()
    world.at += 9 * HOUR
    await killed.tick()
    world.at += 59_000
    await other.tick()
    expect(world.runs).toHaveLength(1)
    world.at += 2_000
    await other.tick()
    expect(world.runs).toHaveLength(2)
    expect(await world.statuses()).toEqual(['2026-01-05 running', '2026-01-05 lost'])
    world.runs[1]!.end()
    await other.idle()
    world.runs[0]!.end()
    await killed.idle()
  })
})

test('a run that failed stands with its reason and is not repeated; the next night runs', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule()
    world.at += 9 * HOUR
    await schedule.tick()
    world.runs[0]!.fail('the disk is full\nat somewhere')
    await schedule.idle()
    await schedule.tick()
    expect(world.runs).toHaveLength(1)
    expect(await world.ledger.last(1)).toMatchObject([{ status: 'failed', detail: 'the disk is full' }])
    world.at += 24 * HOUR
    await schedule.tick()
    expect(world.runs).toHaveLength(2)
    world.runs[1]!.end()
    await schedule.idle()
  })
})

test('a stop asks what runs to end and waits for it; the next process makes up for it at once', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule()
    world.at += 9 * HOUR
    await schedule.tick()
    await schedule.stop()
    await schedule.tick()
    expect(world.runs).toHaveLength(1)
    expect(await world.statuses()).toEqual(['2026-01-05 stopped'])
    const next = world.schedule()
    await next.tick()
    expect(world.runs).toHaveLength(2)
    world.runs[1]!.end()
    await next.idle()
  })
})

const everyTick = (results: (string | null)[]): Job => ({
  name: 'deliver',
  lastDue: null,
  run: async () => results.shift() ?? null,
})

test('a job of every tick stands in the ledger only when it did something', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule([everyTick([null, '3 delivered', null])])
    for (let tick = 0; tick < 3; tick += 1) {
      await schedule.tick()
      await schedule.idle()
    }
    expect(await world.ledger.last(9)).toMatchObject([
      { job: 'deliver', status: 'done', detail: '3 delivered' },
    ])
  })
})

test('old runs are forgotten, but never the last of a job', async () => {
  await withWorld(async (world) => {
    for (const day of [1, 2, 3]) {
      const due = new Date(Date.UTC(2026, 0, day))
      const run_id = (await world.ledger.begin('nightly', 'me', due, due))!
      await world.ledger.end(run_id, 'me', 'done', null, due)
    }
    expect(await world.ledger.prune(new Date('2026-02-01T00:00:00Z'))).toBe(2)
    expect(await world.statuses()).toEqual(['2026-01-03 done'])
  })
})

test('the ticker starts what is due at once, and a signal ends it with what runs', async () => {
  await withWorld(async (world) => {
    const due = new Date(world.at - HOUR)
    const run_id = (await world.ledger.begin('nightly', 'before', new Date(world.at - 48 * HOUR), due))!
    await world.ledger.end(run_id, 'before', 'done', null, due)
    const stop = new AbortController()
    const { job, ledger, now } = world
    const running = runSchedule({ jobs: [job], ledger, now, log: silentLog }, stop.signal)
    await expect.poll(() => world.runs).toHaveLength(1)
    stop.abort()
    await running
    expect(await world.statuses()).toEqual(['2026-01-04 stopped', '2026-01-03 done'])
  })
})

test('a run that finds the warehouse in use waits, and begins again at the next tick', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule()
    world.at += 9 * HOUR
    for (let tick = 0; tick < 3; tick += 1) {
      await schedule.tick()
      world.runs[tick]!.refuse()
      await schedule.idle()
      world.at += 5_000
    }
    expect(await world.ledger.last(9)).toMatchObject([
      { due_at: '2026-01-05T08:30:00.000Z', status: 'waiting', detail: 'another process uses the warehouse' },
    ])
    await schedule.tick()
    expect(await world.statuses()).toEqual(['2026-01-05 running'])
    world.runs[3]!.end('snapshot 1')
    await schedule.idle()
    world.at += 5_000
    await schedule.tick()
    expect(world.runs).toHaveLength(4)
    expect(await world.ledger.last(9)).toMatchObject([{ status: 'done', detail: 'snapshot 1' }])
  })
})

test('a run with failures stands in the ledger with their names, and is not made again', async () => {
  await withWorld(async (world) => {
    const schedule = world.schedule()
    world.at += 9 * HOUR
    await schedule.tick()
    world.runs[0]!.endWithFailures('us/fl/statewide.voters held')
    await schedule.idle()
    await schedule.tick()
    expect(world.runs).toHaveLength(1)
    expect(await world.ledger.last(9)).toMatchObject([
      { status: 'done_with_failures', detail: 'snapshot 1; not loaded: us/fl/statewide.voters held' },
    ])
  })
})

test('runs that a clock ahead noted as due next year do not keep tonight from running', async () => {
  await withWorld(async (world) => {
    const right = world.at
    world.at = Date.parse('2027-03-01T12:00:00Z')
    const ahead = world.schedule()
    world.at += 24 * HOUR
    await ahead.tick()
    world.runs[0]!.end()
    await ahead.idle()
    expect(await world.statuses()).toEqual(['2027-03-02 done'])
    world.at = right + 9 * HOUR
    await world.schedule().tick()
    expect(world.runs).toHaveLength(2)
    expect(await world.ledger.dueAfter(world.now())).toMatchObject([{ due_at: '2027-03-02T08:30:00.000Z' }])
  })
})

test('a lease that a clock ahead left holds nothing', async () => {
  await withWorld(async (world) => {
    const right = world.at
    world.at = Date.parse('2027-03-01T12:00:00Z')
    const killed = world.schedule()
    world.at += 24 * HOUR
    await killed.tick()
    world.at = right + 9 * HOUR
    const next = world.schedule()
    await next.tick()
    expect(world.runs).toHaveLength(2)
    world.runs[1]!.end()
    await next.idle()
    expect(await world.statuses()).toEqual(['2026-01-05 done', '2027-03-02 lost'])
    world.runs[0]!.end()
    await killed.idle()
  })
})

test('a process that started while the clock was ahead runs what falls due once the clock is right', async () => {
  await withWorld(async (world) => {
    const right = world.at
    world.at = Date.parse('2027-03-01T12:00:00Z')
    const schedule = world.schedule()
    await schedule.tick()
    world.at = right
    await schedule.tick()
    world.at += 9 * HOUR
    await schedule.tick()
    expect(world.runs).toHaveLength(1)
    world.runs[0]!.end()
    await schedule.idle()
  })
})

test.skipIf(IN_POSTGRES)(
  'a ledger that cannot be written ends neither the process nor the schedule',
  async () => {
    await withWorld(async (world) => {
      const schedule = world.schedule()
      world.at += 9 * HOUR
      await schedule.tick()
      await world.db.exec(
        `create trigger full_disk before update on schedule_runs begin select raise(abort, 'database or disk is full'); end`,
      )
      world.runs[0]!.end()
      await schedule.idle()
      expect(await world.statuses()).toEqual(['2026-01-05 running'])
      await world.db.exec('drop trigger full_disk')
      world.at += 2 * 60_000
      await schedule.tick()
      world.runs[1]!.end()
      await schedule.idle()
      expect(await world.statuses()).toEqual(['2026-01-05 done', '2026-01-05 lost'])
    })
  },
)
