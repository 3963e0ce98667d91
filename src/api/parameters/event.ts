import { z } from 'zod'
import { CURSOR } from '../../events/position.ts'
import { Day, INTEGER, number, once, Text } from './fields.ts'

const missing = 'is required, such as state:tx, county:tx.travis or county:48453'
const Region = z
  .string({ error: (issue) => (issue.input === undefined ? missing : once(issue)) })
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .meta({ examples: ['state:tx', 'county:tx.travis', 'county:48453'] })

/** Query of `GET /v1/events/deed`. Other parameters are ignored. */
export const EventSearch = z
  .object({
    region: Region,
    property_id: Text.regex(
      /^R[0-9A-Za-z]{10}$/,
      'a property id is R followed by exactly 10 alphanumeric characters, such as R19Xrg1Zr34',
    ).exactOptional(),
    event_date_from: Day.exactOptional(),
    event_date_to: Day.exactOptional(),
    limit: number(INTEGER, 'a whole number', 1, 100).default(20),
    // The route checks the cursor, so that a malformed cursor gets the same error as a cursor of another search.
    cursor: Text.meta({ pattern: CURSOR.source })
      .exactOptional()
      .describe('The `next_cursor` of the page before. The other parameters must be those of that search.'),
  })
  .superRefine(({ event_date_from, event_date_to }, context) => {
    if (event_date_from === undefined || event_date_to === undefined || event_date_from <= event_date_to)
      return
    context.addIssue({
      code: 'custom',
      path: ['event_date_from'],
      message: 'must not be later than event_date_to',
    })
  })
export type EventSearch = z.output<typeof EventSearch>

export const EventPath = z.object({
  event_id: z
    .string()
    .trim()
    .toLowerCase()
    .regex(
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      'an event id is a UUID, such as 7d6ad2c4-3f5e-5a7b-9c1d-0e2f4a6b8c0d',
    ),
})
