import type { Database } from '../state/database.ts'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isDuplicate } from '../state/faults.ts'
import { randomText } from '../state/random-text.ts'
import { type Columns, insertRow, readRow, readRows, updateRows } from '../state/rows.ts'
import type { Sealer } from './sealing.ts'
import { createSecret } from './signing.ts'

const Row = z.object({
  subscription_id: z.string(),
  account_id: z.string(),
  url: z.string(),
  name: z.string().nullable(),
  event_type: z.string(),
  region: z.string(),
  area: z.string(),
  status: z.enum(['active', 'inactive']),
  inactive_reason: z.enum(['asked', 'gone', 'failing']).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
/** A subscription. `area` is the meaning of `region`: a state code (`TX`) or the FIPS code of a county (`48453`). */
export type Subscription = Readonly<z.output<typeof Row>>

export type Wanted = Pick<Subscription, 'account_id' | 'url' | 'name' | 'event_type' | 'region' | 'area'>
export type Changes = Partial<
  Pick<Subscription, 'url' | 'name' | 'event_type' | 'region' | 'area' | 'status'>
>

const COLUMNS = Row.keyof().options.join(', ')
/** Milliseconds for which a replaced secret also signs. */
const ROTATION_MS = 24 * 3_600_000

/** The event type of a subscription to all deed events. */
export const ALL_EVENT_TYPES = 'deed.*'

/**
 * SQL condition: a row of `subscriptions` receives notifications at `$at` (milliseconds since 1970). The subscription must be
 * active. Its account must be invited, must not be a test account, and must have a key that is neither revoked nor expired.
 */
export const RECEIVES_NOTIFICATIONS = `subscriptions.status = 'active' and exists (
  select 1 from accounts
  where accounts.account_id = subscriptions.account_id and accounts.kind <> 'test'
    and accounts.invitations like '%"webhooks"%'
) and exists (
  select 1 from keys
  where keys.account_id = subscriptions.account_id and keys.revoked_at is null
    and (keys.expires_at is null or keys.expires_at > $at)
)`

/** The subscriptions and secrets in the state file. Every call reads the file, so changes by other processes are visible at once. */
export class Subscriptions {
  readonly #db: Database
  readonly #sealer: Sealer
  readonly #now: Clock

  constructor(db: Database, sealer: Sealer, now: Clock) {
    this.#db = db
    this.#sealer = sealer
    this.#now = now
  }

  /** Stores an active subscription with the id and secret of its test notification. @throws `conflict` as `refuseDuplicate` does. */
  async create(subscription_id: string, secret: string, wanted: Wanted): Promise<Subscription> {
    const at = this.#now().toISOString()
    const { account_id, url, name, event_type, region, area } = wanted
    const columns = { account_id, url, name, event_type, region, area, created_at: at, updated_at: at }
    return this.#orConflict(() =>
      this.#db.transaction(async () => {
        await insertRow(this.#db, 'subscriptions', { subscription_id, ...columns, status: 'active' })
        await this.#insertSecret(subscription_id, secret)
        return this.get(account_id, subscription_id)
      }),
    )
  }

  /** @throws `conflict` when the account has an active subscription with the same url, event type and area (except the id `except`). */
  async refuseDuplicate({ account_id, url, event_type, area }: Wanted, except = ''): Promise<void> {
    const duplicate = await this.#db.get(
      `select 1 from subscriptions
         where account_id = ? and url = ? and event_type = ? and area = ? and status = 'active' and subscription_id <> ?`,
      account_id,
      url,
      event_type,
      area,
      except,
    )
    if (duplicate !== undefined) throw conflict()
  }

  /** Returns a subscription of an account. @throws `not_found` */
  async get(account_id: string, subscription_id: string): Promise<Subscription> {
    const found = await this.#read(subscription_id)
    if (found?.account_id === account_id) return found
    throw new AppError('not_found', `there is no webhook with the id ${subscription_id}`)
  }

  /** Returns a subscription of any account, for operators. @throws `unknown_id` */
  async find(subscription_id: string): Promise<Subscription> {
    const found = await this.#read(subscription_id)
    if (found !== null) return found
    const hint = '`platbook webhooks list` shows them'
    throw new AppError('unknown_id', `there is no webhook ${subscription_id}: ${hint}`)
  }

  /** Returns subscriptions, oldest first. `event_type` is compared with the subscription's own text, such as `deed.*`. */
  async list(
    filter: {
      account_id?: string | undefined
      status?: string | undefined
      event_type?: string | undefined
    } = {},
  ): Promise<Subscription[]> {
    const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const where = given.length === 0 ? '' : `where ${given.map(([name]) => `${name} = ?`).join(' and ')}`
    const sql = `select ${COLUMNS} from subscriptions ${where} order by created_at, rowid`
    return readRows(this.#db, Row, sql, ...given.map(([, value]) => value))
  }

  /** Changes the given fields. A new URL, or activation, resets failures and pauses. */
  async update(account_id: string, subscription_id: string, changes: Changes): Promise<Subscription> {
    const { status, url } = changes
    const columns: Columns = {
      ...changes,
      ...(status === undefined ? {} : { inactive_reason: status === 'active' ? null : 'asked' }),
      ...(status === 'active' || url !== undefined ? { failing_since: null, quiet_until: 0 } : {}),
      updated_at: this.#now().toISOString(),
    }
    return this.#orConflict(async () => {
      await updateRows(this.#db, 'subscriptions', columns, { subscription_id, account_id })
      return this.get(account_id, subscription_id)
    })
  }

  /** Deletes a subscription with its secrets, deliveries and log. */
  async delete(account_id: string, subscription_id: string): Promise<void> {
    await this.get(account_id, subscription_id)
    await this.#db.run('delete from subscriptions where subscription_id = ?', subscription_id)
  }

  /** Creates and returns a new secret. The replaced secret also signs for 24 hours. */
  async rotateSecret(account_id: string, subscription_id: string): Promise<string> {
    const secret = createSecret()
    const at = this.#now()
    await this.#db.transaction(async () => {
      await this.update(account_id, subscription_id, {})
      await this.#db.run(
        'delete from signing_secrets where subscription_id = ? and expires_at <= ?',
        subscription_id,
        at.getTime(),
      )
      await this.#db.run(
        'update signing_secrets set expires_at = ? where subscription_id = ? and expires_at is null',
        at.getTime() + ROTATION_MS,
        subscription_id,
      )
      await this.#insertSecret(subscription_id, secret)
    })
    return secret
  }

  /** Returns the secrets that sign notifications now, newest first. */
  async secrets(subscription_id: string): Promise<string[]> {
    return (
      await this.#db.all(
        `select secret from signing_secrets
         where subscription_id = ? and (expires_at is null or expires_at > ?) order by secret_id desc`,
        subscription_id,
        this.#now().getTime(),
      )
    ).map((row) => this.#sealer.open(row['secret'] as Uint8Array, subscription_id))
  }

  /** Encrypts secrets again that are stored as plain text although a key exists, or with an older key. */
  async sealAgain(): Promise<void> {
    const rows = await this.#db.all('select secret_id, subscription_id, secret from signing_secrets')
    const stale = rows.filter((row) =>
      this.#sealer.isStale(row['secret'] as Uint8Array, String(row['subscription_id'])),
    )
    if (stale.length === 0) return
    await this.#db.transaction(async () => {
      for (const row of stale) {
        const owner = String(row['subscription_id'])
        const secret = this.#sealer.open(row['secret'] as Uint8Array, owner)
        await this.#db.run(
          'update signing_secrets set secret = ? where secret_id = ?',
          this.#sealer.seal(secret, owner),
          Number(row['secret_id']),
        )
      }
    })
  }

  async #read(subscription_id: string): Promise<Subscription | null> {
    const sql = `select ${COLUMNS} from subscriptions where subscription_id = ?`
    return readRow(this.#db, Row, sql, subscription_id)
  }

  async #insertSecret(subscription_id: string, secret: string): Promise<void> {
    const sealed = this.#sealer.seal(secret, subscription_id)
    await insertRow(this.#db, 'signing_secrets', { subscription_id, secret: sealed })
  }

  async #orConflict<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body()
    } catch (cause) {
      if (isDuplicate(cause)) throw conflict(cause)
      throw cause
    }
  }
}

function conflict(cause?: unknown): AppError {
  return new AppError(
    'conflict',
    'the account already has an active webhook with the same url, event_type and region',
    { cause },
  )
}

/** Returns a new id: `wh_` and 22 base62 characters. */
export function createSubscriptionId(): string {
  return `wh_${randomText(22)}`
}
