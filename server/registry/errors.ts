import { STATUS_CODES } from 'node:http'
import { z } from '@hono/zod-openapi'
import type { FailureTable } from '../http/failure.ts'

/** Code to status for the registry's interface, and its body (registry.md 1.3). */
export const registryFailures: FailureTable = Object.freeze({
  statuses: Object.freeze({
    bad_input: 400,
    bad_region: 400,
    not_found: 404,
    already_exists: 409,
    conflict: 409,
    forbidden: 403,
    unauthenticated: 401,
    too_large: 413,
    too_many: 400,
    unsupported_type: 415,
    method_not_allowed: 405,
    range_not_satisfiable: 416,
    busy: 503,
    rate_limited: 429,
    no_index: 500,
    corrupt_source: 500,
    unavailable: 503,
    internal: 500,
  }),
  body: ({ status, message, path }) => ({
    timestamp: new Date().toISOString(),
    status,
    error: STATUS_CODES[status] ?? 'Error',
    message,
    path,
  }),
  schema: z
    .object({
      timestamp: z.iso.datetime(),
      status: z.int(),
      error: z.string().describe('The name of the status'),
      message: z.string(),
      path: z.string(),
    })
    .openapi('RegistryError'),
} satisfies FailureTable)
