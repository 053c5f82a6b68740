import { z } from '@hono/zod-openapi'
import { type FailureTable, STATUSES } from '../http/failure.ts'

/** Code to status for the data-commons interface (data-commons-service.md 7.1, data-commons.md 2.3 and 7). */
export const commonsFailures: FailureTable = Object.freeze({
  statuses: Object.freeze({
    ...STATUSES,
    // 403, not 401: clients of this interface know no other refusal, and 401 would ask a browser
    // for a password.
    unauthenticated: 403,
    no_index: 504,
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
