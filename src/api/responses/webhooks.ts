import { z } from 'zod'
import { ENDPOINT_FORM } from '../../webhooks/endpoint.ts'

/** Body of a notification. */
export const Notification = z
  .strictObject({
    event_id: z.string().describe('The id of the event. For a finished enrichment: its id.'),
    event_type: z.string(),
    links: z.array(z.strictObject({ version: z.literal('1'), url: z.url() })),
  })
  .meta({ id: 'Notification' })

const WEBHOOK = {
  id: z.string().regex(/^wh_[0-9A-Za-z]{22}$/),
  url: z.string().regex(ENDPOINT_FORM),
  name: z.string().nullable(),
  event_type: z.string(),
  region: z.string(),
  status: z.enum(['active', 'inactive']),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}
const Webhook = z.strictObject(WEBHOOK).meta({ id: 'Webhook' })
const signing_secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
  .describe('The secret that signs the notifications (Standard Webhooks). Only this response shows it.')

/** Response with one webhook. */
export const WebhookResponse = z.strictObject({ result: Webhook })

/** Response of the creation of a webhook and of the rotation of its secret. */
export const WebhookWithSecretResponse = z.strictObject({
  result: z.strictObject({ ...WEBHOOK, signing_secret }).meta({ id: 'WebhookWithSecret' }),
})

/** Response of `GET /v1/webhooks/`. */
export const WebhooksResponse = z.strictObject({ results: z.array(Webhook) })

/** Response of `POST /v1/webhooks/{webhook_id}/test`. */
export const WebhookTestResponse = z.strictObject({
  success: z.boolean(),
  delivery: z.strictObject({
    status_code: z.int().min(0).describe('0 when the endpoint did not answer.'),
    response_time_ms: z.int().min(0),
    timestamp: z.iso.datetime(),
  }),
  payload: Notification,
})
