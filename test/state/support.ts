import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../src/clock.ts'
import { openDatabase } from '../../src/state/database.ts'
import type { AccessEvent } from '../../src/state/event-log.ts'
import { openState, type State } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'

/** A clock that stands until the test lets time pass. */
export interface TestClock {
  readonly now: Clock
  readonly at: () => number
  readonly pass: (milliseconds: number) => void
  readonly path: string
}

/** A state file of its own in a fresh folder, opened with a driven clock; closed whatever happens. */
export async function withState<T>(
  body: (state: State, clock: TestClock) => Promise<T>,
  start = '2026-08-14T12:00:00.000Z',
): Promise<T> {
  return withFolder(async (folder) => {
    const clock = testClock(join(folder, 'state.sqlite'), start)
    const state = openState(clock.path, { now: clock.now })
    try {
      return await body(state, clock)
    } finally {
      await state.close()
    }
  })
}

function testClock(path: string, start: string): TestClock {
  let at = Date.parse(start)
  return {
    path,
    now: () => new Date(at),
    at: () => at,
    pass(milliseconds) {
      at += milliseconds
    },
  }
}

/** A key with this id in an account with this id, which no request can be made with. */
export function givenKey({ db }: State, api_key_id: string, account_id: string): void {
  db.prepare(
    "insert or ignore into accounts (account_id, name, plan, created_at) values (?, 'test', 'standard', '2026-01-01')",
  ).run(account_id)
  db.prepare(
    "insert into keys (api_key_id, account_id, hash, name, created_at) values (?, ?, ?, 'test', '2026-01-01')",
  ).run(api_key_id, account_id, createHash('sha256').update(api_key_id).digest())
}

/** A lookup of a person that was found and is billed, or as said. */
export function accessEvent(changes: Partial<AccessEvent> = {}): AccessEvent {
  return {
    event_ts: Date.parse('2026-08-14T12:00:00Z'),
    trace_id: 'a'.repeat(32),
    api_key_id: 'key_a',
    http_method: 'GET',
    route: '/v2/person/{id}',
    status_code: 200,
    duration_ms: 3,
    billable: true,
    ...changes,
  }
}

/** What the state file at `path` gives, looked into beside whoever has it open. */
export function rowsIn(path: string, sql: string): Record<string, unknown>[] {
  const db = openDatabase(path)
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}
