import { z } from '@hono/zod-openapi'
import type { Surgery } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineOperation } from './operation.ts'

export interface SurgeryEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly surgery: Pick<Surgery, keyof Surgery>
}

const TAG = 'surgery'
const PATH = '/rest/surgery/{year}'

const pathParameters = z.object({ year: z.string().describe('Four digits, or latest') })

const text = z.string().optional()

const row = z.object({
  code: text.describe('Empty or absent for a note'),
  description: text.describe('HTML; absent for a break'),
  level: z.int(),
  line_break: z.boolean(),
})

const table = z
  .object({
    title: z.string(),
    site_inclusions: text.describe('Codes and ranges, such as C000-C009,C019'),
    hist_exclusions: text,
    hist_inclusions: text,
    pre_note: text.describe('HTML'),
    post_note: text.describe('HTML'),
    row: z.array(row),
  })
  .openapi('SurgeryTable')

const query = z.object({
  title: text.describe('Title of the table; takes precedence over site and hist'),
  site: text.describe('C509 or C50; with hist, as an alternative to the title'),
  hist: text.describe('Four digits'),
})

/** Endpoints for tables of surgery codes (registry-lookups.md 2). */
export function surgeryEndpoints({ keys, surgery }: SurgeryEngine): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/tables`,
      pathParameters,
      summary: 'Titles of the surgery tables of a year',
      description: 'A year has the tables of the newest file that is not newer than it.',
      success: [200, z.array(z.string())],
      failures: { 400: 'The year has no tables.' },
      handle: ({ path }) => surgery.titles(path.year),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/table`,
      pathParameters,
      query,
      summary: 'A surgery table by its title, or by site and histology',
      success: [200, table],
      failures: { 400: 'The year has no tables, or no table matches the request.' },
      handle: ({ path, query }) => surgery.table(path.year, query),
    }),
  ])
}
