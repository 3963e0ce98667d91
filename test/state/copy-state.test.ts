import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyTables } from '../../src/state/copy-state.ts'
import { migrate } from '../../src/state/migrate.ts'
import { openState } from '../../src/state/open.ts'
import { ScheduleLedger } from '../../src/state/schedule-ledger.ts'
import { openSqlite } from '../../src/state/sqlite.ts'
import { withFolder } from '../support/folder.ts'
import { newStatePlace, openPlace } from '../support/state-place.ts'
import { accessEvent } from './access-event.ts'

const now = (): Date => new Date('2026-08-14T12:00:00Z')

/** Makes a state with rows in tables of each form and returns its path and the secret of its key. */
async function fillState(folder: string): Promise<{ path: string; secret: string }> {
  const path = join(folder, 'source.sqlite')
  const state = await openState(path, { now })
  const { secret, key } = await state.keys.create({ name: 'partner', monthly_cap: 10 })
  await state.keys.create({ name: 'second', account_id: key.account_id })
  await state.suppressions.add([
    { kind: 'person', value: 'P1' },
    { kind: 'phone', value: '5125550100' },
  ])
  state.events.record(accessEvent({ event_ts: now().getTime(), api_key_id: key.api_key_id }))
  await state.events.flush()
  await new ScheduleLedger(state.db).note('prune', now(), now(), 'done', 'ü')
  const known = Array.from({ length: 12_000 }, (_, n) => n.toString(16).padStart(32, '0'))
  await state.db.transaction(async () => {
    for (const id of known)
      await state.db.run('insert into known_events values (?, ?)', Buffer.from(id, 'hex'), '2026-01-01')
    await state.db.run('update event_ledger set known_count = 12000')
  })
  await state.close()
  return { path, secret }
}

test('a state that is copied there and back is the same, and goes on in the new place', async () => {
  await withFolder(async (folder) => {
    const { path, secret } = await fillState(folder)
    const place = await newStatePlace(folder)
    const [source, there, back] = [
      await openSqlite(path),
      await openPlace(place),
      await openSqlite(join(folder, 'back.sqlite')),
    ]
    for (const db of [there, back]) await migrate(db, now)
    const copied = await copyTables(source, there)
    expect(copied).toMatchObject({
      accounts: 1,
      keys: 2,
      suppressions: 2,
      known_events: 12_000,
      usage_days: 1,
    })
    expect(await copyTables(there, back)).toEqual(copied)
    for (const table of Object.keys(copied)) {
      const sql = `select * from ${table}`
      const [before, after] = [await source.all(sql), await back.all(sql)]
      expect(after.map((row) => JSON.stringify(row)).sort()).toEqual(
        before.map((row) => JSON.stringify(row)).sort(),
      )
    }
    await expect(copyTables(source, there)).rejects.toMatchObject({ code: 'conflict' })
    for (const db of [source, there, back]) await db.close()
    const state = await openState(place, { now })
    expect(await state.keys.find(secret)).toMatchObject({ name: 'partner' })
    expect((await state.keys.list()).map(({ name }) => name)).toEqual(['partner', 'second'])
    const ledger = new ScheduleLedger(state.db)
    await ledger.note('prune', now(), now(), 'done', null)
    expect((await ledger.last(9)).map(({ run_id }) => run_id)).toEqual([2, 1])
    await state.close()
  })
})
