import { AppError } from '../errors.ts'
import { randomText } from '../state/random-text.ts'
import { type Notification, notificationOf } from './notification.ts'
import type { Webhooks } from './open.ts'
import { jurisdictionOf } from './regions.ts'
import { isDelivered } from './retries.ts'
import type { EndpointResponse, Failure } from './sender.ts'
import { messageId, signedHeaders, signingKey } from './signing.ts'
import type { Subscription } from './subscriptions.ts'

export interface Trial {
  readonly isDelivered: boolean
  readonly at: Date
  readonly response: EndpointResponse
  readonly notification: Notification
}

type Endpoint = Pick<Subscription, 'subscription_id' | 'account_id' | 'url' | 'event_type' | 'area'>

/**
 * Sends one notification of a made-up event, in the same way as real notifications. The event is stored before it is sent, so
 * a receiver can fetch it before it answers.
 */
async function tryEndpoint(
  webhooks: Webhooks,
  { subscription_id, account_id, url, event_type, area }: Endpoint,
  secrets: readonly string[],
  challenge: Readonly<Record<string, string>> = {},
): Promise<Trial> {
  const at = webhooks.now()
  const event = await webhooks.testEvents.create(
    account_id,
    event_type,
    jurisdictionOf(webhooks.regions, area),
  )
  const notification = notificationOf(event, webhooks.baseUrl)
  const body = JSON.stringify(notification)
  const headers = signedHeaders(messageId(subscription_id, event.event_id), at, body, secrets.map(signingKey))
  const response = await webhooks.sender.post(url, { ...headers, ...challenge }, body)
  return { isDelivered: isDelivered(response), at, response, notification }
}

/** Sends a test notification to a subscription and logs it. A 410 makes the subscription inactive, as with real notifications. */
export async function testSubscription(webhooks: Webhooks, subscription: Subscription): Promise<Trial> {
  const { subscription_id } = subscription
  const trial = await tryEndpoint(
    webhooks,
    subscription,
    await webhooks.subscriptions.secrets(subscription_id),
  )
  const { at, response, notification } = trial
  await webhooks.deliveries.log(subscription_id, notification.event_id, at.getTime(), response)
  if (response.status_code === 410)
    await webhooks.deliveries.noteFailure(subscription_id, at.getTime(), response)
  return trial
}

const CHALLENGE_HEADER = 'webhook-challenge'

/**
 * Sends a test notification to a new or changed endpoint. The endpoint must answer with a 2xx status, and return the challenge if
 * `needsProof` (limits.ts) asks for it. @throws `invalid_parameter` with the reason.
 */
export async function validateEndpoint(
  webhooks: Webhooks,
  endpoint: Endpoint,
  secrets: readonly string[],
  isNewUrl: boolean,
): Promise<void> {
  const challenge = randomText(32)
  const needsProof = isNewUrl && (await webhooks.limits.needsProof(endpoint, endpoint.subscription_id))
  const sent = { [CHALLENGE_HEADER]: challenge }
  const { isDelivered: isFine, response } = await tryEndpoint(webhooks, endpoint, secrets, sent)
  if (isFine && (!needsProof || isEchoed(challenge, response.body))) return
  const reason = isFine
    ? `must answer the challenge, because other webhooks use its host: return the value of the header ${CHALLENGE_HEADER} as the body, or as {"challenge": "…"}`
    : `must answer a notification with a 2xx status: ${wordsFor(response)}`
  throw new AppError('invalid_parameter', `body -> url: ${reason}`, {
    details: { field: 'url', validation_error: reason },
  })
}

function isEchoed(challenge: string, body: string): boolean {
  return body.trim() === challenge || /"challenge"\s*:\s*"([0-9A-Za-z]{32})"/.exec(body)?.[1] === challenge
}

const WORDS: Readonly<Record<Failure, string>> = {
  address_refused: 'the address of its host is not public',
  name_unresolved: 'its host name has no address',
  connect_timeout: 'no connection was made in time',
  connect_failed: 'its host refused the connection or is not reachable',
  tls_failed: 'no TLS connection was made: its certificate is not trusted, or it does not support TLS',
  timeout: 'the whole response was not received in time',
  connection_lost: 'the connection was closed before the whole response was received',
  not_http: 'its response was not HTTP',
}

function wordsFor({ failure, status_code }: EndpointResponse): string {
  return failure === null ? `it answered ${status_code}` : WORDS[failure]
}
