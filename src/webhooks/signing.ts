import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Returns a new secret in the form shown to its owner: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/**
 * Returns the `webhook-id` of an event's notification to a subscription. It is a hash of both ids, so retries, replays and
 * repeats after a crash have the same id.
 */
export function messageId(subscription_id: string, event_id: string): string {
  return `msg_${hash('sha256', `${subscription_id}.${event_id}`, 'hex').slice(0, 32)}`
}

/** Returns the key for signatures. Create it once for many notifications: signing with the text of a secret is much slower. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))
}

/** Returns the headers of Standard Webhooks, with one signature per key, so a receiver may use the old or the new secret. */
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
