/** The closed list of things that can go wrong for a caller. Each interface maps them to statuses. */
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
  /** Where the error is, as a path into the input: `filters.content[1].op`, `regions[0]`. */
  readonly at?: string
  /** For what passes by itself: after how many whole seconds another try may succeed. */
  readonly retryAfterSeconds?: number
}

/**
 * The only error the engine throws on purpose; anything else is a bug.
 * The message is one lower-case sentence: what was given, where, and what would be accepted.
 * It never holds a secret, a health datum or SQL.
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
