import { z } from '@hono/zod-openapi'
import { type FailureTable, STATUSES } from '../http/failure.ts'

/** Errors of the data-commons interface by code (data-commons-service.md 7.1, data-commons.md 2.3 and 7). */
export const commonsFailures: FailureTable = Object.freeze({
  statuses: Object.freeze({
    ...STATUSES,
    // 403 instead of 401: clients of this interface expect it, and 401 would make browsers prompt for a
    // password.
    unauthenticated: 403,
    // The public service responds in the same way (data-commons.md 7).
    no_index: 504,
  }),
  // `error` must come first, without a space after the colon, because the portal recognises errors by their
  // first characters.
  body: ({ code, message, requestId }) => ({
    error: message,
    message,
    ...(code === 'internal' ? { request_id: requestId } : {}),
  }),
  schema: z
    .object({ error: z.string(), message: z.string(), request_id: z.string().optional() })
    .describe('`error` and `message` have the same text. Only status 500 has `request_id`.'),
} satisfies FailureTable)
