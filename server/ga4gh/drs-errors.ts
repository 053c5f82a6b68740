import { z } from '@hono/zod-openapi'
import { type FailureTable, STATUSES } from '../http/failure.ts'

/** Code to status for the Data Repository Service, and its body (DRS 1.5, Error). */
export const drsFailures: FailureTable = Object.freeze({
  statuses: STATUSES,
  body: ({ status, message }) => ({ msg: message, status_code: status }),
  schema: z.object({ msg: z.string(), status_code: z.int() }).openapi('DrsError'),
} satisfies FailureTable)
