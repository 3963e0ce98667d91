import { z } from 'zod'
import { Day } from './fields.ts'

const MOST_DAYS = 90
const DAY_MS = 86_400_000

/** Query of `GET /v1/account/usage/`. The range includes both days. */
export const UsageQuery = z
  .object({ start_date: Day, end_date: Day })
  .superRefine(({ start_date, end_date }, context) => {
    const days = (Date.parse(end_date) - Date.parse(start_date)) / DAY_MS + 1
    if (days < 1) {
      context.addIssue({ code: 'custom', path: ['end_date'], message: 'must not be before start_date' })
    } else if (days > MOST_DAYS) {
      context.addIssue({
        code: 'custom',
        path: ['end_date'],
        message: `the range from start_date to end_date must have at most ${MOST_DAYS} days, both dates included`,
      })
    }
  })
