import { z } from 'zod'
import { CURSOR_TEXT } from '../parameters/internal.ts'
import { Purpose } from '../../state/purposes.ts'

/** Response of `GET /internal/access-events/dump` and `…/by-key`. */
export const AccessEventsResponse = z.strictObject({
  events: z.array(
    z
      .strictObject({
        id: z.int(),
        event_ts: z.iso.datetime(),
        trace_id: z.string(),
        api_key_id: z.string(),
        http_method: z.string(),
        route: z.string().describe('The path template of the route, without the values.'),
        status_code: z.int(),
        duration_ms: z.int(),
        billable: z.boolean(),
        purpose: Purpose.optional().describe(
          'The purpose of the key as the operator recorded it. Absent when none was recorded.',
        ),
      })
      .meta({ id: 'AccessEvent' }),
  ),
  next_cursor: z
    .string()
    .regex(CURSOR_TEXT)
    .optional()
    .describe('The cursor of the next page. Absent on the last page.'),
})
