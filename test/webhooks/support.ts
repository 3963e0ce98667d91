import { loadConfig } from '../../src/config.ts'
import { type Log, silentLog } from '../../src/log.ts'
import type { Invitation } from '../../src/state/accounts.ts'
import { openState, type State } from '../../src/state/open.ts'
import { type DeliveryCounts, deliverDue } from '../../src/webhooks/deliver.ts'
import { openWebhooks, type Webhooks, type WebhooksOptions } from '../../src/webhooks/open.ts'
import { type Release, releaseEvents } from '../../src/webhooks/release.ts'
import { createSecret } from '../../src/webhooks/signing.ts'
import { createSubscriptionId, type Wanted } from '../../src/webhooks/subscriptions.ts'
import { rowsIn } from '../state/support.ts'
import { withFolder } from '../support/folder.ts'
import { newStatePlace } from '../support/state-place.ts'
import { type Receiver, type ReceiverOptions, withReceiver } from './receiver.ts'

export const START = '2026-08-14T12:00:00.000Z'

export interface World {
  readonly path: string
  readonly state: State
  readonly webhooks: Webhooks
  readonly at: () => Date
  readonly pass: (milliseconds: number) => void
  /** Creates an account, by default with the invitation `webhooks`. */
  readonly account: (invitations?: readonly Invitation[]) => Promise<string>
  /** Creates a subscription of a new account, by default to all deeds of Texas at `url`. */
  readonly subscribe: (
    url: string,
    wanted?: Partial<Wanted>,
  ) => Promise<{ id: string; secret: string; account_id: string }>
  readonly release: (
    events: readonly { id: string; type?: string; state?: string; county?: string }[],
  ) => Promise<Release>
  /** Delivers what is due. Retries are in the middle of their range. */
  readonly deliver: (options?: { signal?: AbortSignal; log?: Log }) => Promise<DeliveryCounts>
  readonly rows: (sql: string) => Promise<Record<string, unknown>[]>
}

export interface WorldOptions {
  readonly testHosts?: readonly string[]
  readonly env?: Record<string, string>
  readonly internet?: WebhooksOptions['internet']
}

/** Opens webhooks on a new state file with a controlled clock, runs the test and closes everything. */
export async function withWebhooks<T>(
  body: (world: World) => Promise<T>,
  { testHosts = [], env = {}, internet = {} }: WorldOptions = {},
): Promise<T> {
  return withFolder(async (folder) => {
    const path = await newStatePlace(folder)
    let at = Date.parse(START)
    const now = (): Date => new Date(at)
    const state = await openState(path, { now })
    const config = loadConfig({
      WEBHOOK_TEST_HOSTS: testHosts.join(','),
      PLATBOOK_URL: 'https://platbook.example.com',
      ...env,
    })
    const webhooks = await openWebhooks({ state, config, now, internet })
    const account = async (invitations: readonly Invitation[] = ['webhooks', 'events']): Promise<string> =>
      (await state.keys.create({ name: 'test', invitations })).key.account_id
    try {
      return await body({
        path,
        state,
        webhooks,
        at: now,
        pass(milliseconds) {
          at += milliseconds
        },
        account,
        async subscribe(url, wanted = {}) {
          const account_id = wanted.account_id ?? (await account())
          const [id, secret] = [createSubscriptionId(), createSecret()]
          await webhooks.subscriptions.create(id, secret, {
            account_id,
            url,
            name: null,
            event_type: 'deed.*',
            region: 'state:tx',
            area: 'TX',
            ...wanted,
          })
          return { id, secret, account_id }
        },
        release: (events) =>
          releaseEvents(
            state.db,
            events.map(({ id, type = 'deed.transfer', state: code = 'TX', county = '48453' }) => ({
              event_id: id,
              event_type: type,
              state: code,
              county_fips: county,
            })),
            now(),
          ),
        deliver: ({ signal = new AbortController().signal, log = silentLog } = {}) =>
          deliverDue({ webhooks, signal, log, random: () => 0.5 }),
        rows: (sql) => rowsIn(path, sql),
      })
    } finally {
      await webhooks.close()
      await state.close()
    }
  })
}

/** Runs a receiver that is a test host, and webhooks on a controlled clock. */
export async function withBoth(
  body: (world: World, receiver: Receiver) => Promise<void>,
  options: WorldOptions = {},
  how: ReceiverOptions = {},
): Promise<void> {
  await withReceiver(
    (receiver) =>
      withWebhooks((world) => body(world, receiver), {
        ...options,
        testHosts: [receiver.host],
        internet: { ca: receiver.certificate.cert, ...options.internet },
      }),
    how,
  )
}

/** Returns the status of an event's delivery. */
export const statusOf = async ({ rows }: World, event_id: string): Promise<unknown> =>
  (await rows(`select status from deliveries where event_id = '${event_id}'`))[0]?.['status']
