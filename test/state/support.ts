import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../src/clock.ts'
import { openSqlite } from '../../src/state/sqlite.ts'
import type { AccessEvent } from '../../src/state/access-events.ts'
import { openState, type State } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'

/** A clock that only moves when the test moves it. */
export interface TestClock {
  readonly now: Clock
  readonly at: () => number
  readonly pass: (milliseconds: number) => void
  readonly path: string
}

/** Opens a state file in a new folder with a controlled clock, runs the test and closes the file. */
export async function withState<T>(
  body: (state: State, clock: TestClock) => Promise<T>,
  start = '2026-08-14T12:00:00.000Z',
): Promise<T> {
  return withFolder(async (folder) => {
    const clock = testClock(join(folder, 'state.sqlite'), start)
    const state = await openState(clock.path, { now: clock.now })
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

/** Adds a key and an account with this id. No request can use the key, because its secret is unknown. */
export async function givenKey({ db }: State, api_key_id: string, account_id: string): Promise<void> {
  await db.run(
    "insert or ignore into accounts (account_id, name, plan, created_at) values (?, 'test', 'standard', '2026-01-01')",
    account_id,
  )
  await db.run(
    "insert into keys (api_key_id, account_id, hash, name, created_at) values (?, ?, ?, 'test', '2026-01-01')",
    api_key_id,
    account_id,
    createHash('sha256').update(api_key_id).digest(),
  )
}

/** Returns the access event of a billed lookup of a person, with the given changes. */
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

/** Queries the state file at `path` on a connection of its own. */
export async function rowsIn(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const db = await openSqlite(path)
  try {
    return (await db.all(sql)).map((row) => ({ ...row }))
  } finally {
    await db.close()
  }
}
