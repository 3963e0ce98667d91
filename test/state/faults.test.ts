import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isBusy, isFull } from '../../src/state/faults.ts'
import { withFolder } from '../support/folder.ts'
import { accessEvent, givenKey, withState } from './support.ts'

function errorOf(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing failed')
}

test('a locked file, a full disk and other errors are told apart', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'a.sqlite')
    const db = new DatabaseSync(path)
    const other = new DatabaseSync(path, { timeout: 0 })
    db.exec('create table rows (id integer primary key, bytes blob)')
    db.exec('begin immediate')
    const locked = errorOf(() => other.exec('begin immediate'))
    db.exec('rollback')
    db.exec('pragma max_page_count = 4')
    const full = errorOf(() => db.exec('insert into rows values (1, zeroblob(100000))'))
    db.exec('insert into rows values (2, null)')
    const double = errorOf(() => db.exec('insert into rows values (2, null)'))
    db.close()
    other.close()
    expect([locked, full, double].map(isBusy)).toEqual([true, false, false])
    expect([locked, full, double].map(isFull)).toEqual([false, true, false])
    // The same numbers mean something else in other libraries.
    expect([isBusy({ errcode: 5 }), isFull({ errcode: 13 }), isBusy(new Error('busy'))]).toEqual([false, false, false]) // prettier-ignore
  })
})

test('a disk that is full when a report is due leaves the report of half an hour ago', async () => {
  await withState(async (state, { at, pass }) => {
    await givenKey(state, 'key_a', 'acct_a')
    state.events.record(accessEvent({ event_ts: at() }))
    await state.events.flush()
    const days = () => state.report.days('acct_a', '2026-08-01', '2026-08-31', at())
    expect(await days()).toEqual([{ date: '2026-08-14', request_count: 1 }])
    for (let n = 0; n < 3_000; n += 1) await state.db.run('insert into usage_days values (?, ?, 1, 1)', `key_${n}`, '2026-08-14') // prettier-ignore
    const pages = Number((await state.db.get('pragma page_count'))?.['page_count'])
    await state.db.exec(`pragma max_page_count = ${pages}`)
    pass(31 * 60_000)
    expect(await days()).toEqual([{ date: '2026-08-14', request_count: 1 }])
    await expect(state.report.refresh(at())).rejects.toThrow(/full/)
    await state.db.exec('drop table usage_report_refreshes')
    await expect(days()).rejects.toThrow(/no such table/)
  })
})
