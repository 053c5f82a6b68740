import { STATUS_CODES } from 'node:http'
import { z } from '@hono/zod-openapi'
import type { ResponseNote } from '../http/endpoint.ts'
import { type FailureTable, STATUSES } from '../http/failure.ts'

/** Statuses and bodies of errors of the registry interface (registry.md 1.3). */
export const registryFailures: FailureTable = Object.freeze({
  statuses: STATUSES,
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

/** Describes error responses for the API document, from their descriptions by status. */
export function failureNotes(
  descriptions: Readonly<Record<number, string>>,
): Record<number, ResponseNote> {
  const content = { 'application/json': registryFailures.schema }
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [status, { description, content }]),
  )
}
