import type { z } from '@hono/zod-openapi'
import { EngineError, type ErrorCode } from '../../engine/shared/index.ts'
import { descriptorShortage } from '../../engine/shared/internal.ts'
import { json } from './reply.ts'

/** What a client is answered. */
export interface Failure {
  readonly code: ErrorCode | 'internal'
  readonly status: number
  readonly message: string
  readonly path: string
  readonly requestId: string
}

/** How one interface words its failures. Each module brings exactly one. */
export interface FailureTable {
  readonly statuses: Readonly<Record<ErrorCode | 'internal', number>>
  readonly body: (failure: Failure) => unknown
  /** The body's shape, for the API document. */
  readonly schema: z.ZodType
}

/** What a code is as a status, where an interface does not say otherwise. */
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

/** For failures that pass by themselves when nothing better is known. */
export const RETRY_AFTER_SECONDS = 5
const PASSING: readonly (ErrorCode | 'internal')[] = Object.freeze(['busy', 'rate_limited'])

/** Turns whatever was thrown into an answer; only an EngineError may speak for itself. */
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
