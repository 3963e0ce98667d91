import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { AppError, type ErrorCode } from '../errors.ts'

/** The body of most errors. `long_message` is what the caller may read; at 500 it says nothing of the cause. */
export interface ErrorEnvelope {
  readonly error: {
    /** The status; the events search has words of its own. */
    readonly code: number | string
    readonly message: string
    readonly long_message: string
    readonly meta: Readonly<Record<string, string | number>> | null
  }
  readonly wp_trace_id: string
}

export interface ErrorAnswer {
  readonly status: number
  /** Stands in place of the status in `error.code`. */
  readonly code?: string
  readonly long_message: string
  readonly meta: Readonly<Record<string, string | number>> | null
}

export function envelope({ status, code, long_message, meta }: ErrorAnswer, traceId: string): ErrorEnvelope {
  return {
    error: { code: code ?? status, message: STATUS_CODES[status] ?? 'Error', long_message, meta },
    wp_trace_id: traceId,
  }
}

const STATUS_OF: Partial<Record<ErrorCode, number>> = {
  invalid_parameter: 400,
  forbidden: 403,
  not_found: 404,
  unknown_id: 404,
  no_snapshot: 503,
}

// Fastify calls a body that isn't JSON a 400; the interface calls it unprocessable.
const UNPROCESSABLE = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY'])

/** What a caller is told about anything thrown. Whatever isn't known to be theirs is 500 and keeps its cause to itself. */
export function answerTo(error: unknown): ErrorAnswer {
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
    long_message: 'Something went wrong on our side; the trace id finds it in our logs.',
    meta: null,
  }
}

/** The error for a request that a schema refused; `part` and field stand before each reason: `query -> radius: …`. */
export function invalidRequest(
  part: 'query' | 'path' | 'body',
  issues: readonly z.core.$ZodIssue[],
): AppError {
  const [first] = issues
  const message = issues.map((issue) => `${[part, ...issue.path].join(' -> ')}: ${issue.message}`).join('; ')
  const details =
    first === undefined || first.path.length === 0
      ? {}
      : { field: first.path.join('.'), validation_error: first.message }
  return new AppError('invalid_parameter', message, { details })
}
