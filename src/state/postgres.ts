import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { AppError, messageOf } from '../errors.ts'
import type { Database, Parameters, StoredRow, TransactionOptions, Value } from './database.ts'
import { isConflict } from './faults.ts'
import { toPostgres } from './postgres-schema.ts'

export interface PostgresOptions {
  readonly connections?: number
}

// Type numbers of integers and of their sums. All values are below 2^53.
const BIGINT = 20
const NUMERIC = 1700
const CONNECTIONS = 10
const CONNECT_WITHIN_MS = 5_000
/** PostgreSQL ends a transaction of a process that hangs, so that its locks do not stop the other processes for good. */
const IDLE_IN_TRANSACTION_MS = 60_000
/** Attempts of a transaction that PostgreSQL ended because of another one. */
const MOST_ATTEMPTS = 20
const LONGEST_PAUSE_MS = 200
// Any number that no other application uses for its advisory locks in the same database.
const EXCLUSIVE_LOCK = 7_528_228_200

/** Returns whether the place of the state is a PostgreSQL URL, not the path of a SQLite file. */
export function isPostgresUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}

/** Returns the place of the state for messages. The user, the password and the options of a URL are left out. */
export function placeName(place: string): string {
  if (!isPostgresUrl(place)) return place
  return URL.canParse(place) ? `postgres://${new URL(place).host}${new URL(place).pathname}` : 'postgres://…'
}

/** Connects to PostgreSQL. @throws `bad_config` when the package `pg` is not installed or nothing answers. */
export async function openPostgres(
  url: string,
  { connections = CONNECTIONS }: PostgresOptions = {},
): Promise<PostgresDatabase> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new AppError(
      'bad_config',
      'PLATBOOK_STATE is a PostgreSQL URL, but the package pg is not installed: run `npm ci` without --omit=optional',
      { cause },
    )
  })
  const parserOf = pg.types.getTypeParser as (
    oid: number,
    format?: 'text' | 'binary',
  ) => (text: string) => unknown
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    application_name: 'platbook',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === BIGINT || oid === NUMERIC ? Number : parserOf(oid, format),
    },
  })
  // A connection that breaks while it is idle is replaced by the next statement.
  pool.on('error', () => undefined)
  try {
    const client = await pool.connect()
    client.release()
    return new PostgresDatabase(pool)
  } catch (cause) {
    await pool.end()
    throw new AppError('bad_config', `the state in ${placeName(url)} cannot be opened: ${messageOf(cause)}`, {
      cause,
    })
  }
}

interface Transaction {
  readonly client: PoolClient
  isOpen: boolean
}

/** The state in PostgreSQL. Each transaction has a connection of its own. */
export class PostgresDatabase implements Database {
  readonly kind = 'postgres'
  readonly skipLocked = 'for update skip locked'
  readonly #pool: Pool
  readonly #statements = new Map<string, Statement>()
  /** The transaction to which the current asynchronous call belongs. */
  readonly #own = new AsyncLocalStorage<Transaction>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async all(sql: string, ...parameters: Parameters): Promise<StoredRow[]> {
    const { rows } = await this.#query(sql, parameters)
    return rows
  }

  async get(sql: string, ...parameters: Parameters): Promise<StoredRow | undefined> {
    const { rows } = await this.#query(sql, parameters)
    return rows[0]
  }

  async run(sql: string, ...parameters: Parameters): Promise<{ changes: number }> {
    const { rowCount } = await this.#query(sql, parameters)
    return { changes: rowCount ?? 0 }
  }

  async exec(sql: string): Promise<void> {
    await this.#connection().query(toPostgres(sql))
  }

  async transaction<T>(
    body: () => Promise<T>,
    { isolation = 'serializable' }: TransactionOptions = {},
  ): Promise<T> {
    if (this.#own.getStore()?.isOpen === true) return body()
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(body, isolation)
      } catch (cause) {
        if (!isConflict(cause) || attempt === MOST_ATTEMPTS) throw cause
      }
      await delay(Math.random() * Math.min(2 ** attempt, LONGEST_PAUSE_MS))
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }

  async #attempt<T>(
    body: () => Promise<T>,
    isolation: NonNullable<TransactionOptions['isolation']>,
  ): Promise<T> {
    const client = await this.#pool.connect()
    const own = { client, isOpen: true }
    let broken: Error | undefined
    try {
      const level = isolation === 'serializable' ? 'serializable' : 'read committed'
      await client.query(`begin isolation level ${level}`)
      if (isolation === 'exclusive') await client.query(`select pg_advisory_xact_lock(${EXCLUSIVE_LOCK})`)
      const result = await this.#own.run(own, body)
      await client.query('commit')
      return result
    } catch (cause) {
      await client.query('rollback').catch((fault: Error) => (broken = fault))
      throw cause
    } finally {
      own.isOpen = false
      client.release(broken)
    }
  }

  #connection(): Pool | PoolClient {
    const own = this.#own.getStore()
    return own?.isOpen === true ? own.client : this.#pool
  }

  #query(sql: string, parameters: Parameters): Promise<QueryResult<StoredRow>> {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = numbered(sql)
      const [oldest] = this.#statements.size < MOST_STATEMENTS ? [] : this.#statements.keys()
      if (oldest !== undefined) this.#statements.delete(oldest)
      this.#statements.set(sql, statement)
    }
    const { text, names } = statement
    const [named] = parameters
    const values: unknown[] = isNamed(named) ? names.map((name) => named[name]) : [...parameters]
    return this.#connection().query<StoredRow>(text, values)
  }
}

const MOST_STATEMENTS = 200

function isNamed(parameter: Parameters[number] | undefined): parameter is Readonly<Record<string, Value>> {
  return typeof parameter === 'object' && parameter !== null && !ArrayBuffer.isView(parameter)
}

interface Statement {
  readonly text: string
  /** The names of the parameters `$1`, `$2`, …; empty when the statement has `?`. */
  readonly names: readonly string[]
}

/** Replaces `?` and `$name` outside of quotes by `$1`, `$2`, … */
export function numbered(sql: string): Statement {
  const names: string[] = []
  let count = 0
  const text = sql.replaceAll(/'[^']*'|"[^"]*"|\?|\$([a-z_]+)/g, (found: string, name?: string) => {
    if (found === '?') return `$${(count += 1)}`
    if (name === undefined) return found
    const known = names.indexOf(name)
    return `$${known < 0 ? names.push(name) : known + 1}`
  })
  return { text, names }
}
