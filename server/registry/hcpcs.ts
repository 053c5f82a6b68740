import { z } from '@hono/zod-openapi'
import type { Hcpcs } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { codeQuery, codeRequest } from './code-query.ts'
import * as shapes from './code-shapes.ts'
import { answered, changedSince, defineOperation } from './operation.ts'
import { historyQuery, historyRequest } from './query-parameters.ts'

export interface HcpcsEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly hcpcs: Pick<Hcpcs, keyof Hcpcs>
}

const TAG = 'hcpcs'
const PATH = '/rest/hcpcs'
const NEEDS_EDITOR = { role: 'HCPCS_EDITOR' } as const
const CHANGED = changedSince('record')
const MISSING = 'The procedure does not exist.'

const pathParameters = z.object({ code: z.string() })

/** Endpoints for procedures (registry-service.md 4.3, registry.md 2.3, 2.5). */
export function hcpcsEndpoints(engine: HcpcsEngine): readonly Endpoint[] {
  return Object.freeze([...readOperations(engine), ...editOperations(engine)])
}

function readOperations({ keys, hcpcs }: HcpcsEngine): Endpoint[] {
  return [
    defineOperation(keys, TAG, {
      method: 'GET',
      path: PATH,
      pathParameters: z.object({}),
      query: codeQuery('hcpcs_code, date_added, date_modified'),
      summary: 'Search procedures',
      description: 'How many there are in all is in the header `X-Total-Count`.',
      success: [200, z.array(shapes.procedure)],
      failures: {},
      async handle({ caller, query }) {
        const { records, total } = await hcpcs.search(caller, codeRequest(query))
        return answered(records, { total })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/code/{code}`,
      pathParameters,
      summary: 'One procedure',
      success: [200, shapes.procedure],
      revalidates: true,
      failures: { 404: MISSING },
      async handle({ caller, path }) {
        const { record, revision } = await hcpcs.procedure(caller, path.code)
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/code/{code}/history`,
      pathParameters,
      query: historyQuery,
      summary: 'History of a procedure',
      success: [200, z.array(shapes.procedureHistory)],
      failures: { 404: `${MISSING} One that is deleted has a history.` },
      async handle({ caller, path, query }) {
        const entries = await hcpcs.history(caller, path.code, historyRequest(query))
        return answered(entries, { total: await hcpcs.countHistory(path.code) })
      },
    }),
  ]
}

function editOperations({ keys, hcpcs }: HcpcsEngine): Endpoint[] {
  return [
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${PATH}/code`,
      pathParameters: z.object({}),
      ...NEEDS_EDITOR,
      summary: 'Create a procedure',
      body: shapes.procedure,
      success: [201, shapes.procedure],
      failures: { 409: 'The procedure exists already.' },
      async handle({ caller, body }) {
        const { record, revision } = await hcpcs.create(caller, body)
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'PUT',
      path: `${PATH}/code/{code}`,
      pathParameters,
      ...NEEDS_EDITOR,
      summary: 'Change a procedure',
      body: shapes.procedure,
      success: [200, shapes.procedure],
      failures: { 404: MISSING, 412: CHANGED },
      async handle({ caller, path, body, held }) {
        const { record, revision } = await hcpcs.update(caller, path.code, body, held)
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'DELETE',
      path: `${PATH}/code/{code}`,
      pathParameters,
      ...NEEDS_EDITOR,
      summary: 'Delete a procedure',
      success: [204],
      failures: { 409: MISSING, 412: CHANGED },
      handle: ({ caller, path, held }) => hcpcs.delete(caller, path.code, held),
    }),
  ]
}
