import { parseArgs } from 'node:util'
import { openLog } from '../../log.ts'
import { openState } from '../../state/open.ts'
import { deliverContinually, deliverDue } from '../../webhooks/deliver.ts'
import type { DeliveryEntry } from '../../webhooks/deliveries.ts'
import { openWebhooks, type Webhooks } from '../../webhooks/open.ts'
import { replay } from '../../webhooks/release.ts'
import { testSubscription } from '../../webhooks/try-endpoint.ts'
import { type Acts, chosenAct, usageErrors } from '../acts.ts'
import { durationOf, instantOf } from '../durations.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { tableLines } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

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
  json: { type: 'boolean', default: false },
  status: { type: 'string' },
  webhook: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string', default: '100' },
  forever: { type: 'boolean', default: false },
} as const

const WEBHOOK = 'a webhook: `platbook webhooks list` shows the ids'

const badUsage = usageErrors(usage)
const parsed = (argv: string[]) => parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof parsed>['values']

interface Request {
  readonly webhooks: Webhooks
  readonly values: Values
  readonly io: CommandIo
  /** The id of the webhook, for the actions that take one. */
  readonly id: string
}

const ACTS: Acts<(request: Request) => Promise<number | void> | number | void> = {
  list: { run: list },
  deliveries: { run: deliveries },
  replay: { run: sendAgain },
  test: { run: test, argument: WEBHOOK },
  pause: { run: (request) => setStatus(request, 'inactive'), argument: WEBHOOK },
  resume: { run: (request) => setStatus(request, 'active'), argument: WEBHOOK },
  rotate: { run: rotate, argument: WEBHOOK },
  deliver: { run: deliver },
}

/** Returns exit code 1 when a test notification was not delivered, else 0. */
export async function run(argv: string[], io: CommandIo): Promise<number> {
  const given = parsed(argv)
  const { act, word: id } = chosenAct('webhooks', ACTS, given, badUsage)
  const log = openLog(io.config)
  const state = await openState(io.config.state, {
    now: io.now,
    log,
    snapshots: io.config.paths.snapshots,
  })
  try {
    const webhooks = await openWebhooks({ state, config: io.config, now: io.now })
    try {
      return (await act.run({ webhooks, values: given.values, io, id })) ?? 0
    } finally {
      await webhooks.close()
    }
  } finally {
    await state.close()
  }
}

async function list({ webhooks, values, io }: Request): Promise<void> {
  const all = await webhooks.subscriptions.list({ status: values.status })
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
  print(io, values.json, all, tableLines(header, rows))
}

async function deliveries({ webhooks, values, io }: Request): Promise<void> {
  const found = await webhooks.deliveries.list({
    subscription_id: values.webhook ?? null,
    status: values.status ?? null,
    since: values.since === undefined ? 0 : timeOf(values.since, io.now()).getTime(),
    limit: wholeNumber('limit', values.limit, 1, 9_999_999),
  })
  const header = ['webhook', 'event', 'state', 'attempts', 'last attempt', 'answer', 'ms', 'next attempt']
  print(io, values.json, found, tableLines(header, found.map(rowOf)))
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

async function sendAgain({ webhooks, values, io }: Request): Promise<void> {
  if (values.since === undefined) throw badUsage('replay needs --since TIME')
  const since = timeOf(values.since, io.now())
  const { webhook: subscription_id = null } = values
  if (subscription_id !== null) await webhooks.subscriptions.find(subscription_id)
  const due = await replay(webhooks.db, { since, subscription_id, at: io.now() })
  print(io, values.json, { since: since.toISOString(), deliveries: due }, [
    `${due} deliveries since ${since.toISOString()} are queued again; \`platbook schedule\` or \`platbook webhooks deliver\` sends them`,
  ])
}

async function test({ webhooks, values, io, id }: Request): Promise<number> {
  const subscription = await webhooks.subscriptions.find(id)
  const { isDelivered, response, notification } = await testSubscription(webhooks, subscription)
  const { status_code, duration_ms, failure } = response
  const outcome = { success: isDelivered, status_code, duration_ms, failure, event_id: notification.event_id }
  print(io, values.json, outcome, [
    `${isDelivered ? 'delivered' : 'not delivered'}: ${failure ?? `status ${status_code}`} after ${duration_ms} ms, test event ${notification.event_id}`,
  ])
  return isDelivered ? 0 : 1
}

async function setStatus(
  { webhooks, values, io, id }: Request,
  status: 'active' | 'inactive',
): Promise<void> {
  const { account_id } = await webhooks.subscriptions.find(id)
  const changed = await webhooks.subscriptions.update(account_id, id, { status })
  print(io, values.json, changed, [`${id} is ${status}`])
}

async function rotate({ webhooks, values, io, id }: Request): Promise<void> {
  const { account_id } = await webhooks.subscriptions.find(id)
  const signing_secret = await webhooks.subscriptions.rotateSecret(account_id, id)
  if (!values.json) {
    io.err(
      `the new signing secret of ${id}, shown only once; for 24 hours notifications are signed with the old secret as well`,
    )
  }
  print(io, values.json, { subscription_id: id, signing_secret }, [signing_secret])
}

async function deliver({ webhooks, values, io }: Request): Promise<void> {
  const round = { webhooks, signal: io.signal, log: openLog(io.config) }
  const counts = values.forever ? await deliverContinually(round) : await deliverDue(round)
  print(io, values.json, counts, [
    `${counts.delivered} delivered, ${counts.retried} to be retried, ${counts.failed} given up`,
  ])
}

function timeOf(text: string, now: Date): Date {
  const ago = durationOf(text)
  const at = ago === null ? instantOf(text) : new Date(now.getTime() - ago)
  if (at === null) throw badUsage(`--since takes a time such as 2026-08-14T06:00:00Z or 36h, not '${text}'`)
  return at
}
