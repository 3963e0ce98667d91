import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/state/database.ts'
import { loadMigrations, migrate } from '../../src/state/migrate.ts'
import { openState } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { withState } from './support.ts'

const now = (): Date => new Date('2026-08-14T12:00:00Z')

/** The schema as SQLite keeps it, in a stable order. */
function dumpSchema(db: DatabaseSync): string {
  const rows = db
    .prepare('select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name')
    .all()
  return rows.map((row) => `${String(row['sql'])};\n`).join('\n')
}

// After a new migration: `npx vitest run --config test/vitest.config.ts test/state -u` writes the dump anew.
test('the committed schema is what the migrations make', async () => {
  const db = new DatabaseSync(':memory:')
  migrate(db, now)
  await expect(dumpSchema(db)).toMatchFileSnapshot('../../sql/state/schema.sql')
  db.close()
})

test('migrations are numbered from 1 without a gap', () => {
  expect(loadMigrations().map(({ number }) => number)).toEqual(loadMigrations().map((_, index) => index + 1))
})

test('migrating twice changes nothing', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db, now)
  const once = dumpSchema(db)
  migrate(db, now)
  expect(dumpSchema(db)).toBe(once)
  expect(db.prepare('select count(*) as applied from migrations').get()?.['applied']).toBe(
    loadMigrations().length,
  )
  db.close()
})

test('a state file grows by the migrations that it lacks and keeps its rows', () => {
  const db = new DatabaseSync(':memory:')
  const [first, ...rest] = loadMigrations()
  if (first === undefined) throw new Error('there are no migrations')
  migrate(db, now, [first])
  db.exec(
    `insert into keys (api_key_id, hash, name, plan, created_at) values ('key_1', zeroblob(32), 'n', 'p', 'now')`,
  )
  migrate(db, now, [first, ...rest])
  expect(db.prepare('select count(*) as kept from keys').get()?.['kept']).toBe(1)
  db.close()
})

test('a migration that fails leaves nothing of itself behind', () => {
  const db = new DatabaseSync(':memory:')
  const broken = { number: 1, name: 'broken', sql: 'create table half (a); create table half (a)' }
  expect(() => migrate(db, now, [broken])).toThrow(/migration 1-broken failed/)
  expect(dumpSchema(db)).not.toContain('half')
  db.close()
})

test('a state file of a newer version is refused and not touched', async () => {
  await withState(async (state, { path }) => {
    await state.close()
    const db = openDatabase(path)
    db.exec(`insert into migrations (number, name, applied_at) values (999, 'later', 'later')`)
    db.close()
    expect(() => openState(path)).toThrow(/migration 999.*newer Platbook/)
  })
})

test('commits are synced to the disk and written ahead', async () => {
  await withState(async (state, { path }) => {
    await state.close()
    const db = openDatabase(path)
    expect(db.prepare('pragma journal_mode').get()?.['journal_mode']).toBe('wal')
    expect(db.prepare('pragma synchronous').get()?.['synchronous']).toBe(2)
    db.close()
  })
})

test('a state file that is none is refused by name', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'state.sqlite')
    await writeFile(path, 'not a database, whatever its name says. '.repeat(200))
    expect(() => openState(path)).toThrow(`the state file ${path} cannot be opened: file is not a database`)
  })
})
