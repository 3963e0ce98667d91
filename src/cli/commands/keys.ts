import { parseArgs } from 'node:util'
import { printable } from '../../printable.ts'
import type { Key, KeyChanges } from '../../state/keys.ts'
import type { State } from '../../state/open.ts'
import { Purpose } from '../../state/purposes.ts'
import { Scope } from '../../state/scopes.ts'
import { monthOf } from '../../state/usage.ts'
import { countOf, invitationsOf, wordsOf } from '../account-options.ts'
import { runStateAct, type StateActs, usageErrors } from '../acts.ts'
import { durationOf, instantOf } from '../durations.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { tableLines } from '../table.ts'
import { publishTestData } from '../test-data.ts'

export const summary = 'creates, lists, rotates, updates and revokes API keys'
export const usage = `platbook keys create --name TEXT --account ACCOUNT_ID [LIMITS] [--purpose WORD]
       platbook keys create --name TEXT [--plan TEXT] [--cap N] [--invite webhooks,events] [--test] [LIMITS] [--purpose WORD]
       platbook keys list [--account ACCOUNT_ID]
       platbook keys rotate KEY_ID [--grace 24h] [LIMITS] [--purpose WORD]
       platbook keys update KEY_ID [--name TEXT] [LIMITS]
       platbook keys revoke KEY_ID
       each with [--data DIR] [--json]
Without --account the key gets a new account of the same name; --plan, --cap, --invite and --test apply to that account.
LIMITS: [--rate N] [--burst N] [--expires 2027-01-31|90d|none] [--scopes LIST|all] [--addresses LIST|all]
--scopes takes ${Scope.options.join(', ')}
--addresses takes addresses and networks: 203.0.113.7,2001:db8::/32
--purpose takes ${Purpose.options.join(', ')}`

const OPTIONS = {
  json: { type: 'boolean', default: false },
  name: { type: 'string' },
  account: { type: 'string' },
  plan: { type: 'string' },
  cap: { type: 'string' },
  invite: { type: 'string' },
  test: { type: 'boolean' },
  rate: { type: 'string' },
  burst: { type: 'string' },
  expires: { type: 'string' },
  scopes: { type: 'string' },
  addresses: { type: 'string' },
  purpose: { type: 'string' },
  grace: { type: 'string' },
} as const

const LIMITS = ['rate', 'burst', 'expires', 'scopes', 'addresses'] as const
const TERMS = ['plan', 'cap', 'invite', 'test'] as const
const KEY = 'a key: `platbook keys list` shows the ids'

const badUsage = usageErrors(usage)
const parsed = (argv: string[]) => parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof parsed>['values']

const ACTS: StateActs<Values> = {
  create: { run: create, options: ['name', 'account', ...TERMS, ...LIMITS, 'purpose'] },
  list: { run: list, options: ['account'] },
  rotate: { run: rotate, argument: KEY, options: ['grace', ...LIMITS, 'purpose'] },
  update: { run: update, argument: KEY, options: ['name', ...LIMITS] },
  revoke: { run: revoke, argument: KEY, options: [] },
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runStateAct('keys', ACTS, parsed(argv), badUsage, io)
}

async function create(state: State, options: Values, io: CommandIo): Promise<void> {
  if (options.name === undefined) throw badUsage('a key needs a --name')
  const term = TERMS.find((one) => options[one] !== undefined)
  if (options.account !== undefined && term !== undefined) {
    throw badUsage(
      `--${term} belongs to an account, and ${options.account} exists already: use \`platbook accounts update\``,
    )
  }
  const { secret, key } = await state.keys.create({
    name: options.name,
    ...(options.account === undefined ? {} : { account_id: options.account }),
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(options.cap === undefined ? {} : { monthly_cap: countOf('--cap', options.cap, 0) }),
    ...(options.invite === undefined ? {} : { invitations: invitationsOf(options.invite) }),
    kind: options.test === true ? 'test' : 'live',
    ...limitsOf(options, io.now()),
    ...purposeOf(options),
  })
  if (key.is_test) await publishTestData(io)
  const what = `key ${key.api_key_id} of account ${key.account_id} (${printable(key.account_name)})`
  showSecret(io, options.json, { ...key, key: secret }, what)
}

/** Prints a new key: what it is to standard error, the key itself to standard output. */
function showSecret(
  io: CommandIo,
  isJson: boolean,
  shown: Key & { key: string; replaced?: object },
  what: string,
): void {
  if (!isJson) {
    io.err(what)
    io.err('send the key below in the header X-Api-Key; it is shown only once')
  }
  print(io, isJson, shown, [shown.key])
}

async function list(state: State, options: Values, io: CommandIo): Promise<void> {
  if (options.account !== undefined) await state.accounts.get(options.account)
  const month = monthOf(io.now().getTime())
  const keys = []
  for (const key of await state.keys.list(options.account)) {
    const last_used_at = (await state.keys.lastUsedAt(key.api_key_id))?.toISOString() ?? null
    const billable_this_month = await state.usage.written(key.account_id, month)
    keys.push({ ...key, last_used_at, billable_this_month })
  }
  const header = ['key id', 'name', 'account', 'plan', 'used', 'cap', 'rate/s', 'burst', 'scopes', 'from', 'purpose', 'created', 'last used', 'state'] // prettier-ignore
  const rows = keys.map((key) => [
    key.api_key_id,
    key.name,
    key.account_id,
    key.plan,
    String(key.billable_this_month),
    key.monthly_cap === null ? '-' : String(key.monthly_cap),
    key.rate_per_second === null ? '-' : String(key.rate_per_second),
    key.burst === null ? '-' : String(key.burst),
    key.scopes?.join(',') ?? 'all',
    key.allowed_addresses?.join(',') ?? 'all',
    key.purpose,
    key.created_at.slice(0, 10),
    key.last_used_at?.slice(0, 16) ?? 'never',
    stateOf(key, io.now()),
  ])
  print(io, options.json, keys, tableLines(header, rows))
}

function stateOf({ revoked_at, expires_at, kind }: Key, now: Date): string {
  if (revoked_at !== null) return `revoked ${revoked_at.slice(0, 10)}`
  if (expires_at === null) return kind
  const isOver = Date.parse(expires_at) <= now.getTime()
  return isOver ? `expired ${expires_at.slice(0, 10)}` : `${kind} until ${expires_at.slice(0, 16)}Z`
}

async function rotate(state: State, options: Values, io: CommandIo, id: string): Promise<void> {
  const grace = durationOf(options.grace ?? '24h')
  if (grace === null)
    throw badUsage(`--grace takes a time such as 0h, 90m, 24h or 7d, not '${options.grace}'`)
  const changes = { ...limitsOf(options, io.now()), ...purposeOf(options) }
  const { secret, key, replaced } = await state.keys.rotate(id, grace, changes)
  const what = `key ${key.api_key_id} replaces ${replaced.api_key_id}, which stops working at ${replaced.expires_at}`
  showSecret(io, options.json, { ...key, key: secret, replaced }, what)
}

async function update(state: State, options: Values, io: CommandIo, id: string): Promise<void> {
  const changes: KeyChanges = {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...limitsOf(options, io.now()),
  }
  if (Object.keys(changes).length === 0) throw badUsage('name at least one thing to change')
  const key = await state.keys.update(id, changes)
  print(io, options.json, key, [`${id} is changed; running servers apply the change within 2 seconds`])
}

async function revoke(state: State, options: Values, io: CommandIo, id: string): Promise<void> {
  const key = await state.keys.revoke(id)
  print(io, options.json, key, [`${id} is revoked; running servers refuse it within 2 seconds`])
}

function limitsOf({ rate, burst, expires, scopes, addresses }: Values, now: Date): Omit<KeyChanges, 'name'> {
  return {
    ...(rate === undefined ? {} : { rate_per_second: countOf('--rate', rate, 1) }),
    ...(burst === undefined ? {} : { burst: countOf('--burst', burst, 1) }),
    ...(expires === undefined ? {} : { expires_at: expiryOf(expires, now) }),
    ...(scopes === undefined
      ? {}
      : { scopes: scopes === 'all' ? null : wordsOf('--scopes', scopes, Scope.options) }),
    ...(addresses === undefined
      ? {}
      : { allowed_addresses: addresses === 'all' ? null : addresses.split(',') }),
  }
}

function expiryOf(text: string, now: Date): Date | null {
  if (text === 'none') return null
  const duration = durationOf(text)
  const at = duration === null ? instantOf(text) : new Date(now.getTime() + duration)
  if (at === null)
    throw badUsage(`--expires takes 2027-01-31, 2027-01-31T06:00:00Z, 90d or none, not '${text}'`)
  return at
}

function purposeOf({ purpose }: Values): { purpose?: Purpose } {
  if (purpose === undefined) return {}
  const known = Purpose.safeParse(purpose)
  if (!known.success) throw badUsage(`--purpose takes ${Purpose.options.join(', ')}, not '${purpose}'`)
  return { purpose: known.data }
}
