import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { printable } from '../../printable.ts'
import type { Key, KeyChanges } from '../../state/keys.ts'
import type { State } from '../../state/open.ts'
import { Purpose } from '../../state/purposes.ts'
import { Scope } from '../../state/scopes.ts'
import { monthOf } from '../../state/usage.ts'
import { countOf, invitationsOf, wordsOf } from '../account-options.ts'
import { durationOf, instantOf } from '../durations.ts'
import type { CommandIo } from '../io.ts'
import { tableLines } from '../table.ts'
import { publishTestData } from '../test-data.ts'
import { withState } from '../with-state.ts'

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
  data: { type: 'string' },
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

interface Options {
  readonly json: boolean
  readonly name?: string
  readonly account?: string
  readonly plan?: string
  readonly cap?: string
  readonly invite?: string
  readonly test?: boolean
  readonly rate?: string
  readonly burst?: string
  readonly expires?: string
  readonly scopes?: string
  readonly addresses?: string
  readonly purpose?: string
  readonly grace?: string
}

interface Act {
  /** The names of its options, besides --data and --json. */
  readonly options: readonly string[]
  run(state: State, id: string | undefined, options: Options, io: CommandIo): Promise<void> | void
}

const LIMITS = ['rate', 'burst', 'expires', 'scopes', 'addresses']
const TERMS = ['plan', 'cap', 'invite', 'test'] as const

const ACTS: Readonly<Record<string, Act>> = {
  create: { options: ['name', 'account', ...TERMS, ...LIMITS, 'purpose'], run: create },
  list: { options: ['account'], run: list },
  rotate: { options: ['grace', ...LIMITS, 'purpose'], run: rotate },
  update: { options: ['name', ...LIMITS], run: update },
  revoke: { options: [], run: revoke },
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
  const [name, id, ...more] = positionals
  const act = name === undefined || !Object.hasOwn(ACTS, name) ? undefined : ACTS[name]
  if (act === undefined)
    throw badUsage(name === undefined ? 'name an action' : `there is no action 'keys ${name}'`)
  if (more.length > 0 || (id !== undefined && (act.run === create || act.run === list))) {
    throw badUsage('too many arguments')
  }
  const strange = Object.keys(values).find((one) => !['data', 'json', ...act.options].includes(one))
  if (strange !== undefined) throw badUsage(`'keys ${name}' takes no --${strange}`)
  return withState(io, async (state) => {
    await act.run(state, id, values, io)
    return 0
  })
}

async function create(state: State, _id: string | undefined, options: Options, io: CommandIo): Promise<void> {
  if (options.name === undefined) throw badUsage('a key needs a --name')
  const term = TERMS.find((one) => options[one] !== undefined)
  if (options.account !== undefined && term !== undefined) {
    throw badUsage(
      `--${term} belongs to an account, and ${options.account} exists already: use \`platbook accounts update\``,
    )
  }
  const { secret, key } = state.keys.create({
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
  if (options.json) {
    io.out(JSON.stringify({ ...key, key: secret }))
    return
  }
  io.err(`key ${key.api_key_id} of account ${key.account_id} (${printable(key.account_name)})`)
  showSecret(secret, io)
}

function showSecret(secret: string, io: CommandIo): void {
  io.err('send the key below in the header X-Api-Key; it is shown only once')
  io.out(secret)
}

function list(state: State, _id: string | undefined, options: Options, io: CommandIo): void {
  if (options.account !== undefined) state.accounts.get(options.account)
  const month = monthOf(io.now().getTime())
  const keys = state.keys.list(options.account).map((key) => ({
    ...key,
    last_used_at: state.keys.lastUsedAt(key.api_key_id)?.toISOString() ?? null,
    billable_this_month: state.usage.written(key.account_id, month),
  }))
  if (options.json) {
    io.out(JSON.stringify(keys))
    return
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
  for (const line of tableLines(header, rows)) io.out(line)
}

function stateOf({ revoked_at, expires_at, kind }: Key, now: Date): string {
  if (revoked_at !== null) return `revoked ${revoked_at.slice(0, 10)}`
  if (expires_at === null) return kind
  const isOver = Date.parse(expires_at) <= now.getTime()
  return isOver ? `expired ${expires_at.slice(0, 10)}` : `${kind} until ${expires_at.slice(0, 16)}Z`
}

function rotate(state: State, id: string | undefined, options: Options, io: CommandIo): void {
  const grace = durationOf(options.grace ?? '24h')
  if (grace === null)
    throw badUsage(`--grace takes a time such as 0h, 90m, 24h or 7d, not '${options.grace}'`)
  const changes = { ...limitsOf(options, io.now()), ...purposeOf(options) }
  const { secret, key, replaced } = state.keys.rotate(keyId(id), grace, changes)
  if (options.json) {
    io.out(JSON.stringify({ ...key, key: secret, replaced }))
    return
  }
  io.err(
    `key ${key.api_key_id} replaces ${replaced.api_key_id}, which stops working at ${replaced.expires_at}`,
  )
  showSecret(secret, io)
}

function update(state: State, id: string | undefined, options: Options, io: CommandIo): void {
  const changes: KeyChanges = {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...limitsOf(options, io.now()),
  }
  if (Object.keys(changes).length === 0) throw badUsage('name at least one thing to change')
  const key = state.keys.update(keyId(id), changes)
  if (options.json) io.out(JSON.stringify(key))
  else io.out(`${key.api_key_id} is changed; running servers apply the change within 2 seconds`)
}

function revoke(state: State, id: string | undefined, options: Options, io: CommandIo): void {
  const key = state.keys.revoke(keyId(id))
  if (options.json) io.out(JSON.stringify(key))
  else io.out(`${key.api_key_id} is revoked; running servers refuse it within 2 seconds`)
}

function keyId(id: string | undefined): string {
  if (id === undefined) throw badUsage('name a key: `platbook keys list` shows the ids')
  return id
}

function limitsOf({ rate, burst, expires, scopes, addresses }: Options, now: Date): Omit<KeyChanges, 'name'> {
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

function purposeOf({ purpose }: Options): { purpose?: Purpose } {
  if (purpose === undefined) return {}
  const known = Purpose.safeParse(purpose)
  if (!known.success) throw badUsage(`--purpose takes ${Purpose.options.join(', ')}, not '${purpose}'`)
  return { purpose: known.data }
}

function badUsage(reason: string): AppError {
  return new AppError('bad_usage', `${reason}\nusage: ${usage}`)
}
