/** Closed list of error codes. Each interface maps them to status codes of its own. */
export type ErrorCode =
  | 'bad_input'
  | 'bad_region'
  | 'not_found'
  | 'gone'
  | 'already_exists'
  | 'conflict'
  | 'precondition_failed'
  | 'forbidden'
  | 'unauthenticated'
  | 'too_large'
  | 'too_many'
  | 'unsupported_type'
  | 'method_not_allowed'
  | 'not_supported'
  | 'range_not_satisfiable'
  | 'busy'
  | 'rate_limited'
  | 'no_index'
  | 'corrupt_source'
  | 'unavailable'

export interface ErrorDetails {
  readonly cause?: unknown
  /** Path to the error in the input, such as `filters.content[1].op` or `regions[0]`. */
  readonly at?: string
  /** Whole seconds after which a retry may succeed, for a temporary failure. */
  readonly retryAfterSeconds?: number
}

/**
 * The only error that the engine throws deliberately. Any other error is a bug. The message is one sentence in
 * lower case: what was given, where, and what would be accepted. It never contains secrets, health data or SQL.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: ErrorCode
  readonly at: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.at = details.at
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}
