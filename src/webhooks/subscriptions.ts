import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import { randomText } from '../state/random-text.ts'
import { type Columns, insertRow, readRow, readRows, updateRows } from '../state/rows.ts'
import { inTransaction } from '../state/transaction.ts'
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
  select 1 from accounts, json_each(accounts.invitations) as invitation
  where accounts.account_id = subscriptions.account_id and accounts.kind <> 'test' and invitation.value = 'webhooks'
) and exists (
  select 1 from keys
  where keys.account_id = subscriptions.account_id and keys.revoked_at is null
    and (keys.expires_at is null or keys.expires_at > $at)
)`

/** The subscriptions and secrets in the state file. Every call reads the file, so changes by other processes are visible at once. */
export class Subscriptions {
  readonly #db: DatabaseSync
  readonly #sealer: Sealer
  readonly #now: Clock

  constructor(db: DatabaseSync, sealer: Sealer, now: Clock) {
    this.#db = db
    this.#sealer = sealer
    this.#now = now
  }

  /** Stores an active subscription with the id and secret of its test notification. @throws `conflict` as `refuseDuplicate` does. */
  create(subscription_id: string, secret: string, wanted: Wanted): Subscription {
    const at = this.#now().toISOString()
    const { account_id, url, name, event_type, region, area } = wanted
    const columns = { account_id, url, name, event_type, region, area, created_at: at, updated_at: at }
    return this.#orConflict(() =>
      inTransaction(this.#db, () => {
        insertRow(this.#db, 'subscriptions', { subscription_id, ...columns, status: 'active' })
        this.#insertSecret(subscription_id, secret)
        return this.get(account_id, subscription_id)
      }),
    )
  }

  /** @throws `conflict` when the account has an active subscription with the same url, event type and area (except the id `except`). */
  refuseDuplicate({ account_id, url, event_type, area }: Wanted, except = ''): void {
    const duplicate = this.#db
      .prepare(
        `select 1 from subscriptions
         where account_id = ? and url = ? and event_type = ? and area = ? and status = 'active' and subscription_id <> ?`,
      )
      .get(account_id, url, event_type, area, except)
    if (duplicate !== undefined) throw conflict()
  }

  /** Returns a subscription of an account. @throws `not_found` */
  get(account_id: string, subscription_id: string): Subscription {
    const found = this.#read(subscription_id)
    if (found?.account_id === account_id) return found
    throw new AppError('not_found', `there is no webhook with the id ${subscription_id}`)
  }

  /** Returns a subscription of any account, for operators. @throws `unknown_id` */
  find(subscription_id: string): Subscription {
    const found = this.#read(subscription_id)
    if (found !== null) return found
    const hint = '`platbook webhooks list` shows them'
    throw new AppError('unknown_id', `there is no webhook ${subscription_id}: ${hint}`)
  }

  /** Returns subscriptions, oldest first. `event_type` is compared with the subscription's own text, such as `deed.*`. */
  list(
    filter: {
      account_id?: string | undefined
      status?: string | undefined
      event_type?: string | undefined
    } = {},
  ): Subscription[] {
    const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const where = given.length === 0 ? '' : `where ${given.map(([name]) => `${name} = ?`).join(' and ')}`
    const sql = `select ${COLUMNS} from subscriptions ${where} order by created_at, rowid`
    return readRows(this.#db, Row, sql, ...given.map(([, value]) => value))
  }

  /** Changes the given fields. A new URL, or activation, resets failures and pauses. */
  update(account_id: string, subscription_id: string, changes: Changes): Subscription {
    const { status, url } = changes
    const columns: Columns = {
      ...changes,
      ...(status === undefined ? {} : { inactive_reason: status === 'active' ? null : 'asked' }),
      ...(status === 'active' || url !== undefined ? { failing_since: null, quiet_until: 0 } : {}),
      updated_at: this.#now().toISOString(),
    }
    return this.#orConflict(() => {
      updateRows(this.#db, 'subscriptions', columns, { subscription_id, account_id })
      return this.get(account_id, subscription_id)
    })
  }

  /** Deletes a subscription with its secrets, deliveries and log. */
  delete(account_id: string, subscription_id: string): void {
    this.get(account_id, subscription_id)
    this.#db.prepare('delete from subscriptions where subscription_id = ?').run(subscription_id)
  }

  /** Creates and returns a new secret. The replaced secret also signs for 24 hours. */
  rotateSecret(account_id: string, subscription_id: string): string {
    const secret = createSecret()
    const at = this.#now()
    inTransaction(this.#db, () => {
      this.update(account_id, subscription_id, {})
      this.#db
        .prepare('delete from signing_secrets where subscription_id = ? and expires_at <= ?')
        .run(subscription_id, at.getTime())
      this.#db
        .prepare('update signing_secrets set expires_at = ? where subscription_id = ? and expires_at is null')
        .run(at.getTime() + ROTATION_MS, subscription_id)
      this.#insertSecret(subscription_id, secret)
    })
    return secret
  }

  /** Returns the secrets that sign notifications now, newest first. */
  secrets(subscription_id: string): string[] {
    return this.#db
      .prepare(
        `select secret from signing_secrets
         where subscription_id = ? and (expires_at is null or expires_at > ?) order by secret_id desc`,
      )
      .all(subscription_id, this.#now().getTime())
      .map((row) => this.#sealer.open(row['secret'] as Uint8Array, subscription_id))
  }

  /** Encrypts secrets again that are stored as plain text although a key exists, or with an older key. */
  sealAgain(): void {
    const rows = this.#db.prepare('select secret_id, subscription_id, secret from signing_secrets').all()
    const stale = rows.filter((row) =>
      this.#sealer.isStale(row['secret'] as Uint8Array, String(row['subscription_id'])),
    )
    if (stale.length === 0) return
    const update = this.#db.prepare('update signing_secrets set secret = ? where secret_id = ?')
    inTransaction(this.#db, () => {
      for (const row of stale) {
        const owner = String(row['subscription_id'])
        const secret = this.#sealer.open(row['secret'] as Uint8Array, owner)
        update.run(this.#sealer.seal(secret, owner), Number(row['secret_id']))
      }
    })
  }

  #read(subscription_id: string): Subscription | null {
    const sql = `select ${COLUMNS} from subscriptions where subscription_id = ?`
    return readRow(this.#db, Row, sql, subscription_id)
  }

  #insertSecret(subscription_id: string, secret: string): void {
    const sealed = this.#sealer.seal(secret, subscription_id)
    insertRow(this.#db, 'signing_secrets', { subscription_id, secret: sealed })
  }

  #orConflict<T>(body: () => T): T {
    try {
      return body()
    } catch (cause) {
      if (messageOf(cause).includes('UNIQUE constraint failed')) throw conflict(cause)
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
