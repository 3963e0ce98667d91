import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { openLog } from '../../log.ts'
import { openState } from '../../state/open.ts'
import { deliverContinually, deliverDue } from '../../webhooks/deliver.ts'
import type { DeliveryEntry } from '../../webhooks/deliveries.ts'
import { openWebhooks, type Webhooks } from '../../webhooks/open.ts'
import { replay } from '../../webhooks/release.ts'
import { testSubscription } from '../../webhooks/try-endpoint.ts'
import { durationOf, instantOf } from '../durations.ts'
import type { CommandIo } from '../io.ts'
import { tableLines } from '../table.ts'

export const summary = 'lists, tests, pauses and resumes webhooks; lists, repeats and sends their deliveries'
export const usage = `platbook webhooks list [--status active|inactive]
       platbook webhooks deliveries [--webhook ID] [--status pending|delivered|failed] [--since TIME] [--limit 100]
       platbook webhooks replay --since TIME [--webhook ID]
       platbook webhooks test ID
       platbook webhooks pause|resume ID
       platbook webhooks rotate ID
       platbook webhooks deliver [--forever]
       each with [--data DIR] [--json]; TIME is 2026-08-14, 2026-08-14T06:00:00Z, or a duration before now: 90m, 36h, 7d`

const OPTIONS = {
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
  status: { type: 'string' },
  webhook: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string', default: '100' },
  forever: { type: 'boolean', default: false },
} as const

interface Asked {
  readonly id: string | undefined
  readonly options: {
    readonly json: boolean
    readonly status?: string | undefined
    readonly webhook?: string | undefined
    readonly since?: string | undefined
    readonly limit: string
    readonly forever: boolean
  }
}

type Act = (webhooks: Webhooks, asked: Asked, io: CommandIo) => Promise<number> | number

const ACTS: Readonly<Record<string, Act>> = {
  list,
  deliveries,
  replay: sendAgain,
  test,
  pause: (webhooks, asked, io) => setStatus(webhooks, asked, io, 'inactive'),
  resume: (webhooks, asked, io) => setStatus(webhooks, asked, io, 'active'),
  rotate,
  deliver,
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values: options, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
  const [name, id, ...more] = positionals
  if (more.length > 0) throw badUsage('too many arguments')
  const act = name === undefined || !Object.hasOwn(ACTS, name) ? undefined : ACTS[name]
  if (act === undefined) {
    throw badUsage(name === undefined ? 'name an action' : `there is no action 'webhooks ${name}'`)
  }
  const log = openLog(io.config)
  const state = openState(io.config.paths.state, { now: io.now, log, snapshots: io.config.paths.snapshots })
  try {
    const webhooks = openWebhooks({ state, config: io.config, now: io.now })
    try {
      return await act(webhooks, { id, options }, io)
    } finally {
      await webhooks.close()
    }
  } finally {
    await state.close()
  }
}

function list(webhooks: Webhooks, { options }: Asked, io: CommandIo): number {
  const all = webhooks.subscriptions.list({ status: options.status })
  const header = ['webhook', 'account', 'event type', 'region', 'state', 'created', 'url']
  const rows = all.map((one) => [
    one.subscription_id,
    one.account_id,
    one.event_type,
    one.region,
    one.inactive_reason === null ? one.status : `${one.status} (${one.inactive_reason})`,
    one.created_at.slice(0, 10),
    one.url,
  ])
  print(io, options.json, all, tableLines(header, rows))
  return 0
}

function deliveries(webhooks: Webhooks, { options }: Asked, io: CommandIo): number {
  const found = webhooks.deliveries.list({
    subscription_id: options.webhook ?? null,
    status: options.status ?? null,
    since: options.since === undefined ? 0 : timeOf(options.since, io.now()).getTime(),
    limit: limitOf(options.limit),
  })
  const header = ['webhook', 'event', 'state', 'attempts', 'last attempt', 'answer', 'ms', 'next attempt']
  print(io, options.json, found, tableLines(header, found.map(rowOf)))
  return 0
}

function rowOf(entry: DeliveryEntry): string[] {
  const { attempted_at, status_code, duration_ms, failure } = entry
  return [
    entry.subscription_id,
    entry.event_id,
    entry.status,
    String(entry.attempt_count),
    attempted_at === null ? '-' : new Date(attempted_at).toISOString(),
    failure ?? (status_code === null ? '-' : String(status_code)),
    duration_ms === null ? '-' : String(duration_ms),
    entry.status === 'pending' ? new Date(entry.due_at).toISOString() : '-',
  ]
}

function sendAgain(webhooks: Webhooks, { options }: Asked, io: CommandIo): number {
  if (options.since === undefined) throw badUsage('replay needs --since TIME')
  const since = timeOf(options.since, io.now())
  const { webhook: subscription_id = null } = options
  if (subscription_id !== null) webhooks.subscriptions.find(subscription_id)
  const due = replay(webhooks.db, { since, subscription_id, at: io.now() })
  print(io, options.json, { since: since.toISOString(), deliveries: due }, [
    `${due} deliveries since ${since.toISOString()} are queued again; \`platbook schedule\` or \`platbook webhooks deliver\` sends them`,
  ])
  return 0
}

async function test(webhooks: Webhooks, asked: Asked, io: CommandIo): Promise<number> {
  const { isDelivered, answer, notification } = await testSubscription(
    webhooks,
    subscriptionOf(webhooks, asked),
  )
  const { status_code, duration_ms, failure } = answer
  const outcome = { success: isDelivered, status_code, duration_ms, failure, event_id: notification.event_id }
  print(io, asked.options.json, outcome, [
    `${isDelivered ? 'delivered' : 'not delivered'}: ${failure ?? `status ${status_code}`} after ${duration_ms} ms, test event ${notification.event_id}`,
  ])
  return isDelivered ? 0 : 1
}

function setStatus(webhooks: Webhooks, asked: Asked, io: CommandIo, status: 'active' | 'inactive'): number {
  const { account_id, subscription_id } = subscriptionOf(webhooks, asked)
  const changed = webhooks.subscriptions.update(account_id, subscription_id, { status })
  print(io, asked.options.json, changed, [`${subscription_id} is ${status}`])
  return 0
}

function rotate(webhooks: Webhooks, asked: Asked, io: CommandIo): number {
  const { account_id, subscription_id } = subscriptionOf(webhooks, asked)
  const signing_secret = webhooks.subscriptions.rotateSecret(account_id, subscription_id)
  if (!asked.options.json) {
    io.err(
      `the new signing secret of ${subscription_id}, shown only once; for 24 hours notifications are signed with the old secret as well`,
    )
  }
  print(io, asked.options.json, { subscription_id, signing_secret }, [signing_secret])
  return 0
}

async function deliver(webhooks: Webhooks, { options }: Asked, io: CommandIo): Promise<number> {
  const round = { webhooks, signal: io.signal, log: openLog(io.config) }
  const counts = options.forever ? await deliverContinually(round) : await deliverDue(round)
  print(io, options.json, counts, [
    `${counts.delivered} delivered, ${counts.retried} to be retried, ${counts.failed} given up`,
  ])
  return 0
}

function subscriptionOf(webhooks: Webhooks, { id }: Asked) {
  if (id === undefined) throw badUsage('name a webhook: `platbook webhooks list` shows the ids')
  return webhooks.subscriptions.find(id)
}

function print(io: CommandIo, asJson: boolean, value: unknown, lines: readonly string[]): void {
  for (const line of asJson ? [JSON.stringify(value)] : lines) io.out(line)
}

function timeOf(text: string, now: Date): Date {
  const ago = durationOf(text)
  const at = ago === null ? instantOf(text) : new Date(now.getTime() - ago)
  if (at === null) throw badUsage(`--since takes a time such as 2026-08-14T06:00:00Z or 36h, not '${text}'`)
  return at
}

function limitOf(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (limit === 0) throw badUsage(`--limit takes a whole number from 1, not '${text}'`)
  return limit
}

function badUsage(reason: string): AppError {
  return new AppError('bad_usage', `${reason}\nusage: ${usage}`)
}
