import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { openState, type State } from '../../src/state/open.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openWebhooks, type Webhooks } from '../../src/webhooks/open.ts'
import { releaseEvents } from '../../src/webhooks/release.ts'
import { createSecret } from '../../src/webhooks/signing.ts'
import { createSubscriptionId } from '../../src/webhooks/subscriptions.ts'
import { createCertificate } from '../support/certificate.ts'

const SUBSCRIPTIONS = 500
const HOSTS = 50
const DELIVERIES = Number(process.env['BENCH_DELIVERIES'] ?? 100_000)

/**
 * Releases events to subscriptions and delivers them to receivers on this machine, over TLS: seconds, memory, what arrived.
 * Throws when the release is not one delivery per event and subscription, or when the receivers got anything else than it.
 */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  const certificate = createCertificate(['127.0.0.1'])
  const certificateFile = join(folder, 'certificate.json')
  await writeFile(certificateFile, JSON.stringify(certificate))
  const script = fileURLToPath(new URL('./delivery/receivers.ts', import.meta.url))
  const receivers = spawn(process.execPath, [script, String(HOSTS), certificateFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: receivers.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value))
  const state = await openState(join(folder, 'state.sqlite'))
  const webhooks = await openWebhooks({
    state,
    config: loadConfig({ WEBHOOK_TEST_HOSTS: '127.0.0.1' }),
    now: () => new Date(),
    internet: { ca: certificate.cert },
  })
  try {
    await subscribe(state, webhooks, (await nextLine()) as number[])
    const delivery_count = await release(state)
    await deliver(webhooks, delivery_count, async () => {
      receivers.stdin.write('count\n')
      return (await nextLine()) as Arrived
    })
  } finally {
    await webhooks.close()
    await state.close()
    receivers.stdin.end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function subscribe(state: State, webhooks: Webhooks, ports: readonly number[]): Promise<void> {
  const { account_id } = (await state.keys.create({ name: 'bench', invitations: ['webhooks'] })).key
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) {
    await webhooks.subscriptions.create(createSubscriptionId(), createSecret(), {
      account_id,
      url: `https://127.0.0.1:${ports[n % HOSTS]}/hook/${n}`,
      name: null,
      event_type: 'deed.*',
      region: 'state:tx',
      area: 'TX',
    })
  }
}

async function release(state: State): Promise<number> {
  const events = Array.from({ length: Math.ceil(DELIVERIES / SUBSCRIPTIONS) }, (_, n) => ({
    event_id: `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`,
    event_type: 'deed.transfer',
    state: 'TX',
    county_fips: '48453',
  }))
  const { result, seconds } = await timed(() => releaseEvents(state.db, events, new Date()))
  const { delivery_count } = result
  if (delivery_count !== events.length * SUBSCRIPTIONS)
    throw new Error(
      `${events.length} events to ${SUBSCRIPTIONS} subscriptions made ${delivery_count} deliveries, not ${events.length * SUBSCRIPTIONS}`,
    )
  console.log(`release: ${delivery_count} deliveries in ${seconds.toFixed(2)} s`)
  return delivery_count
}

interface Arrived {
  readonly requests: number
  /** Different values of `webhook-id`; each event has one of its own for each subscription. */
  readonly distinct: number
}

async function deliver(
  webhooks: Webhooks,
  released: number,
  countArrived: () => Promise<Arrived>,
): Promise<void> {
  const before = process.cpuUsage()
  const { result, seconds } = await timed(() =>
    deliverDue({ webhooks, signal: new AbortController().signal, log: silentLog }),
  )
  const { user, system } = process.cpuUsage(before)
  const arrived = await countArrived()
  if ([result.delivered, arrived.requests, arrived.distinct].some((count) => count !== released))
    throw new Error(
      `${released} deliveries were released; the sender reports ${JSON.stringify(result)}; ` +
        `${arrived.requests} requests with ${arrived.distinct} different webhook-ids arrived`,
    )
  console.log(
    `delivery: ${result.delivered} to ${SUBSCRIPTIONS} subscriptions on ${HOSTS} hosts in ${seconds.toFixed(1)} s: ` +
      `${Math.round(result.delivered / seconds)} a second; wanted 1500`,
  )
  console.log(`arrived: ${arrived.requests} requests, ${arrived.distinct} different webhook-ids`)
  console.log(
    `processor time ${((user + system) / result.delivered).toFixed(0)} µs a delivery; ` +
      `at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB of memory; wanted 500`,
  )
}

async function timed<T>(body: () => T | Promise<T>): Promise<{ result: T; seconds: number }> {
  const startedAt = performance.now()
  const result = await body()
  return { result, seconds: (performance.now() - startedAt) / 1_000 }
}
