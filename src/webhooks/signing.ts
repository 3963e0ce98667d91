import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A secret as its owner gets it: `whsec_` and base64 of 32 random bytes. */
export function createSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/**
 * The `webhook-id` of an event's notification to a subscription. Derived, so that every repeat has the same one:
 * retries, replays, and what is sent again after a crash.
 */
export function messageId(subscription_id: string, event_id: string): string {
  return `msg_${hash('sha256', `${subscription_id}.${event_id}`, 'hex').slice(0, 32)}`
}

/** What signs: made once for many notifications, because with the text of a secret a signature costs six times as much. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))
}

/** The headers of Standard Webhooks; one signature per key, so that a receiver may know the old or the new one. */
export function signedHeaders(
  message_id: string,
  at: Date,
  body: string,
  keys: readonly KeyObject[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${message_id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return {
    'webhook-id': message_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
