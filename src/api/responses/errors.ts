import { z } from 'zod'

const TraceId = z.string().regex(/^[0-9a-f]{32}$/)
const Meta = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .nullable()
  .describe('For validation errors: `field` and `validation_error`.')

export const Envelope = z
  .strictObject({
    error: z.strictObject({
      code: z.int().describe('The HTTP status.'),
      message: z.string(),
      long_message: z.string(),
      meta: Meta,
    }),
    wp_trace_id: TraceId,
  })
  .meta({ id: 'ErrorBody' })

export const EventSearchEnvelope = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(['invalid_parameter', 'unknown_region', 'unauthorized', 'rate_limited', 'query_timeout']),
      message: z.string(),
      long_message: z.string(),
      meta: Meta,
    }),
    wp_trace_id: TraceId,
    lookup_url: z
      .string()
      .regex(/^\/v1\/regions\/states(?:\/[A-Z]{2}\/counties)?$/)
      .optional()
      .describe('For `unknown_region`: the path that lists the regions.'),
  })
  .meta({ id: 'EventSearchError' })

export const Message = z.strictObject({ message: z.string() }).meta({ id: 'Message' })

const CapExceeded = z
  .strictObject({
    message: z.string(),
    error: z.literal('usage_cap_exceeded'),
    error_instance_id: TraceId,
    limit: z.int(),
    used: z.int(),
    reset_at: z.iso.datetime({ offset: true }),
    upgrade_url: z.url(),
  })
  .meta({ id: 'UsageCapExceeded' })

export const TooMany = z.union([CapExceeded, Message]).meta({ id: 'TooManyRequests' })

export const Unprocessable = z
  .strictObject({
    detail: z.array(
      z.strictObject({
        loc: z.array(z.string()),
        msg: z.string(),
        type: z.string(),
        input: z.unknown(),
        ctx: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'Unprocessable' })
