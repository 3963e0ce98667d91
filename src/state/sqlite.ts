import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Parameters, StoredRow } from './database.ts'
import { isBusy } from './faults.ts'

export interface SqliteOptions {
  /** Whether a finished commit survives a power cut. */
  readonly isDurable?: boolean
}

/** How long a writer waits for a writer of another connection. */
const WAIT_MS = 5_000
const LONGEST_PAUSE_MS = 20
const MOST_STATEMENTS = 200

/**
 * Opens a connection to a state file and creates the file if needed. With `synchronous = full`, a finished commit survives
 * a power cut. Several processes share the file (server, `platbook keys`, schedule): a writer waits up to five seconds for
 * the lock.
 */
export async function openSqlite(
  path: string,
  { isDurable = true }: SqliteOptions = {},
): Promise<SqliteDatabase> {
  mkdirSync(dirname(path), { recursive: true })
  createFile(path)
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    const synchronous = isDurable ? 'full' : 'off'
    await unlessBusy(() =>
      db.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma foreign_keys = on`),
    )
    return new SqliteDatabase(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Creates the file with the mode that the umask allows. SQLite creates files with mode 0644 at most, which would never let a
 * group write; the WAL gets the mode of this file. An existing file is not opened, because closing it would release the locks
 * that other connections of this process hold on it (POSIX locks).
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o666))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

interface Transaction {
  isOpen: boolean
}

/**
 * One connection to a SQLite file. Transactions run one after the other. While one is open, statements from outside of it wait,
 * because they would become part of it.
 */
export class SqliteDatabase implements Database {
  readonly kind = 'sqlite'
  readonly skipLocked = ''
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  /** The transaction to which the current asynchronous call belongs. */
  readonly #own = new AsyncLocalStorage<Transaction>()
  /** Resolves when the open transaction ends. */
  #open: Promise<void> | null = null

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  all(sql: string, ...parameters: Parameters): Promise<StoredRow[]> {
    return this.#act(() => this.#prepared(sql).all(...(parameters as string[])))
  }

  get(sql: string, ...parameters: Parameters): Promise<StoredRow | undefined> {
    return this.#act(() => this.#prepared(sql).get(...(parameters as string[])))
  }

  run(sql: string, ...parameters: Parameters): Promise<{ changes: number }> {
    return this.#act(() => ({
      changes: Number(this.#prepared(sql).run(...(parameters as string[])).changes),
    }))
  }

  exec(sql: string): Promise<void> {
    return this.#act(() => this.#db.exec(sql))
  }

  async transaction<T>(body: () => Promise<T>): Promise<T> {
    if (this.#own.getStore()?.isOpen === true) return body()
    while (this.#open !== null) await this.#open
    const ended = Promise.withResolvers<void>()
    this.#open = ended.promise
    const own = { isOpen: true }
    try {
      await unlessBusy(() => this.#db.exec('begin immediate'))
      const result = await this.#own.run(own, body)
      this.#db.exec('commit')
      return result
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw cause
    } finally {
      own.isOpen = false
      this.#open = null
      ended.resolve()
    }
  }

  async close(): Promise<void> {
    while (this.#open !== null) await this.#open
    if (this.#db.isOpen) this.#db.close()
  }

  async #act<T>(act: () => T): Promise<T> {
    if (this.#own.getStore()?.isOpen === true) return act()
    while (this.#open !== null) await this.#open
    return unlessBusy(act, () => this.#open)
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    const [oldest] = this.#statements.size < MOST_STATEMENTS ? [] : this.#statements.keys()
    if (oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, statement)
    return statement
  }
}

// Tries again while another connection has locked the file. SQLite's own waiting would block the event loop, and with it a
// transaction of this process that has the lock.
async function unlessBusy<T>(act: () => T, open: () => Promise<void> | null = () => null): Promise<T> {
  const until = performance.now() + WAIT_MS
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return act()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > until) throw cause
    }
    await delay(pause)
    for (let other = open(); other !== null; other = open()) await other
  }
}
