import { z } from 'zod'
import { EVENT_TYPES } from '../../normalize/regions.ts'
import { ENDPOINT_FORM, MOST_CHARACTERS } from '../../webhooks/endpoint.ts'
import { hasControls } from '../../printable.ts'
import { Text } from './fields.ts'

const Status = z.enum(['active', 'inactive'], {
  error: ({ input }) => (Array.isArray(input) ? 'must be given only once' : 'must be active or inactive'),
})

const Url = z
  .string({ error: 'must be text' })
  .min(1, 'must not be empty')
  .meta({
    format: 'uri',
    maxLength: MOST_CHARACTERS,
    pattern: ENDPOINT_FORM.source,
    examples: ['https://receiver.example.com/deeds'],
  })
  .describe('An https URL at a public host. It must answer notifications with a 2xx status.')

const EVENT_PATTERNS = ['deed.*', ...EVENT_TYPES] as const
const EventType = z
  .enum(EVENT_PATTERNS, { error: `must be one of ${EVENT_PATTERNS.join(', ')}` })
  .describe('One event type, or `deed.*` for all deed events.')

const RegionText = z
  .string({ error: 'must be text' })
  .trim()
  .regex(/^(?:state|county):\S+$/i, 'must be state:tx, county:tx.travis or county:48453')
  .meta({ examples: ['state:tx', 'county:tx.travis', 'county:48453'] })
  .describe('A state or county that supports events. `/v1/regions/states` lists the states.')

const Name = Text.refine((name) => !hasControls(name), 'must not contain control characters')
  .nullable()
  .describe('Your own label for the webhook. Control characters are not allowed.')

/** Body of `POST /v1/webhooks/`. */
export const NewWebhook = z.object({
  url: Url,
  event_type: EventType,
  region: RegionText,
  name: Name.default(null),
})

/** Body of `PATCH /v1/webhooks/{webhook_id}`: the fields to change. */
export const WebhookChanges = z
  .object({
    url: Url.exactOptional(),
    event_type: EventType.exactOptional(),
    region: RegionText.exactOptional(),
    name: Name.exactOptional(),
    status: Status.exactOptional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, {
    error: 'must have at least one of url, event_type, region, name, status',
  })
  .meta({ minProperties: 1 })

/** Body of `POST /v1/webhooks/{webhook_id}/rotate_secret`: an empty object or no body. */
export const RotateRequest = z
  .strictObject(
    {},
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? 'must be an empty object: this operation has no options'
          : 'must be a JSON object',
    },
  )
  .nullish()

/** Body of `POST /v1/webhooks/{webhook_id}/test`: any object, which is ignored, or no body. */
export const TestRequest = z.looseObject({}, { error: 'must be a JSON object' }).nullish()

/** Query of `GET /v1/webhooks/`. */
export const WebhookFilter = z.object({
  status: Status.exactOptional(),
  event_type: Text.exactOptional().describe('The event type of the subscription, such as `deed.*`.'),
})

// The form of the id is not checked: a malformed id gets 404, like an unknown one.
export const WebhookPath = z.object({ webhook_id: z.string().meta({ pattern: '^wh_[0-9A-Za-z]{22}$' }) })
