import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { parseEndpoint } from '../../webhooks/endpoint.ts'
import { createSecret } from '../../webhooks/signing.ts'
import { type Changes, createSubscriptionId, type Subscription } from '../../webhooks/subscriptions.ts'
import { testSubscription, validateEndpoint } from '../../webhooks/try-endpoint.ts'
import {
  WebhookResponse,
  WebhooksResponse,
  WebhookTestResponse,
  WebhookWithSecretResponse,
} from '../responses/webhooks.ts'
import { FREE } from '../billing.ts'
import { NoParameters } from '../parameters/fields.ts'
import {
  NewWebhook,
  RotateRequest,
  TestRequest,
  WebhookChanges,
  WebhookFilter,
  WebhookPath,
} from '../parameters/webhooks.ts'
import type { RouteOptions } from './options.ts'

type Called = Pick<Subscription, 'account_id' | 'url'>

/** Returns a webhook in the form that callers see. */
function resourceOf(subscription: Subscription) {
  const { subscription_id: id, url, name, event_type, region, status, created_at, updated_at } = subscription
  return { id, url, name, event_type, region, status, created_at, updated_at }
}

function accountOf({ caller }: Pick<FastifyRequest, 'caller'>): string {
  return caller?.key.account_id ?? ''
}

/** Routes `/v1/webhooks/…`: subscriptions to deed events, for invited accounts. */
export const webhooks: FastifyPluginAsync<RouteOptions> = async (
  app,
  { meter, endpointCalls, webhooks: webhookParts, eventRegions },
) => {
  const { subscriptions, limits, testHosts } = webhookParts
  const readRegion = (text: string): Pick<Subscription, 'region' | 'area'> => {
    const { state_code, fips_code } = eventRegions.read(text, 'body')
    return { region: text.trim().toLowerCase(), area: fips_code ?? state_code }
  }
  const tag = 'Webhooks'
  const reads = meter.key('webhooks:read', FREE, 'webhooks')
  const writes = meter.key('webhooks:write', FREE, 'webhooks')

  // Counts a call to an endpoint that a request causes, so that an account cannot flood a third party. @throws `rate_limited`
  function takeCall(request: FastifyRequest, reply: FastifyReply, called: Called): void {
    const wait = limits.take(called, request.arrivedAt)
    if (wait === 0) return
    void reply.header('retry-after', String(Math.ceil(wait)))
    const calls = 'Too many calls to endpoints of this account or at this host'
    throw new AppError(
      'rate_limited',
      `${calls}. Wait for the number of seconds in the header Retry-After, then try again.`,
    )
  }

  app.endpoint(
    {
      method: 'POST',
      path: '/v1/webhooks/',
      operationId: 'createWebhook',
      isWaiting: true,
      tag,
      summary: 'Subscribe to deed events',
      description:
        'The service sends a signed notification of a made-up event to the endpoint, which must answer with a 2xx status. When other accounts use the host, or the account already has five webhooks there, the endpoint must also return the value of the header `webhook-challenge` as the body. Only this response contains the signing secret. 409: the account already has an active webhook with the same url, event type and region, or has reached its limit of webhooks in total or at this host. 429: endpoints of the account or at this host were called too often within a minute.',
      access: writes,
      request: { body: NewWebhook },
      responses: { 201: WebhookWithSecretResponse },
      failures: [400, 409],
    },
    async (request, reply) => {
      const { url, event_type, region, name } = request.body
      parseEndpoint(url, testHosts)
      const wanted = { account_id: accountOf(request), url, event_type, name, ...readRegion(region) }
      await subscriptions.refuseDuplicate(wanted)
      await limits.refuseTooMany(wanted)
      takeCall(request, reply, wanted)
      const [subscription_id, signing_secret] = [createSubscriptionId(), createSecret()]
      await endpointCalls.run(wanted.account_id, () =>
        validateEndpoint(webhookParts, { ...wanted, subscription_id }, [signing_secret], true),
      )
      const made = await subscriptions.create(subscription_id, signing_secret, wanted)
      return reply.code(201).send({ result: { ...resourceOf(made), signing_secret } })
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/webhooks/',
      operationId: 'listWebhooks',
      tag,
      summary: 'List the webhooks of the account, oldest first',
      access: reads,
      request: { query: WebhookFilter },
      responses: { 200: WebhooksResponse },
    },
    async (request) => {
      const mine = await subscriptions.list({ account_id: accountOf(request), ...request.query })
      return { results: mine.map(resourceOf) }
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/webhooks/{webhook_id}',
      operationId: 'getWebhook',
      tag,
      summary: 'Get a webhook by id',
      access: reads,
      request: { path: WebhookPath },
      responses: { 200: WebhookResponse },
      failures: [404],
    },
    async (request) => ({
      result: resourceOf(await subscriptions.get(accountOf(request), request.params.webhook_id)),
    }),
  )

  app.endpoint(
    {
      method: 'PATCH',
      path: '/v1/webhooks/{webhook_id}',
      operationId: 'updateWebhook',
      isWaiting: true,
      tag,
      summary: 'Change, activate or deactivate a webhook',
      description:
        'When the url changes, or the webhook becomes active again, the endpoint must answer a test notification as on creation.',
      access: writes,
      request: { path: WebhookPath, body: WebhookChanges },
      responses: { 200: WebhookResponse },
      failures: [400, 404, 409],
    },
    async (request, reply) => {
      const { region, ...others } = request.body
      const account_id = accountOf(request)
      const before = await subscriptions.get(account_id, request.params.webhook_id)
      if (others.url !== undefined) parseEndpoint(others.url, testHosts)
      const changes: Changes = { ...others, ...(region === undefined ? {} : readRegion(region)) }
      const after = { ...before, ...changes }
      if (before.url !== after.url) await limits.refuseTooMany(after, before.subscription_id)
      if (after.status === 'active') {
        await subscriptions.refuseDuplicate(after, before.subscription_id)
        if (before.status === 'inactive' || before.url !== after.url) {
          takeCall(request, reply, after)
          await endpointCalls.run(account_id, async () =>
            validateEndpoint(
              webhookParts,
              after,
              await subscriptions.secrets(before.subscription_id),
              before.url !== after.url,
            ),
          )
        }
      }
      return { result: resourceOf(await subscriptions.update(account_id, before.subscription_id, changes)) }
    },
  )

  app.endpoint(
    {
      method: 'DELETE',
      path: '/v1/webhooks/{webhook_id}',
      operationId: 'deleteWebhook',
      tag,
      summary: 'Delete a webhook',
      description: 'Deliveries that are still waiting are cancelled.',
      access: writes,
      request: { path: WebhookPath },
      responses: { 204: null },
      failures: [404],
    },
    async (request, reply) => {
      await subscriptions.delete(accountOf(request), request.params.webhook_id)
      void reply.code(204).send()
    },
  )

  app.endpoint(
    {
      method: 'POST',
      path: '/v1/webhooks/{webhook_id}/test',
      operationId: 'testWebhook',
      isWaiting: true,
      tag,
      summary: 'Send a test notification of a made-up event',
      description:
        'Returns the status of the endpoint. The made-up event can be fetched by its id and has `"test": true`. A failed test notification is not retried.',
      access: writes,
      request: { path: WebhookPath, body: TestRequest },
      responses: { 200: WebhookTestResponse },
      failures: [404],
    },
    async (request, reply) => {
      const subscription = await subscriptions.get(accountOf(request), request.params.webhook_id)
      takeCall(request, reply, subscription)
      const { isDelivered, at, response, notification } = await endpointCalls.run(accountOf(request), () =>
        testSubscription(webhookParts, subscription),
      )
      return {
        success: isDelivered,
        delivery: {
          status_code: response.status_code,
          response_time_ms: response.duration_ms,
          timestamp: at.toISOString(),
        },
        payload: notification,
      }
    },
  )

  app.endpoint(
    {
      method: 'POST',
      path: '/v1/webhooks/{webhook_id}/rotate_secret',
      operationId: 'rotateWebhookSecret',
      tag,
      summary: 'Replace the signing secret of a webhook',
      description: 'For 24 hours, notifications are signed with both the new and the replaced secret.',
      access: writes,
      request: { path: WebhookPath, query: NoParameters, body: RotateRequest },
      responses: { 200: WebhookWithSecretResponse },
      failures: [404],
    },
    async (request) => {
      const account_id = accountOf(request)
      const signing_secret = await subscriptions.rotateSecret(account_id, request.params.webhook_id)
      const changed = await subscriptions.get(account_id, request.params.webhook_id)
      return { result: { ...resourceOf(changed), signing_secret } }
    },
  )
}
