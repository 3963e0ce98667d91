import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { checkedName } from './checked-name.ts'
import { randomText } from './random-text.ts'

export const Invitation = z.enum(['webhooks', 'events'])
export type Invitation = z.output<typeof Invitation>

/**
 * `live` accounts are billed. The `demo` account of `platbook start` reads the same data and is never billed.
 * `test` accounts get answers from made-up data and are never billed.
 */
export const AccountKind = z.enum(['live', 'demo', 'test'])
export type AccountKind = z.output<typeof AccountKind>

/** Columns that two row schemas share: accounts, and keys joined with their account. */
export const ACCOUNT_COLUMNS = {
  plan: z.string(),
  monthly_cap: z.number().nullable(),
  invitations: z.string().transform((json) => z.array(Invitation).parse(JSON.parse(json))),
  kind: AccountKind,
}

const Row = z.object({
  account_id: z.string(),
  name: z.string(),
  ...ACCOUNT_COLUMNS,
  created_at: z.string(),
})
/** A customer with one or more keys. `monthly_cap` is null when the account has no cap. */
export type Account = Readonly<z.output<typeof Row>>

export interface AccountTerms {
  readonly name: string
  readonly plan?: string
  readonly monthly_cap?: number | null
  readonly invitations?: readonly Invitation[]
}

export interface NewAccount extends AccountTerms {
  readonly kind?: AccountKind
}

const COLUMNS = Row.keyof().options.join(', ')

/** The accounts of the state file. Every call reads the file, so changes by other processes are visible at once. */
export class AccountStore {
  readonly #db: DatabaseSync
  readonly #now: Clock

  constructor(db: DatabaseSync, now: Clock) {
    this.#db = db
    this.#now = now
  }

  create({ name, plan, monthly_cap, invitations, kind }: NewAccount): Account {
    const account_id = `acct_${randomText(16)}`
    this.#db
      .prepare(`insert into accounts (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`)
      .run(
        account_id,
        checkedName('an account', name),
        checkedName('a plan', plan ?? 'standard'),
        monthly_cap ?? null,
        JSON.stringify(invitations ?? []),
        kind ?? 'live',
        this.#now().toISOString(),
      )
    return this.get(account_id)
  }

  get(account_id: string): Account {
    const row = this.#db.prepare(`select ${COLUMNS} from accounts where account_id = ?`).get(account_id)
    if (row === undefined) {
      throw new AppError(
        'unknown_id',
        `there is no account ${account_id}: \`platbook accounts list\` shows the ids`,
      )
    }
    return Row.parse(row)
  }

  /** Returns all accounts, oldest first. */
  list(): Account[] {
    return this.#db
      .prepare(`select ${COLUMNS} from accounts order by created_at, rowid`)
      .all()
      .map((row) => Row.parse(row))
  }

  /** Changes the given terms. Running servers apply the change within two seconds (`KeyRing`). */
  update(account_id: string, terms: Partial<AccountTerms>): Account {
    const set: Record<string, SQLInputValue> = {}
    if (terms.name !== undefined) set['name'] = checkedName('an account', terms.name)
    if (terms.plan !== undefined) set['plan'] = checkedName('a plan', terms.plan)
    if (terms.monthly_cap !== undefined) set['monthly_cap'] = terms.monthly_cap
    if (terms.invitations !== undefined) set['invitations'] = JSON.stringify(terms.invitations)
    const names = Object.keys(set)
    if (names.length > 0) {
      this.#db
        .prepare(`update accounts set ${names.map((name) => `${name} = ?`).join(', ')} where account_id = ?`)
        .run(...Object.values(set), account_id)
    }
    return this.get(account_id)
  }
}
