import { z } from '@hono/zod-openapi'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { caseDifference, inputMap, stagingData } from './staging-shapes.ts'

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
        from: z
          .string()
          .optional()
          .describe(
            'A version before: each line tells whether it stages the case alike, else what changes and why',
          ),
        ignore: z
          .string()
          .optional()
          .describe('With `from`: outputs that do not count, separated by commas'),
      }),
      ...{ line: inputMap, answer: z.union([stagingData, caseDifference]) },
      failures: { 404: NO_VERSION },
      handle({ caller, path, query, lines, signal }) {
        const { from, ignore, explain } = query
        const version = staging.version(caller, path)
        if (from === undefined) {
          return version.stageLines(lines, { explain: explain === 'true', signal })
        }
        return version.stageDifference(lines, { from, ignored: ignore?.split(','), signal })
      },
    }),
  ])
}
