import { createHash } from 'node:crypto'
import type { Clock } from '../../src/clock.ts'
import { openState, type State } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { newStatePlace, openPlace } from '../support/state-place.ts'

export { accessEvent } from './access-event.ts'

/** A clock that only moves when the test moves it. */
export interface TestClock {
  readonly now: Clock
  readonly at: () => number
  readonly pass: (milliseconds: number) => void
  /** The place of the state: a path, or a URL in `npm run test:postgres`. */
  readonly path: string
}

/** Opens a state file in a new folder with a controlled clock, runs the test and closes the file. */
export async function withState<T>(
  body: (state: State, clock: TestClock) => Promise<T>,
  start = '2026-08-14T12:00:00.000Z',
): Promise<T> {
  return withFolder(async (folder) => {
    const clock = testClock(await newStatePlace(folder), start)
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
    "insert into accounts (account_id, name, plan, created_at) values (?, 'test', 'standard', '2026-01-01') on conflict do nothing",
    account_id,
  )
  await db.run(
    "insert into keys (api_key_id, account_id, hash, name, created_at) values (?, ?, ?, 'test', '2026-01-01')",
    api_key_id,
    account_id,
    createHash('sha256').update(api_key_id).digest(),
  )
}

/** Queries the state at `path` on a connection of its own. */
export async function rowsIn(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const db = await openPlace(path)
  try {
    return (await db.all(sql)).map((row) => ({ ...row }))
  } finally {
    await db.close()
  }
}
