import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from './database.ts'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import { JSON_VALID } from './postgres-schema.ts'
import { insertRow } from './rows.ts'

const MIGRATIONS = fileURLToPath(new URL('../../sql/state', import.meta.url))

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** Reads the files `NNN-name.sql` of a folder in order. @throws `bad_config` unless the numbers run from 1 without gaps. */
export function loadMigrations(folder: string = MIGRATIONS): Migration[] {
  const migrations = readdirSync(folder)
    .map((file) => /^(\d{3})-(.+)\.sql$/.exec(file))
    .filter((match) => match !== null)
    .map((match) => ({
      number: Number(match[1]),
      name: match[2] ?? '',
      sql: readFileSync(join(folder, match[0]), 'utf8'),
    }))
    .sort((left, right) => left.number - right.number)
  migrations.forEach(({ number, name }, index) => {
    if (number !== index + 1) {
      throw new AppError('bad_config', `migration ${number}-${name} should have the number ${index + 1}`)
    }
  })
  return migrations
}

/**
 * Applies the missing migrations, each in a transaction of its own. Two processes may do so at the same time.
 * @throws `bad_config` for a file of a newer version, which is not changed.
 */
export async function migrate(
  db: Database,
  now: Clock,
  migrations: Migration[] = loadMigrations(),
): Promise<void> {
  await createLedger(db)
  const newest = migrations.at(-1)?.number ?? 0
  const applied = await appliedNumber(db)
  if (applied > newest) {
    throw new AppError(
      'bad_config',
      `the state file was written by a newer Platbook: it has migration ${applied}, but this version only has migrations up to ${newest}. Use the newer version`,
    )
  }
  for (const { number, name, sql } of migrations.slice(applied)) {
    try {
      await db.transaction(
        async () => {
          // Another process may have applied it since the check above, so check again inside the transaction.
          if ((await appliedNumber(db)) >= number) return
          await db.exec(sql)
          await insertRow(db, 'migrations', { number, name, applied_at: now().toISOString() })
        },
        { isolation: 'exclusive' },
      )
    } catch (cause) {
      throw new AppError('bad_config', `migration ${number}-${name} failed: ${messageOf(cause)}`, { cause })
    }
  }
}

async function createLedger(db: Database): Promise<void> {
  const create = (): Promise<void> =>
    db.exec(
      'create table if not exists migrations (number integer primary key, name text not null, applied_at text not null) strict',
    )
  // SQLite locks the file only when the table is missing. PostgreSQL may fail when two processes create a table at once.
  if (db.kind === 'sqlite') return create()
  await db.transaction(
    async () => {
      await db.run(JSON_VALID)
      await create()
    },
    { isolation: 'exclusive' },
  )
}

async function appliedNumber(db: Database): Promise<number> {
  const row = await db.get('select coalesce(max(number), 0) as number from migrations')
  return Number(row?.['number'])
}
