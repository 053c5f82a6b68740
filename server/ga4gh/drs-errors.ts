import { z } from '@hono/zod-openapi'
import { type FailureTable, STATUSES } from '../http/failure.ts'

/** Statuses and bodies of errors of the Data Repository Service (DRS 1.5, Error). */
export const drsFailures: FailureTable = Object.freeze({
  statuses: STATUSES,
  body: ({ status, message }) => ({ msg: message, status_code: status }),
  schema: z.object({ msg: z.string(), status_code: z.int() }).openapi('DrsError'),
} satisfies FailureTable)
