import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import type { Account, AccountTerms } from '../../state/accounts.ts'
import type { State } from '../../state/open.ts'
import { monthOf } from '../../state/usage.ts'
import { countOf, invitationsOf } from '../account-options.ts'
import type { CommandIo } from '../io.ts'
import { tableLines } from '../table.ts'
import { publishTestData } from '../test-data.ts'
import { withState } from '../with-state.ts'

export const summary = 'creates, lists and updates accounts; an account has one or more keys'
export const usage = `platbook accounts create --name TEXT [--plan TEXT] [--cap N] [--invite webhooks,events] [--test]
       platbook accounts list
       platbook accounts update ACCOUNT_ID [--name TEXT] [--plan TEXT] [--cap N|none] [--invite webhooks,events|none]
       each with [--data DIR] [--json]`

const OPTIONS = {
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
  name: { type: 'string' },
  plan: { type: 'string' },
  cap: { type: 'string' },
  invite: { type: 'string' },
  test: { type: 'boolean', default: false },
} as const

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
  const [act, id, ...more] = positionals
  if (more.length > 0 || (id !== undefined && act !== 'update')) throw badUsage('too many arguments')
  return withState(io, async (state) => {
    if (act === 'create') {
      const made = create(state, values)
      if (made.kind === 'test') await publishTestData(io)
      print(io, values.json, [made], state)
    } else if (act === 'list') list(state, values.json, io)
    else if (act === 'update') print(io, values.json, [update(state, id, values)], state)
    else throw badUsage(act === undefined ? 'name an action' : `there is no action 'accounts ${act}'`)
    return 0
  })
}

interface Options {
  readonly name?: string
  readonly plan?: string
  readonly cap?: string
  readonly invite?: string
  readonly test: boolean
}

function create(state: State, options: Options): Account {
  const { name, ...terms } = termsOf(options)
  if (name === undefined) throw badUsage('an account needs a --name')
  return state.accounts.create({ name, ...terms, kind: options.test ? 'test' : 'live' })
}

function update(state: State, id: string | undefined, options: Options): Account {
  if (id === undefined) throw badUsage('name an account: `platbook accounts list` shows the ids')
  if (options.test) throw badUsage('--test works for new accounts only: an account cannot change its kind')
  const terms = termsOf(options)
  if (Object.keys(terms).length === 0) throw badUsage('name at least one thing to change')
  state.accounts.get(id)
  return state.accounts.update(id, terms)
}

function termsOf({ name, plan, cap, invite }: Options): Partial<AccountTerms> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(plan === undefined ? {} : { plan }),
    ...(cap === undefined ? {} : { monthly_cap: countOf('--cap', cap, 0) }),
    ...(invite === undefined ? {} : { invitations: invitationsOf(invite) }),
  }
}

function list(state: State, asJson: boolean, io: CommandIo): void {
  const accounts = state.accounts.list()
  if (asJson) io.out(JSON.stringify(accounts.map((account) => withUse(account, state, io))))
  else print(io, false, accounts, state)
}

function withUse(account: Account, state: State, io: CommandIo) {
  return {
    ...account,
    key_count: state.keys.list(account.account_id).length,
    billable_this_month: state.usage.written(account.account_id, monthOf(io.now().getTime())),
  }
}

function print(io: CommandIo, asJson: boolean, accounts: readonly Account[], state: State): void {
  const all = accounts.map((account) => withUse(account, state, io))
  if (asJson) {
    for (const account of all) io.out(JSON.stringify(account))
    return
  }
  const header = ['account', 'name', 'kind', 'plan', 'used', 'cap', 'invited to', 'keys', 'created']
  const rows = all.map((account) => [
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
  for (const line of tableLines(header, rows)) io.out(line)
}

function badUsage(reason: string): AppError {
  return new AppError('bad_usage', `${reason}\nusage: ${usage}`)
}
