import { z } from '@hono/zod-openapi'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { inputMap, stagingData } from './staging-shapes.ts'

/** Any number of cases in one request, read and answered line by line. */
export function batchEndpoints({ keys, staging }: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineLineBatch(keys, TAG, {
      path: `${STAGING}/{algorithm}/{version}/stage/batch`,
      summary: 'Stage cases, one on each line',
      wrong: 'no case',
      names: ofVersion,
      query: z.object({
        explain: z
          .enum(['true', 'false'])
          .optional()
          .describe('true: lists each look at a table and the row that answered'),
      }),
      ...{ line: inputMap, answer: stagingData },
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query, lines, signal }) =>
        staging.version(caller, path).stageLines(lines, {
          ...{ explain: query.explain === 'true', signal },
        }),
    }),
  ])
}
