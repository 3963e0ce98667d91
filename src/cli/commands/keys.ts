import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import type { Key } from '../../state/keys.ts'
import { Invitation } from '../../state/keys.ts'
import { openState, type State } from '../../state/open.ts'
import { monthOf } from '../../state/usage.ts'
import type { CommandIo } from '../io.ts'
import { tableLines } from '../table.ts'

export const summary = 'makes, lists and revokes API keys'
export const usage = `platbook keys create --name TEXT [--plan TEXT] [--cap N] [--rate N] [--burst N] [--invite webhooks,events] [--test]
       platbook keys list
       platbook keys revoke KEY_ID
       each with [--data DIR] [--json]`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      name: { type: 'string' },
      plan: { type: 'string' },
      cap: { type: 'string' },
      rate: { type: 'string' },
      burst: { type: 'string' },
      invite: { type: 'string' },
      test: { type: 'boolean', default: false },
    },
  })
  const [act, id, ...more] = positionals
  if (more.length > 0 || (id !== undefined && act !== 'revoke')) throw badUsage('too many words')
  const state = openState(io.config.paths.state, { now: io.now })
  try {
    if (act === 'create') create(state, values, io)
    else if (act === 'list') list(state, values.json, io)
    else if (act === 'revoke') revoke(state, id, values.json, io)
    else throw badUsage(act === undefined ? 'say what to do' : `there is no 'keys ${act}'`)
    return 0
  } finally {
    await state.close()
  }
}

interface CreateOptions {
  readonly name?: string
  readonly plan?: string
  readonly cap?: string
  readonly rate?: string
  readonly burst?: string
  readonly invite?: string
  readonly test: boolean
  readonly json: boolean
}

function create(state: State, options: CreateOptions, io: CommandIo): void {
  if (options.name === undefined) throw badUsage('a key needs a --name')
  const { secret, key } = state.keys.create({
    name: options.name,
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    monthly_cap: countOf('--cap', options.cap, 0),
    rate_per_second: countOf('--rate', options.rate, 1),
    burst: countOf('--burst', options.burst, 1),
    invitations: invitationsOf(options.invite),
    is_test: options.test,
  })
  if (options.json) {
    io.out(JSON.stringify({ ...key, key: secret }))
    return
  }
  io.err(`key ${key.api_key_id} for ${key.name}: send it as X-Api-Key; it is shown this once`)
  io.out(secret)
}

function list(state: State, asJson: boolean, io: CommandIo): void {
  const month = monthOf(io.now().getTime())
  const keys = state.keys
    .list()
    .map((key) => ({ ...key, billable_this_month: state.usage.written(key.api_key_id, month) }))
  if (asJson) {
    io.out(JSON.stringify(keys))
    return
  }
  const header = ['key id', 'name', 'plan', 'used', 'cap', 'rate/s', 'burst', 'made', 'state']
  const rows = keys.map((key) => [
    key.api_key_id,
    key.name,
    key.plan,
    String(key.billable_this_month),
    key.monthly_cap === null ? '-' : String(key.monthly_cap),
    key.rate_per_second === null ? '-' : String(key.rate_per_second),
    key.burst === null ? '-' : String(key.burst),
    key.created_at.slice(0, 10),
    stateOf(key),
  ])
  for (const line of tableLines(header, rows)) io.out(line)
}

function stateOf({ revoked_at, is_test }: Key): string {
  if (revoked_at !== null) return `revoked ${revoked_at.slice(0, 10)}`
  return is_test ? 'test' : 'live'
}

function revoke(state: State, id: string | undefined, asJson: boolean, io: CommandIo): void {
  if (id === undefined) throw badUsage('say which key: `platbook keys list` shows their ids')
  const key = state.keys.revoke(id)
  if (asJson) io.out(JSON.stringify(key))
  else io.out(`${key.api_key_id} is revoked; running servers refuse it within 5 seconds`)
}

function countOf(option: string, text: string | undefined, least: number): number | null {
  if (text === undefined) return null
  const count = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= least)) throw badUsage(`${option} takes a whole number from ${least}, not '${text}'`)
  return count
}

function invitationsOf(text: string | undefined): Invitation[] {
  if (text === undefined) return []
  return text.split(',').map((word) => {
    const invitation = Invitation.safeParse(word.trim())
    if (!invitation.success) throw badUsage(`--invite takes ${Invitation.options.join(', ')}, not '${word}'`)
    return invitation.data
  })
}

function badUsage(reason: string): AppError {
  return new AppError('bad_usage', `${reason}\nusage: ${usage}`)
}
