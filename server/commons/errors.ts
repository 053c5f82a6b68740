import { z } from 'zod'
import type { FailureTable } from '../http/failure.ts'

/** Code to status for the data-commons interface (001 7.1, contract 2.3 and 7). */
export const commonsFailures: FailureTable = Object.freeze({
  statuses: Object.freeze({
    bad_input: 400,
    bad_region: 400,
    not_found: 404,
    already_exists: 409,
    conflict: 409,
    forbidden: 403,
    // 403, not 401: clients of this interface know no other refusal, and 401 would ask a browser
    // for a password.
    unauthenticated: 403,
    too_large: 413,
    too_many: 400,
    unsupported_type: 415,
    method_not_allowed: 405,
    range_not_satisfiable: 416,
    busy: 503,
    rate_limited: 429,
    no_index: 504,
    corrupt_source: 500,
    unavailable: 503,
    internal: 500,
  }),
  // `error` first and no blank after the colon: the portal recognises failures by how they start.
  body: ({ code, message, requestId }) => ({
    error: message,
    message,
    ...(code === 'internal' ? { request_id: requestId } : {}),
  }),
  schema: z
    .object({ error: z.string(), message: z.string() })
    .describe('Both members hold the same text.'),
} satisfies FailureTable)
