import { parseArgs } from 'node:util'
import type { Account, AccountTerms } from '../../state/accounts.ts'
import type { State } from '../../state/open.ts'
import { monthOf } from '../../state/usage.ts'
import { countOf, invitationsOf } from '../account-options.ts'
import { runStateAct, type StateActs, usageErrors } from '../acts.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { tableLines } from '../table.ts'
import { publishTestData } from '../test-data.ts'

export const summary = 'creates, lists and updates accounts; an account has one or more keys'
export const usage = `platbook accounts create --name TEXT [--plan TEXT] [--cap N] [--invite webhooks,events] [--test]
       platbook accounts list
       platbook accounts update ACCOUNT_ID [--name TEXT] [--plan TEXT] [--cap N|none] [--invite webhooks,events|none]
       each with [--data DIR] [--json]`

const OPTIONS = {
  json: { type: 'boolean', default: false },
  name: { type: 'string' },
  plan: { type: 'string' },
  cap: { type: 'string' },
  invite: { type: 'string' },
  test: { type: 'boolean', default: false },
} as const

const badUsage = usageErrors(usage)
const parsed = (argv: string[]) => parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof parsed>['values']

const ACTS: StateActs<Values> = {
  create: { run: create },
  list: { run: list },
  update: { run: update, argument: 'an account: `platbook accounts list` shows the ids' },
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runStateAct('accounts', ACTS, parsed(argv), badUsage, io)
}

async function create(state: State, values: Values, io: CommandIo): Promise<void> {
  const { name, ...terms } = termsOf(values)
  if (name === undefined) throw badUsage('an account needs a --name')
  const made = await state.accounts.create({ name, ...terms, kind: values.test ? 'test' : 'live' })
  if (made.kind === 'test') await publishTestData(io)
  await show(state, values, io, made)
}

async function update(state: State, values: Values, io: CommandIo, id: string): Promise<void> {
  if (values.test) throw badUsage('--test works for new accounts only: an account cannot change its kind')
  const terms = termsOf(values)
  if (Object.keys(terms).length === 0) throw badUsage('name at least one thing to change')
  await state.accounts.get(id)
  await show(state, values, io, await state.accounts.update(id, terms))
}

function termsOf({ name, plan, cap, invite }: Values): Partial<AccountTerms> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(plan === undefined ? {} : { plan }),
    ...(cap === undefined ? {} : { monthly_cap: countOf('--cap', cap, 0) }),
    ...(invite === undefined ? {} : { invitations: invitationsOf(invite) }),
  }
}

async function list(state: State, { json }: Values, io: CommandIo): Promise<void> {
  const accounts: AccountWithUse[] = []
  for (const account of await state.accounts.list()) accounts.push(await withUse(account, state, io))
  print(io, json, accounts, accountLines(accounts))
}

async function show(state: State, { json }: Values, io: CommandIo, account: Account): Promise<void> {
  const shown = await withUse(account, state, io)
  print(io, json, shown, accountLines([shown]))
}

type AccountWithUse = Awaited<ReturnType<typeof withUse>>

async function withUse(account: Account, state: State, io: CommandIo) {
  return {
    ...account,
    key_count: (await state.keys.list(account.account_id)).length,
    billable_this_month: await state.usage.written(account.account_id, monthOf(io.now().getTime())),
  }
}

function accountLines(accounts: readonly AccountWithUse[]): string[] {
  const header = ['account', 'name', 'kind', 'plan', 'used', 'cap', 'invited to', 'keys', 'created']
  const rows = accounts.map((account) => [
    account.account_id,
    account.name,
    account.kind,
    account.plan,
    String(account.billable_this_month),
    account.monthly_cap === null ? '-' : String(account.monthly_cap),
    account.invitations.length === 0 ? '-' : account.invitations.join(','),
    String(account.key_count),
    account.created_at.slice(0, 10),
  ])
  return tableLines(header, rows)
}
