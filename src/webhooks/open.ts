import type { Database } from '../state/database.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { loadRegions, type Regions } from '../normalize/regions.ts'
import type { State } from '../state/open.ts'
import { Deliveries } from './deliveries.ts'
import { Sealer } from './sealing.ts'
import { WebhookLimits } from './limits.ts'
import { openSender, type Sender, type SenderOptions } from './sender.ts'
import { Subscriptions } from './subscriptions.ts'
import { TestEvents } from './test-events.ts'

/** The parts of webhooks on one state file. */
export interface Webhooks {
  readonly db: Database
  readonly subscriptions: Subscriptions
  readonly deliveries: Deliveries
  readonly testEvents: TestEvents
  readonly limits: WebhookLimits
  readonly regions: Regions
  readonly sender: Sender
  readonly testHosts: ReadonlySet<string>
  /** The public URL of the service, for links in notifications. */
  readonly baseUrl: string
  /** Highest number of simultaneous attempts of this process on one host. */
  readonly perHost: number
  readonly now: Clock
  close(): Promise<void>
}

export interface WebhooksOptions {
  readonly state: Pick<State, 'db'>
  readonly config: Config
  readonly now: Clock
  /** Replacements of the internet and shorter time limits, for tests. */
  readonly internet?: Pick<
    SenderOptions,
    'resolve' | 'isPublic' | 'ca' | 'connectWithinMs' | 'answerWithinMs'
  >
}

const PER_HOST = 8

/** Opens the parts of webhooks. Encrypts secrets that are not encrypted with the present key. */
export async function openWebhooks({
  state,
  config,
  now,
  internet = {},
}: WebhooksOptions): Promise<Webhooks> {
  const { db } = state
  const testHosts = new Set(config.WEBHOOK_TEST_HOSTS)
  const sender = openSender({ testHosts, now, perHost: PER_HOST, ...internet })
  const subscriptions = new Subscriptions(db, new Sealer(config.WEBHOOK_SECRETS_KEY), now)
  await subscriptions.sealAgain()
  return {
    db,
    subscriptions,
    deliveries: new Deliveries(db),
    testEvents: new TestEvents(db, now),
    limits: new WebhookLimits(subscriptions, {
      perAccount: config.WEBHOOKS_PER_ACCOUNT,
      perHost: config.WEBHOOKS_PER_HOST,
      callsPerMinute: config.WEBHOOK_CALLS_PER_MINUTE,
      challenge: config.WEBHOOK_CHALLENGE,
      testHosts,
    }),
    regions: loadRegions(),
    sender,
    testHosts,
    baseUrl: config.PLATBOOK_URL ?? `http://localhost:${config.PORT}`,
    perHost: PER_HOST,
    now,
    close: () => sender.close(),
  }
}
