import type { z } from '@hono/zod-openapi'
import { EngineError, type ErrorCode } from '../../engine/shared/index.ts'
import { descriptorShortage } from '../../engine/shared/internal.ts'
import { json } from './reply.ts'

/** An error as sent to a client. */
interface Failure {
  readonly code: ErrorCode | 'internal'
  readonly status: number
  readonly message: string
  readonly path: string
  readonly requestId: string
}

/** Error format of an interface. Every module has one. */
export interface FailureTable {
  readonly statuses: Readonly<Record<ErrorCode | 'internal', number>>
  readonly body: (failure: Failure) => unknown
  /** Schema of the body for the API document. */
  readonly schema: z.ZodType
}

/** Default statuses of error codes. */
export const STATUSES = Object.freeze({
  bad_input: 400,
  bad_region: 400,
  not_found: 404,
  gone: 410,
  already_exists: 409,
  conflict: 409,
  precondition_failed: 412,
  forbidden: 403,
  unauthenticated: 401,
  too_large: 413,
  too_many: 400,
  unsupported_type: 415,
  method_not_allowed: 405,
  not_supported: 501,
  range_not_satisfiable: 416,
  busy: 503,
  rate_limited: 429,
  no_index: 500,
  corrupt_source: 500,
  unavailable: 503,
  internal: 500,
} satisfies FailureTable['statuses'])

/** Default Retry-After for temporary failures. */
export const RETRY_AFTER_SECONDS = 5
const PASSING: readonly (ErrorCode | 'internal')[] = Object.freeze(['busy', 'rate_limited'])

/** Converts any thrown value to an error response. Only the message of an EngineError is shown. */
export function answerFailure(
  thrown: unknown,
  table: FailureTable,
  request: { readonly path: string; readonly requestId: string },
): Response {
  const known = descriptorShortage(thrown) ?? (thrown instanceof EngineError ? thrown : undefined)
  const code = known?.code ?? 'internal'
  const status = table.statuses[code]
  const message = known === undefined ? 'internal server error' : withPlace(known)
  const passing = PASSING.includes(code) ? RETRY_AFTER_SECONDS : undefined
  const seconds = known?.retryAfterSeconds ?? passing
  const headers = seconds === undefined ? {} : { 'Retry-After': String(seconds) }
  return json(status, table.body({ code, status, message, ...request }), headers)
}

function withPlace({ at, message }: EngineError): string {
  return at === undefined || message.includes(at) ? message : `${at}: ${message}`
}
