import type { Database } from '../state/database.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Channel, channelsOf } from './channels.ts'
import type { Condition } from './condition.ts'
import { Notices, type Observer } from './notices.ts'

export interface NotifyOptions {
  readonly config: Config
  readonly db: Database
  readonly now: Clock
  readonly log: Log
}

/** Returns whether any channel is configured. */
export function isNotifying(config: Config): boolean {
  return channelsOf(config).length > 0
}

/**
 * Records the problems (conditions) that exist now, as one observer sees them: the check of the sources or of the service.
 * They replace the problems that this observer recorded before. `sendNotices` reports which problems began or ended.
 */
export async function noteConditions(
  { config, db, now }: Pick<NotifyOptions, 'config' | 'db' | 'now'>,
  observer: Observer,
  conditions: readonly Condition[],
): Promise<void> {
  const channels = channelsOf(config).filter(({ name }) => name !== 'deadman')
  if (channels.length === 0) return
  await new Notices(db).observe(
    observer,
    conditions,
    channels.map(({ name }) => name),
    now(),
  )
}

/** Records that a nightly run ended without any failure. */
export async function noteGoodRun({
  config,
  db,
  now,
}: Pick<NotifyOptions, 'config' | 'db' | 'now'>): Promise<void> {
  if (config.NOTIFY_DEADMAN_URL !== undefined) await new Notices(db).noteGoodRun(['deadman'], now())
}

/** Sends the due messages. A failure is logged, not thrown, and the message is sent again later. */
export async function sendNotices({
  config,
  db,
  now,
  log,
}: NotifyOptions): Promise<{ sent: number; failed: number }> {
  const channels = new Map<string, Channel>(channelsOf(config).map((channel) => [channel.name, channel]))
  const notices = new Notices(db)
  let [sent, failed] = [0, 0]
  if (channels.size === 0) return { sent, failed }
  for (const claim of await notices.claim([...channels.keys()], now())) {
    const failure = await channels
      .get(claim.channel)
      ?.send(claim.message)
      .then(
        () => null,
        (cause: unknown) => messageOf(cause),
      )
    if (failure === undefined) continue
    await notices.settle(claim, failure, now())
    if (failure === null) sent += 1
    else {
      failed += 1
      log.warn({ channel: claim.channel, reason: failure }, 'a notification could not be sent')
    }
  }
  return { sent, failed }
}
