import { chmod, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { checkStateFile, copyState, integrityFault, isStateInUse } from '../../src/state/back-up.ts'
import { SqliteDatabase } from '../../src/state/sqlite.ts'
import { openFiles, tellsOpenFiles } from '../support/open-files.ts'
import { withState } from './support.ts'

test('a copy is one file for its owner alone, whole, with what stands in the WAL, and nothing stays open', async () => {
  await withState(async (state, { path }) => {
    await state.keys.create({ name: 'in the WAL' })
    const copy = join(dirname(path), 'copy')
    await copyState(path, copy)
    expect((await stat(copy)).mode & 0o777).toBe(0o600)
    expect((await readdir(dirname(path))).filter((name) => name.startsWith('copy'))).toEqual(['copy'])
    if (tellsOpenFiles) expect(await openFiles(copy)).toEqual([])
    const db = new DatabaseSync(copy, { readOnly: true })
    expect(db.prepare('select name from keys').all()).toMatchObject([{ name: 'in the WAL' }])
    expect(db.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'delete' })
    db.close()
    await expect(checkStateFile(copy)).resolves.toBeUndefined()
  })
})

test('a state file that cannot be read cannot be copied', async () => {
  await withState(async (_, { path }) => {
    const none = join(dirname(path), 'none')
    await expect(copyState(none, `${none}-copy`)).rejects.toThrow()
    await expect(checkStateFile(none)).rejects.toThrow(/restore it with/)
  })
})

test('a damaged page and a row without its owner are faults, by file and kind', async () => {
  await withState(async (state, { path }) => {
    const { key } = await state.keys.create({ name: 'partner' })
    expect(await integrityFault(state.db)).toBeNull()
    await state.db.exec('pragma foreign_keys = off')
    await state.db.run('delete from accounts where account_id = ?', key.account_id)
    expect(await integrityFault(state.db)).toBe('a row of keys belongs to no row of accounts')
    const copy = join(dirname(path), 'copy')
    await expect(copyState(path, copy)).rejects.toMatchObject({ code: 'state_damaged' })
    await expect(copyState(path, copy)).rejects.toThrow(/state.sqlite is damaged \(a row of keys/)
    await state.db.run('delete from keys')
    await copyState(path, copy)
    const file = await open(copy, 'r+')
    await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, 4_096)
    await file.close()
    await chmod(copy, 0o600)
    await expect(checkStateFile(copy)).rejects.toThrow(
      /copy is damaged [^]*restore --from DIR\|s3:\/\/BUCKET\/PREFIX --force/,
    )
    const db = new DatabaseSync(copy)
    expect(await integrityFault(new SqliteDatabase(db))).not.toBeNull()
    db.close()
  })
})

test('a state file is in use while a connection is open, and not after it', async () => {
  await withState(async (state, { path }) => {
    expect(isStateInUse(path)).toBe(true)
    await state.close()
    expect(isStateInUse(path)).toBe(false)
    // A folder is not a state file, so no process uses it.
    expect(isStateInUse(dirname(path))).toBe(false)
  })
})
