import { createHash, timingSafeEqual } from 'node:crypto'
import type { Database } from './database.ts'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { ACCOUNT_COLUMNS, type AccountStore, type NewAccount } from './accounts.ts'
import { checkedNetwork } from './allowed-addresses.ts'
import { checkedName } from './checked-name.ts'
import { Purpose } from './purposes.ts'
import { randomText } from './random-text.ts'
import { type Columns, insertRow, readRow, readRows, updateRows } from './rows.ts'
import { Scope } from './scopes.ts'

const jsonOrNull = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .nullable()
    .transform((json) => (json === null ? null : z.array(schema).parse(JSON.parse(json))))

const Row = z
  .object({
    api_key_id: z.string(),
    account_id: z.string(),
    name: z.string(),
    account_name: z.string(),
    ...ACCOUNT_COLUMNS,
    rate_per_second: z.number().nullable(),
    burst: z.number().nullable(),
    scopes: jsonOrNull(Scope),
    allowed_addresses: jsonOrNull(z.string()),
    purpose: Purpose,
    created_at: z.string(),
    expires_at: z
      .number()
      .nullable()
      .transform((at) => (at === null ? null : new Date(at).toISOString())),
    revoked_at: z.string().nullable(),
    rotated_from: z.string().nullable(),
  })
  .transform((row) => ({ ...row, is_test: row.kind === 'test', is_billed: row.kind === 'live' }))
/**
 * A key with the terms of its account, without the secret. Meaning of null: `monthly_cap` no cap, `rate_per_second` and `burst`
 * the server's default, `scopes` all scopes, `allowed_addresses` every address, `expires_at` never.
 */
export type Key = Readonly<z.output<typeof Row>>

interface Limits {
  readonly name: string
  readonly rate_per_second?: number | null
  readonly burst?: number | null
  readonly scopes?: readonly Scope[] | null
  readonly allowed_addresses?: readonly string[] | null
  readonly purpose?: Purpose
  readonly expires_at?: Date | null
}

/** The terms of a new key. Without `account_id`, a new account is created with the account terms given here. */
export interface NewKey extends Limits, Omit<NewAccount, 'name'> {
  readonly account_id?: string
}

/** Changes of a key. The purpose cannot change, because access events look it up by the key. */
export type KeyChanges = Partial<Omit<Limits, 'purpose'>>

const SECRET = /^pk_[0-9A-Za-z]{32}$/
const COLUMNS = `api_key_id, keys.account_id, keys.name, accounts.name as account_name, plan, monthly_cap, invitations,
  kind, rate_per_second, burst, scopes, allowed_addresses, purpose, keys.created_at, expires_at, revoked_at, rotated_from`
const SELECT = `select ${COLUMNS}, hash from keys join accounts on accounts.account_id = keys.account_id`

/** The keys of the state file. Every call reads the file, so changes by other processes are visible at once. */
export class KeyStore {
  readonly #db: Database
  readonly #accounts: AccountStore
  readonly #now: Clock

  constructor(db: Database, accounts: AccountStore, now: Clock) {
    this.#db = db
    this.#accounts = accounts
    this.#now = now
  }

  /** Creates a key. `secret` is the text that callers send as `X-Api-Key`. It is not stored and cannot be shown again. */
  async create(wanted: NewKey): Promise<{ secret: string; key: Key }> {
    return this.#db.transaction(async () => {
      const name = checkedName('a key', wanted.name)
      const { account_id } =
        wanted.account_id === undefined
          ? await this.#accounts.create({ ...wanted, name })
          : await this.#accounts.get(wanted.account_id)
      return this.#insert({ ...wanted, name }, account_id, null)
    })
  }

  /**
   * Creates a key that replaces another one. It has the same account, limits and purpose, except for `changes`.
   * The replaced key expires after `graceMs` milliseconds, or at its own expiry if that is earlier.
   */
  async rotate(
    api_key_id: string,
    graceMs: number,
    changes: Partial<Limits> = {},
  ): Promise<{ secret: string; key: Key; replaced: Key }> {
    return this.#db.transaction(async () => {
      const before = await this.get(api_key_id)
      const now = this.#now()
      if (before.revoked_at !== null) {
        throw new AppError(
          'bad_usage',
          `${api_key_id} was revoked on ${before.revoked_at}: create a new key with \`platbook keys create\``,
        )
      }
      if (before.expires_at !== null && Date.parse(before.expires_at) <= now.getTime()) {
        throw new AppError(
          'bad_usage',
          `${api_key_id} expired on ${before.expires_at}: create a new key with \`platbook keys create\``,
        )
      }
      const next = await this.#db.get('select api_key_id from keys where rotated_from = ?', api_key_id)
      if (next !== undefined) {
        throw new AppError('bad_usage', `${api_key_id} was already replaced by ${String(next['api_key_id'])}`)
      }
      const expires_at = before.expires_at === null ? null : new Date(before.expires_at)
      const wanted = { ...before, expires_at, ...changes }
      const made = await this.#insert(wanted, before.account_id, api_key_id)
      await this.#db.run(
        `update keys set expires_at = $end where api_key_id = $id and (expires_at is null or expires_at > $end)`,
        { end: now.getTime() + graceMs, id: api_key_id },
      )
      return { ...made, replaced: await this.get(api_key_id) }
    })
  }

  /** Changes the given limits. Running servers apply the change within two seconds (`KeyRing`). */
  async update(api_key_id: string, changes: KeyChanges): Promise<Key> {
    const { name } = await this.get(api_key_id)
    await updateRows(this.#db, 'keys', columnsOf({ name, ...changes }, this.#now()), { api_key_id })
    return this.get(api_key_id)
  }

  /** Returns the key with this secret; null when it is unknown, expired or revoked. */
  async find(secret: string): Promise<Key | null> {
    if (!SECRET.test(secret)) return null
    const hash = hashOf(secret)
    const row = await this.#db.get(
      `${SELECT} where hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)`,
      hash,
      this.#now().getTime(),
    )
    if (row === undefined || !timingSafeEqual(hash, row['hash'] as Uint8Array)) return null
    return Row.parse(row)
  }

  async get(api_key_id: string): Promise<Key> {
    const key = await readRow(this.#db, Row, `${SELECT} where api_key_id = ?`, api_key_id)
    if (key !== null) return key
    throw new AppError('unknown_id', `there is no key ${api_key_id}: \`platbook keys list\` shows them`)
  }

  /** Returns all keys, or those of one account, oldest first, including revoked and expired keys. */
  async list(account_id?: string): Promise<Key[]> {
    const which = 'cast($account_id as text) is null or keys.account_id = $account_id'
    const sql = `${SELECT} where ${which} order by keys.created_at, keys.rowid`
    return readRows(this.#db, Row, sql, { account_id: account_id ?? null })
  }

  /** Revokes a key for good. Servers refuse it within two seconds. A second call keeps the first time of revocation. */
  async revoke(api_key_id: string): Promise<Key> {
    await this.#db.run(
      'update keys set revoked_at = coalesce(revoked_at, ?) where api_key_id = ?',
      this.#now().toISOString(),
      api_key_id,
    )
    return this.get(api_key_id)
  }

  /** Returns the time of the newest written access event of a key; null when the key was never used. */
  async lastUsedAt(api_key_id: string): Promise<Date | null> {
    const row = await this.#db.get(
      'select max(event_ts) as last from access_events where api_key_id = ?',
      api_key_id,
    )
    const last = row?.['last']
    return typeof last === 'number' ? new Date(last) : null
  }

  async #insert(
    wanted: Limits,
    account_id: string,
    rotated_from: string | null,
  ): Promise<{ secret: string; key: Key }> {
    // 32 base62 characters are 190 random bits.
    const secret = `pk_${randomText(32)}`
    const api_key_id = `key_${randomText(16)}`
    const now = this.#now()
    await insertRow(this.#db, 'keys', {
      ...columnsOf({ purpose: 'none', ...wanted }, now),
      api_key_id,
      account_id,
      hash: hashOf(secret),
      created_at: now.toISOString(),
      rotated_from,
    })
    return { secret, key: await this.get(api_key_id) }
  }
}

/** Checks the given values and returns them as columns. */
function columnsOf(given: Limits, now: Date): Columns {
  const { name, rate_per_second, burst, purpose, scopes, allowed_addresses, expires_at } = given
  if (expires_at !== undefined && expires_at !== null && expires_at <= now) {
    throw new AppError(
      'bad_usage',
      `the expiry ${expires_at.toISOString()} is in the past: choose a later time`,
    )
  }
  if (scopes?.length === 0) throw new AppError('bad_usage', 'a key needs at least one scope')
  if (allowed_addresses?.length === 0)
    throw new AppError('bad_usage', 'a key with allowed addresses needs at least one address')
  return {
    name: checkedName('a key', name),
    rate_per_second,
    burst,
    purpose,
    // `&&` keeps undefined (no change) and null (no limit).
    scopes: scopes && JSON.stringify(scopes),
    allowed_addresses: allowed_addresses && JSON.stringify(allowed_addresses.map(checkedNetwork)),
    expires_at: expires_at && expires_at.getTime(),
  }
}

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}
