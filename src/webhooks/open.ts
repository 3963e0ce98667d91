import type { DatabaseSync } from 'node:sqlite'
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

/** Subscriptions, deliveries and the sender, on the connection of a state file. */
export interface Webhooks {
  readonly db: DatabaseSync
  readonly subscriptions: Subscriptions
  readonly deliveries: Deliveries
  readonly testEvents: TestEvents
  readonly limits: WebhookLimits
  readonly regions: Regions
  readonly sender: Sender
  readonly testHosts: ReadonlySet<string>
  /** The address that the service has for its callers. */
  readonly baseUrl: string
  /** Attempts on one host at a time, of this process. */
  readonly perHost: number
  readonly now: Clock
  close(): Promise<void>
}

export interface WebhooksOptions {
  readonly state: Pick<State, 'db'>
  readonly config: Pick<
    Config,
    | 'PLATBOOK_URL'
    | 'WEBHOOK_TEST_HOSTS'
    | 'WEBHOOK_SECRETS_KEY'
    | 'WEBHOOKS_PER_ACCOUNT'
    | 'WEBHOOKS_PER_HOST'
    | 'WEBHOOK_CALLS_PER_MINUTE'
    | 'WEBHOOK_CHALLENGE'
    | 'PORT'
  >
  readonly now: Clock
  /** What a test has in place of the internet, and shorter limits. */
  readonly internet?: Pick<
    SenderOptions,
    'resolve' | 'isPublic' | 'ca' | 'connectWithinMs' | 'answerWithinMs'
  >
}

const PER_HOST = 8

/** Opens what takes part in webhooks. Secrets that are not sealed with the present key are sealed now. */
export function openWebhooks({ state, config, now, internet = {} }: WebhooksOptions): Webhooks {
  const { db } = state
  const testHosts = new Set(config.WEBHOOK_TEST_HOSTS)
  const sender = openSender({ testHosts, now, perHost: PER_HOST, ...internet })
  const subscriptions = new Subscriptions(db, new Sealer(config.WEBHOOK_SECRETS_KEY), now)
  subscriptions.sealAgain()
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
