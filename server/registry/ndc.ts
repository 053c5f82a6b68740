import { z } from '@hono/zod-openapi'
import type { Ndc } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { codeQuery, codeRequest } from './code-query.ts'
import * as shapes from './code-shapes.ts'
import { answered, changedSince, defineOperation } from './operation.ts'
import { flag, historyQuery, historyRequest } from './query-parameters.ts'

export interface NdcEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly ndc: Pick<Ndc, keyof Ndc>
}

const TAG = 'ndc'
const PATH = '/rest/ndc'
const BAD_CODE = 'The code is not valid.'
const CHANGED = changedSince('record')
const MISSING = 'The code does not exist.'

const pathParameters = z.object({
  code: z
    .string()
    .describe('Of a product or a package; on reading without hyphens, too, where that fits one'),
})

const query = codeQuery('ndc, date_added, date_modified, proprietary_name').extend({
  has_seer_info: flag.optional().describe('Left out, both'),
  include_removed: flag.optional().describe('false when not given'),
  removed_since: z
    .string()
    .optional()
    .describe('YYYY-MM-DD, inclusive; returns products that were removed since'),
})

/** Endpoints for drug products (registry-service.md 4.3, registry.md 2.3). */
export function ndcEndpoints({ keys, ndc }: NdcEngine): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'GET',
      path: PATH,
      pathParameters: z.object({}),
      query,
      summary: 'Search drug products',
      description: 'How many there are in all is in the header `X-Total-Count`.',
      success: [200, z.array(shapes.product)],
      failures: {},
      async handle({
        caller,
        query: { has_seer_info, include_removed, removed_since, ...others },
      }) {
        const { records, total } = await ndc.search(caller, {
          ...codeRequest(others),
          hasSeerInfo: has_seer_info,
          includeRemoved: include_removed,
          removedSince: removed_since,
        })
        return answered(records, { total })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/code/{code}`,
      pathParameters,
      summary: 'One drug product with all of its packages',
      success: [200, shapes.product],
      revalidates: true,
      failures: { 400: BAD_CODE, 404: MISSING },
      async handle({ caller, path }) {
        const { record, revision } = await ndc.product(caller, path.code)
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'PUT',
      path: `${PATH}/code/{code}`,
      pathParameters,
      role: 'NDC_EDITOR',
      summary: 'Change the registry’s part of a drug product',
      description: 'Only the member `seer` is stored; without it, the registry’s part is removed.',
      body: shapes.product,
      success: [200, shapes.product],
      failures: { 400: `${BAD_CODE} Or the body is not.`, 404: MISSING, 412: CHANGED },
      async handle({ caller, path, body, held }) {
        const { record, revision } = await ndc.update(caller, path.code, body, held)
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/code/{code}/history`,
      pathParameters,
      query: historyQuery,
      summary: 'History of a drug product',
      success: [200, z.array(shapes.productHistory)],
      failures: { 400: `${BAD_CODE} Or a parameter is not.`, 404: MISSING },
      async handle({ caller, path, query }) {
        const entries = await ndc.history(caller, path.code, historyRequest(query))
        return answered(entries, { total: await ndc.countHistory(path.code) })
      },
    }),
  ])
}
