import { z } from 'zod'
import { EVENT_TYPES } from '../../normalize/regions.ts'

const supported_webhook_events = z
  .array(z.enum(EVENT_TYPES))
  .describe('The event types that webhooks and the event search support in this region.')

/** Response of `GET /v1/regions/states`. */
export const StatesResponse = z.strictObject({
  results: z.array(
    z
      .strictObject({
        slug: z.string().meta({ examples: ['texas'] }),
        state_code: z.string().regex(/^[A-Z]{2}$/),
        name: z.string(),
        supported_webhook_events,
      })
      .meta({ id: 'State' }),
  ),
})

/** Response of `GET /v1/regions/states/{state_code}/counties`. */
export const CountiesResponse = z.strictObject({
  results: z.array(
    z
      .strictObject({
        slug: z.string().meta({ examples: ['miami_dade'] }),
        name: z.string(),
        fips_code: z.string().regex(/^\d{5}$/),
        supported_webhook_events,
      })
      .meta({ id: 'County' }),
  ),
})
