import { z } from 'zod'
import type { EventPosition } from '../../state/access-events.ts'

// Messages follow pydantic, which the callers of the internal endpoints use. INTERNAL_ERRORS (errors.ts) takes type and context of
// an error from `params`.

const Required = z.string({
  error: (issue) => (issue.input === undefined ? 'Field required' : 'Input should be a valid string'),
})

// A time without an offset is UTC. A plus sign that a client did not encode arrives as a space.
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+\- ]\d{2}:?\d{2})?)?$/

/** A time in ISO 8601, parsed to milliseconds since 1970. */
const Instant = Required.transform((text, context) => {
  const [, day, time = '00:00', offset = 'Z'] = INSTANT.exec(text.trim()) ?? []
  const zone = offset
    .toUpperCase()
    .replace(' ', '+')
    .replace(/(\d{2})(\d{2})$/, '$1:$2')
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`)
  if (!Number.isNaN(at)) return at
  context.issues.push({
    code: 'custom',
    input: text,
    message: 'Input should be a valid datetime, such as 2026-06-01T00:00:00Z',
    params: { type: 'datetime_parsing', ctx: { error: 'not ISO 8601' } },
  })
  return z.NEVER
}).meta({ type: 'string', format: 'date-time' })

/** The form of a cursor: up to 31 characters as base64url. */
export const CURSOR_TEXT = /^[\w-]{4,42}$/

/** Returns the cursor of a position. Callers send it back unchanged. */
export function cursorOf({ event_ts, id }: EventPosition): string {
  return Buffer.from(`${event_ts}.${id}`).toString('base64url')
}

const Cursor = z
  .string('Input should be a valid string')
  .transform((text, context): EventPosition => {
    const [, event_ts, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
    if (id !== undefined) return { event_ts: Number(event_ts), id: Number(id) }
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'Input should be the next_cursor of an earlier response',
      params: { type: 'value_error', ctx: { error: 'not a cursor' } },
    })
    return z.NEVER
  })
  .meta({
    type: 'string',
    pattern: CURSOR_TEXT.source,
    description: 'The `next_cursor` of the page before.',
  })

const RANGE = { start: Instant, end: Instant, cursor: Cursor.exactOptional() }

function inOrder({ start, end }: { start: number; end: number }, context: z.RefinementCtx): void {
  if (start <= end) return
  context.addIssue({
    code: 'custom',
    path: ['end'],
    message: 'Value error, end should not be before start',
    params: { type: 'value_error', ctx: { error: 'end before start' } },
  })
}

/** Query of `GET /internal/access-events/dump`. The range includes `start` and excludes `end`. */
export const DumpQuery = z.object(RANGE).superRefine(inOrder)

/** Query of `GET /internal/access-events/by-key`. */
export const ByKeyQuery = z
  .object({ api_key_id: Required.min(1, 'String should have at least 1 character'), ...RANGE })
  .superRefine(inOrder)
