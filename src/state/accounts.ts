import type { Database } from './database.ts'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { checkedName } from './checked-name.ts'
import { randomText } from './random-text.ts'
import { type Columns, insertRow, readRow, readRows, updateRows } from './rows.ts'

export const Invitation = z.enum(['webhooks', 'events'])
export type Invitation = z.output<typeof Invitation>

/**
 * `live` accounts are billed. The `demo` account of `platbook start` reads the same data and is never billed.
 * `test` accounts get responses from made-up data and are never billed.
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
  readonly #db: Database
  readonly #now: Clock

  constructor(db: Database, now: Clock) {
    this.#db = db
    this.#now = now
  }

  async create({
    kind = 'live',
    plan = 'standard',
    invitations = [],
    ...terms
  }: NewAccount): Promise<Account> {
    const account_id = `acct_${randomText(16)}`
    const created_at = this.#now().toISOString()
    const columns = columnsOf({ ...terms, plan, invitations })
    await insertRow(this.#db, 'accounts', { account_id, kind, created_at, ...columns })
    return this.get(account_id)
  }

  async get(account_id: string): Promise<Account> {
    const account = await readRow(
      this.#db,
      Row,
      `select ${COLUMNS} from accounts where account_id = ?`,
      account_id,
    )
    if (account !== null) return account
    throw new AppError(
      'unknown_id',
      `there is no account ${account_id}: \`platbook accounts list\` shows the ids`,
    )
  }

  /** Returns all accounts, oldest first. */
  async list(): Promise<Account[]> {
    return readRows(this.#db, Row, `select ${COLUMNS} from accounts order by created_at, rowid`)
  }

  /** Changes the given terms. Running servers apply the change within two seconds (`KeyRing`). */
  async update(account_id: string, terms: Partial<AccountTerms>): Promise<Account> {
    await updateRows(this.#db, 'accounts', columnsOf(terms), { account_id })
    return this.get(account_id)
  }
}

/** Checks the given terms and returns them as columns. */
function columnsOf({ name, plan, monthly_cap, invitations }: Partial<AccountTerms>): Columns {
  return {
    name: name === undefined ? undefined : checkedName('an account', name),
    plan: plan === undefined ? undefined : checkedName('a plan', plan),
    monthly_cap,
    invitations: invitations && JSON.stringify(invitations),
  }
}
