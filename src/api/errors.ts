import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { SHORT_OF_SPACE } from '../enrich/jobs/disk-space.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { isFull } from '../state/faults.ts'
import { Envelope, EventSearchEnvelope, Message, TooMany, Unprocessable } from './responses/errors.ts'

export interface ErrorReply {
  readonly status: number
  readonly body: object
}

/** The form of a route's error responses. */
export interface ErrorStyle {
  /** The status of a request whose path or query does not match its schema. */
  readonly refusedStatus: 400 | 422
  /** The schemas of bodies, by status. This style uses no other status. */
  readonly responses: Readonly<Record<number, z.ZodType>>
  /** Returns status and body for a thrown error. An error that the caller did not cause is 500, and its cause is not shown. */
  readonly responseTo: (error: unknown, traceId: string) => ErrorReply
}

const STATUS_OF: Partial<Record<ErrorCode, number>> = {
  invalid_parameter: 400,
  unknown_region: 400,
  bad_input: 422,
  unauthorized: 403,
  forbidden: 403,
  not_found: 404,
  unknown_id: 404,
  not_received: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  uri_too_long: 414,
  unprocessable: 422,
  rate_limited: 429,
  usage_cap_exceeded: 429,
  no_snapshot: 503,
  overloaded: 503,
  query_timeout: 504,
}

// Fastify answers 400 for a body that is not JSON; the interface asks for 422.
const UNPROCESSABLE = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY'])

interface Cause {
  readonly status: number
  readonly long_message: string
  readonly meta: Readonly<Record<string, string | number>> | null
}

/** Returns the body of most errors. `long_message` is shown to the caller. */
export function envelope(
  status: number,
  long_message: string,
  traceId: string,
  meta: Cause['meta'] = null,
): z.output<typeof Envelope> {
  return {
    error: { code: status, message: STATUS_CODES[status] ?? 'Error', long_message, meta },
    wp_trace_id: traceId,
  }
}

function causeOf(error: unknown): Cause {
  if (isDiskFull(error)) return { status: 507, long_message: SHORT_OF_SPACE, meta: null }
  if (error instanceof AppError) {
    const status = STATUS_OF[error.code] ?? 500
    if (status !== 500) {
      const meta = Object.keys(error.details).length === 0 ? null : error.details
      return { status, long_message: error.message, meta }
    }
  }
  const { code, statusCode, message } = error as { code?: unknown; statusCode?: unknown; message?: unknown }
  if (
    typeof code === 'string' &&
    code.startsWith('FST_') &&
    typeof statusCode === 'number' &&
    statusCode < 500
  ) {
    const status = UNPROCESSABLE.has(code) ? 422 : statusCode
    return { status, long_message: String(message), meta: null }
  }
  return {
    status: 500,
    long_message:
      'The service failed to answer this request. The operator can find the cause in the log by the trace id.',
    meta: null,
  }
}

// Returns whether the error or one of its causes is a full disk, by the codes of SQLite and the operating system.
function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown }
    if (code === 'disk_full' || code === 'ENOSPC' || code === 'EDQUOT' || isFull(cause)) return true
  }
  return false
}

function bodies(schema: z.ZodType, statuses: readonly number[]): Record<number, z.ZodType> {
  return Object.fromEntries(statuses.map((status) => [status, schema]))
}

/** Errors in the envelope. 403 and 429 have a body of their own. */
export const ENVELOPE_ERRORS: ErrorStyle = {
  refusedStatus: 400,
  responses: {
    ...bodies(Envelope, [400, 404, 408, 409, 413, 414, 415, 422, 431, 500, 503, 504, 507]),
    403: Message,
    429: TooMany,
  },
  responseTo(error, traceId) {
    const { status, long_message, meta } = causeOf(error)
    if (error instanceof AppError) {
      if (error.code === 'usage_cap_exceeded') {
        const body = {
          message: error.message,
          error: error.code,
          error_instance_id: traceId,
          ...error.details,
        }
        return { status, body }
      }
      if (status === 403 || status === 429) return { status, body: { message: error.message } }
    }
    return { status, body: envelope(status, long_message, traceId, meta) }
  },
}

const EVENT_SEARCH_STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_parameter: 400,
  unknown_region: 400,
  unauthorized: 401,
  rate_limited: 429,
  query_timeout: 504,
}

/** Errors of the events search. `error.code` is a word. A `lookup_url` in the details of the AppError also becomes a field beside `error`. */
export const EVENT_SEARCH_ERRORS: ErrorStyle = {
  refusedStatus: 400,
  responses: {
    ...bodies(EventSearchEnvelope, [400, 401, 429, 504]),
    ...bodies(Envelope, [414, 431, 500, 503]),
    403: Message,
  },
  responseTo(error, traceId) {
    const status = error instanceof AppError ? EVENT_SEARCH_STATUS[error.code] : undefined
    if (!(error instanceof AppError) || status === undefined)
      return ENVELOPE_ERRORS.responseTo(error, traceId)
    const { code, message: long_message, details } = error
    const meta = Object.keys(details).length === 0 ? null : details
    const body = {
      error: { code, message: STATUS_CODES[status] ?? 'Error', long_message, meta },
      wp_trace_id: traceId,
    }
    const { lookup_url } = details
    return { status, body: lookup_url === undefined ? body : { ...body, lookup_url } }
  },
}

/** Errors of the internal endpoints. Invalid requests are answered with 422 and a list in the form of pydantic, which their callers use. */
export const INTERNAL_ERRORS: ErrorStyle = {
  refusedStatus: 422,
  responses: { ...bodies(Envelope, [400, 414, 431, 500, 503]), 403: Message, 422: Unprocessable },
  responseTo(error, traceId) {
    if (!(error instanceof AppError && error.cause instanceof z.ZodError)) {
      return ENVELOPE_ERRORS.responseTo(error, traceId)
    }
    const detail = error.cause.issues.map((issue) => ({
      loc: ['query', ...issue.path.map(String)],
      msg: issue.message,
      ...reasonOf(issue),
      input: issue.input ?? null,
    }))
    return { status: 422, body: { detail } }
  },
}

function reasonOf(issue: z.core.$ZodIssue): { type: string; ctx: Readonly<Record<string, unknown>> } {
  if (issue.code === 'custom' && typeof issue.params?.['type'] === 'string') {
    return { type: issue.params['type'], ctx: (issue.params['ctx'] ?? {}) as Record<string, unknown> }
  }
  if (issue.code === 'too_small') return { type: 'string_too_short', ctx: { min_length: issue.minimum } }
  return { type: issue.input === undefined ? 'missing' : 'string_type', ctx: {} }
}

/** Returns the error for a request that does not match its schema. Each reason begins with its part and field: `query -> radius: …`. */
export function refusedRequest(part: 'query' | 'path' | 'body', cause: z.ZodError): AppError {
  const { issues } = cause
  const [first] = issues
  const message = issues.map((issue) => `${[part, ...issue.path].join(' -> ')}: ${issue.message}`).join('; ')
  const details =
    first === undefined || first.path.length === 0
      ? {}
      : { field: first.path.join('.'), validation_error: first.message }
  return new AppError(part === 'body' ? 'unprocessable' : 'invalid_parameter', message, { details, cause })
}
