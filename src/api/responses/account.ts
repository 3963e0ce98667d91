import { z } from 'zod'

/** Response of `GET /v1/account/usage/`. */
export const UsageResponse = z.strictObject({
  time_range: z.strictObject({ start_date: z.iso.date(), end_date: z.iso.date() }),
  usage_data: z.array(z.strictObject({ date: z.iso.date(), request_count: z.int().min(0) })),
  total_requests_in_timeperiod: z.int().min(0),
})
