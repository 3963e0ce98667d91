export type ErrorCode =
  | 'bad_config'
  | 'bad_definition'
  | 'bad_usage'
  | 'bad_input'
  | 'input_changed'
  | 'output_unwritable'
  | 'stopped'
  | 'source_unreadable'
  | 'header_drift'
  | 'too_many_refused'
  | 'model_failed'
  | 'not_linked'
  | 'check_failed'
  | 'stage_failed'
  | 'cluster_unreachable'
  | 'disk_full'
  | 'no_snapshot'
  | 'bad_snapshot'
  | 'other_version'
  | 'no_warehouse'
  | 'warehouse_locked'
  | 'warehouse_damaged'
  | 'warehouse_unusable'
  | 'state_damaged'
  | 'state_missing'
  | 'unknown_id'
  | 'invalid_parameter'
  | 'unprocessable'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'not_received'
  | 'uri_too_long'
  | 'rate_limited'
  | 'usage_cap_exceeded'
  | 'unknown_region'
  | 'query_timeout'
  | 'overloaded'
  | 'address_refused'
  | 'unsupported_media_type'
  | 'not_in_store'
  | 'changed_in_store'
  | 'store_failed'
  | 'other_publisher'

/**
 * The only error class of Platbook. `message` names the faulty value and the next step. Callers compare `code`, not the class.
 * `details` has values for programs (file, line, field), but never personal data or keys.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, string | number>>

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Record<string, string | number> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = Object.freeze({ ...options.details })
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The exit code of a command that found the warehouse in use by another process. The command may succeed later. */
export const EXIT_LATER = 75
