import { z } from 'zod'
import { CURSOR_TEXT } from '../parameters/internal.ts'
import { Purpose } from '../../state/purposes.ts'

/** `GET /internal/access-events/dump` and `…/by-key` */
export const AccessEventsAnswer = z.strictObject({
  events: z.array(
    z
      .strictObject({
        id: z.int(),
        event_ts: z.iso.datetime(),
        trace_id: z.string(),
        api_key_id: z.string(),
        http_method: z.string(),
        route: z.string().describe('the template, without the values'),
        status_code: z.int(),
        duration_ms: z.int(),
        billable: z.boolean(),
        purpose: Purpose.optional().describe(
          'why the holder of the key may ask, as the operator recorded it; absent when nothing was recorded',
        ),
      })
      .meta({ id: 'AccessEvent' }),
  ),
  next_cursor: z
    .string()
    .regex(CURSOR_TEXT)
    .optional()
    .describe('where the next page begins; absent on the last one'),
})
