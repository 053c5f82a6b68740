import { z } from '@hono/zod-openapi'
import { withoutNulls } from '../../engine/registry/internal.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineOperation } from './operation.ts'
import { stageQuery } from './staging-batch.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofEntity, ofVersion, STAGING, TAG } from './staging-names.ts'
import { inputMap, schemaInfo, stagingData, tableMatch } from './staging-shapes.ts'

const VERSION = `${STAGING}/{algorithm}/{version}`
const NO_MAP = 'The body is no object, or a member is neither a text nor null.'

/** Endpoints for single cases: stage, schemas, defaults and table rows. */
export function caseOperations({ keys, staging }: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${VERSION}/stage`,
      pathParameters: ofVersion,
      body: inputMap,
      summary: 'Stage a case',
      description:
        'An invalid case returns status 200; `result` and `errors` state the error. The header `X-Warnings` names keys that no schema has.',
      query: stageQuery,
      success: [200, stagingData],
      failures: { 400: NO_MAP, 404: NO_VERSION },
      async handle({ caller, path, query, body, warnings }) {
        const warn = (sentence: string) => warnings.add('body', sentence)
        const staged = await staging.version(caller, path).stage(body, { ...query, warn })
        return { ...staged, input: withoutNulls(staged.input) }
      },
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${VERSION}/schemas/lookup`,
      pathParameters: ofVersion,
      body: inputMap,
      summary: 'The schemas for a site, a histology and discriminators',
      success: [200, z.array(schemaInfo)],
      failures: { 400: NO_MAP, 404: NO_VERSION },
      handle: ({ caller, path, body }) => staging.version(caller, path).lookup(body),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${VERSION}/{id}/defaults`,
      pathParameters: ofEntity,
      body: inputMap,
      summary: "A case with the defaults of a schema's inputs added",
      success: [200, inputMap],
      failures: { 400: `The schema does not exist. ${NO_MAP}`, 404: NO_VERSION },
      async handle({ caller, path, body }) {
        return withoutNulls(await staging.version(caller, path).defaults(path.id, body))
      },
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${VERSION}/table/{id}/match`,
      pathParameters: ofEntity,
      body: inputMap,
      summary: 'The first matching row of a table',
      success: [200, tableMatch],
      failures: { 400: NO_MAP, 404: 'The table does not exist.' },
      handle: ({ caller, path, body }) => staging.version(caller, path).match(path.id, body),
    }),
  ])
}
