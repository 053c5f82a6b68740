import { z } from '@hono/zod-openapi'
import type { ErrorCode } from '../../engine/shared/index.ts'
import { type FailureTable, STATUSES } from '../http/failure.ts'

/** Error names that htsget defines. Clients recognise other errors by their status. */
const NAMES: Readonly<Partial<Record<ErrorCode, string>>> = Object.freeze({
  unauthenticated: 'InvalidAuthentication',
  forbidden: 'PermissionDenied',
  not_found: 'NotFound',
  gone: 'NotFound',
  too_large: 'PayloadTooLarge',
  too_many: 'InvalidInput',
  bad_input: 'InvalidInput',
  bad_region: 'InvalidRange',
  unsupported_type: 'UnsupportedFormat',
  not_supported: 'UnsupportedFormat',
  no_index: 'UnsupportedFormat',
})

/** Statuses and bodies of errors of htsget (htsget 1.3, Errors). */
export const htsgetFailures: FailureTable = Object.freeze({
  statuses: Object.freeze({
    ...STATUSES,
    unsupported_type: 400,
    not_supported: 400,
    no_index: 400,
  }),
  body: ({ code, status, message }) => ({
    htsget: { error: nameOf(code, status), message },
  }),
  schema: z
    .object({ htsget: z.object({ error: z.string(), message: z.string() }) })
    .openapi('HtsgetError'),
} satisfies FailureTable)

function nameOf(code: ErrorCode | 'internal', status: number): string {
  const named = code === 'internal' ? undefined : NAMES[code]
  return named ?? (status < 500 ? 'InvalidInput' : 'InternalServerError')
}
