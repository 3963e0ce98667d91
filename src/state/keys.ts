import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'

export const Invitation = z.enum(['webhooks', 'events'])
export type Invitation = z.output<typeof Invitation>

const Row = z.object({
  api_key_id: z.string(),
  name: z.string(),
  plan: z.string(),
  monthly_cap: z.number().nullable(),
  rate_per_second: z.number().nullable(),
  burst: z.number().nullable(),
  invitations: z.string().transform((json) => z.array(Invitation).parse(JSON.parse(json))),
  is_test: z.number().transform((flag) => flag === 1),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
})
/** What is known of a key; never the key itself. Null in `monthly_cap`: none; in `rate_per_second`, `burst`: the server's default. */
export type Key = Readonly<z.output<typeof Row>>

export interface NewKey {
  readonly name: string
  readonly plan?: string
  readonly monthly_cap?: number | null
  readonly rate_per_second?: number | null
  readonly burst?: number | null
  readonly invitations?: readonly Invitation[]
  readonly is_test?: boolean
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET = /^pk_[0-9A-Za-z]{32}$/
const COLUMNS =
  'api_key_id, name, plan, monthly_cap, rate_per_second, burst, invitations, is_test, created_at, revoked_at'

/** The keys of the state file. Every call reads the file: another process's change is seen at once. */
export class KeyStore {
  readonly #db: DatabaseSync
  readonly #now: Clock
  readonly #byHash: StatementSync

  constructor(db: DatabaseSync, now: Clock) {
    this.#db = db
    this.#now = now
    this.#byHash = db.prepare(`select ${COLUMNS}, hash from keys where hash = ? and revoked_at is null`)
  }

  /** Makes a key. `secret` is what the caller sends as `X-Api-Key`; it can't be had again. */
  create(wanted: NewKey): { secret: string; key: Key } {
    if (wanted.name.trim() === '') throw new AppError('bad_usage', 'a key needs a name')
    // 32 characters of 62 are 190.5 bits of `crypto`'s generator.
    const secret = `pk_${randomText(32)}`
    const api_key_id = `key_${randomText(16)}`
    this.#db
      .prepare(
        `insert into keys (api_key_id, hash, name, plan, monthly_cap, rate_per_second, burst, invitations, is_test, created_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        api_key_id,
        hashOf(secret),
        wanted.name.trim(),
        wanted.plan ?? 'standard',
        wanted.monthly_cap ?? null,
        wanted.rate_per_second ?? null,
        wanted.burst ?? null,
        JSON.stringify(wanted.invitations ?? []),
        wanted.is_test === true ? 1 : 0,
        this.#now().toISOString(),
      )
    return { secret, key: this.get(api_key_id) }
  }

  /** The live key that `secret` belongs to; null when there is none or it was revoked. */
  find(secret: string): Key | null {
    if (!SECRET.test(secret)) return null
    const hash = hashOf(secret)
    const row = this.#byHash.get(hash)
    if (row === undefined || !timingSafeEqual(hash, row['hash'] as Uint8Array)) return null
    return Row.parse(row)
  }

  get(api_key_id: string): Key {
    const row = this.#db.prepare(`select ${COLUMNS} from keys where api_key_id = ?`).get(api_key_id)
    if (row === undefined) {
      throw new AppError('unknown_id', `there is no key ${api_key_id}: \`platbook keys list\` shows them`)
    }
    return Row.parse(row)
  }

  /** All keys, oldest first, revoked ones too. */
  list(): Key[] {
    return this.#db
      .prepare(`select ${COLUMNS} from keys order by created_at, api_key_id`)
      .all()
      .map((row) => Row.parse(row))
  }

  /** Ends a key for good; servers notice within seconds. Revoking twice keeps the first time. */
  revoke(api_key_id: string): Key {
    this.#db
      .prepare('update keys set revoked_at = coalesce(revoked_at, ?) where api_key_id = ?')
      .run(this.#now().toISOString(), api_key_id)
    return this.get(api_key_id)
  }
}

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

/** So many base62 characters of `crypto`'s generator. */
export function randomText(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(62)]).join('')
}
