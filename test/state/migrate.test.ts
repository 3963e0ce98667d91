import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Database } from '../../src/state/database.ts'
import { SqliteDatabase } from '../../src/state/sqlite.ts'
import { AccountStore } from '../../src/state/accounts.ts'
import { openSqlite } from '../../src/state/sqlite.ts'
import { KeyStore } from '../../src/state/keys.ts'
import { loadMigrations, migrate } from '../../src/state/migrate.ts'
import { openState } from '../../src/state/open.ts'
import { MonthlyUsage } from '../../src/state/usage.ts'
import { withFolder } from '../support/folder.ts'
import { withState } from './support.ts'

const now = (): Date => new Date('2026-08-14T12:00:00Z')

/** Returns the schema as SQLite stores it, in a stable order. */
async function dumpSchema(db: Database): Promise<string> {
  const rows = await db.all(
    'select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name',
  )
  return rows.map((row) => `${String(row['sql'])};\n`).join('\n')
}

// After a new migration, `npx vitest run --config test/vitest.config.ts test/state -u` writes the dump.
test('the committed schema is what the migrations make', async () => {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  await migrate(db, now)
  await expect(await dumpSchema(db)).toMatchFileSnapshot('../../sql/state/schema.sql')
  await db.close()
})

test('migrations are numbered from 1 without a gap', () => {
  expect(loadMigrations().map(({ number }) => number)).toEqual(loadMigrations().map((_, index) => index + 1))
})

test('a folder with a gap, or with a number twice, is refused by the name of the first file that is wrong', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'README.md'), 'no migration')
    for (const file of ['002-second.sql', '001-first.sql']) await writeFile(join(folder, file), 'select 1')
    expect(loadMigrations(folder)).toEqual([
      { number: 1, name: 'first', sql: 'select 1' },
      { number: 2, name: 'second', sql: 'select 1' },
    ])
    await writeFile(join(folder, '004-fourth.sql'), 'select 1')
    expect(() => loadMigrations(folder)).toThrow('migration 4-fourth should have the number 3')
    await rename(join(folder, '004-fourth.sql'), join(folder, '002-again.sql'))
    expect(() => loadMigrations(folder)).toThrow(/migration 2-(again|second) should have the number 3/)
  })
})

test('migrating twice changes nothing', async () => {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  await migrate(db, now)
  const once = await dumpSchema(db)
  await migrate(db, now)
  expect(await dumpSchema(db)).toBe(once)
  expect((await db.get('select count(*) as applied from migrations'))?.['applied']).toBe(
    loadMigrations().length,
  )
  await db.close()
})

test('a state file grows by the migrations that it lacks and keeps its rows', async () => {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  const [first, ...rest] = loadMigrations()
  if (first === undefined) throw new Error('there are no migrations')
  await migrate(db, now, [first])
  await db.exec(
    `insert into keys (api_key_id, hash, name, plan, created_at) values ('key_1', zeroblob(32), 'n', 'p', 'now')`,
  )
  await migrate(db, now, [first, ...rest])
  expect((await db.get('select count(*) as kept from keys'))?.['kept']).toBe(1)
  await db.close()
})

test('each key that exists becomes an account of its own with what belonged to the key', async () => {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  const all = loadMigrations()
  await migrate(db, now, all.slice(0, 9))
  await db.exec(`
    insert into keys (api_key_id, hash, name, plan, monthly_cap, rate_per_second, burst, invitations, is_test, created_at, revoked_at)
    values
      ('key_A', randomblob(32), 'Partner', 'gold', 100, 5, 9, '["webhooks"]', 0, '2026-01-01', null),
      ('key_B', randomblob(32), 'demo', 'demo', null, 1000, 2000, '[]', 1, '2026-01-02', null),
      ('key_C', randomblob(32), 'trial', 'standard', null, null, null, '[]', 1, '2026-01-03', '2026-02-01');
    insert into usage_days values ('key_A', '2026-08-14', 7, 5);
    insert into subscriptions (subscription_id, account_id, url, event_type, region, area, status, created_at, updated_at)
    values ('wh_1', 'key_A', 'https://example.com/', 'deed.*', 'state:tx', 'TX', 'active', 'now', 'now');
    insert into test_events values ('e1', 'key_A', '{}', 0);
    insert into enrichments (enrichment_id, api_key_id, status, created_at, leased_until, request)
    values ('enr_1', 'key_A', 'queued', 0, 0, '{}');
  `)
  const hash = (await db.get("select hash from keys where api_key_id = 'key_A'"))?.['hash']
  await migrate(db, now, all)
  const accounts = new AccountStore(db, now)
  expect(await accounts.list()).toEqual([
    { account_id: 'acct_A', name: 'Partner', plan: 'gold', monthly_cap: 100, invitations: ['webhooks'], kind: 'live', created_at: '2026-01-01' },
    { account_id: 'acct_B', name: 'demo', plan: 'demo', monthly_cap: null, invitations: [], kind: 'demo', created_at: '2026-01-02' },
    { account_id: 'acct_C', name: 'trial', plan: 'standard', monthly_cap: null, invitations: [], kind: 'test', created_at: '2026-01-03' },
  ]) // prettier-ignore
  const keys = new KeyStore(db, accounts, now)
  expect((await keys.list()).map(({ api_key_id, account_id, rate_per_second, burst, revoked_at }) => [api_key_id, account_id, rate_per_second, burst, revoked_at])).toEqual([
    ['key_A', 'acct_A', 5, 9, null],
    ['key_B', 'acct_B', 1000, 2000, null],
    ['key_C', 'acct_C', null, null, '2026-02-01'],
  ]) // prettier-ignore
  expect(await keys.get('key_A')).toMatchObject({
    scopes: null,
    allowed_addresses: null,
    purpose: 'none',
    expires_at: null,
  })
  expect((await db.get("select hash from keys where api_key_id = 'key_A'"))?.['hash']).toEqual(hash)
  expect(await new MonthlyUsage(db).written('acct_A', '2026-08')).toBe(5)
  for (const table of ['subscriptions', 'test_events', 'enrichments'])
    expect((await db.all(`select account_id from ${table}`)).map((row) => row['account_id'])).toEqual(['acct_A']) // prettier-ignore
  await db.close()
})

test('a migration that fails leaves nothing of itself behind', async () => {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  const broken = { number: 1, name: 'broken', sql: 'create table half (a); create table half (a)' }
  await expect(migrate(db, now, [broken])).rejects.toThrow(/migration 1-broken failed/)
  expect(await dumpSchema(db)).not.toContain('half')
  await db.close()
})

test('a state file of a newer version is refused and not touched', async () => {
  await withState(async (state, { path }) => {
    await state.close()
    const db = await openSqlite(path)
    await db.exec(`insert into migrations (number, name, applied_at) values (999, 'later', 'later')`)
    await db.close()
    await expect(openState(path)).rejects.toThrow(/newer Platbook: it has migration 999/)
  })
})

test('commits are synced to the disk and written ahead', async () => {
  await withState(async (state, { path }) => {
    await state.close()
    const db = await openSqlite(path)
    expect((await db.get('pragma journal_mode'))?.['journal_mode']).toBe('wal')
    expect((await db.get('pragma synchronous'))?.['synchronous']).toBe(2)
    await db.close()
  })
})

test('a state file that is none is refused by name', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'state.sqlite')
    await writeFile(path, 'not a database, whatever its name says. '.repeat(200))
    await expect(openState(path)).rejects.toThrow(
      `the state file ${path} cannot be opened: file is not a database`,
    )
  })
})

test('a state file that two processes open at once is migrated once', async () => {
  const db = new SqliteDatabase(new DatabaseSync(':memory:'))
  const [first, ...rest] = loadMigrations()
  // The other process migrated the file between the first check and the transaction.
  const other = { number: 1, name: first!.name, sql: first!.sql }
  let isFirst = true
  const racing: Database = {
    kind: db.kind,
    skipLocked: db.skipLocked,
    all: (sql) => db.all(sql),
    get: (sql) => db.get(sql),
    run: (sql, ...parameters) => db.run(sql, ...parameters),
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
    async transaction(body) {
      if (isFirst) await migrate(db, now, [other])
      isFirst = false
      return db.transaction(body)
    },
  }
  await migrate(racing, now, [first!, ...rest])
  const applied = await db.all('select number from migrations order by number')
  expect(applied.map((row) => row['number'])).toEqual(loadMigrations().map(({ number }) => number))
  await db.close()
})
