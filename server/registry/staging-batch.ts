import { z } from '@hono/zod-openapi'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import { flag } from './query-parameters.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { caseDifference, inputMap, stagingData } from './staging-shapes.ts'

/** What an answer is to have besides. */
export const stageQuery = z.object({
  explain: flag
    .default(false)
    .describe('true: lists each look at a table and the row that answered'),
  hints: flag
    .default(false)
    .describe(
      'true: names keys that no schema has, the outputs that depend on an error and, where several schemas are left, what would decide between them',
    ),
  naaccr: flag
    .default(false)
    .describe('true: adds NAACCR numbers, ids and names of inputs and outputs, by key'),
})

/** Any number of cases in one request, read and answered line by line. */
export function batchEndpoints({ keys, staging }: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineLineBatch(keys, TAG, {
      path: `${STAGING}/{algorithm}/{version}/stage/batch`,
      summary: 'Stage cases, one on each line',
      wrong: 'no case',
      names: ofVersion,
      query: stageQuery.extend({
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
        const { from, ignore, ...options } = query
        const version = staging.version(caller, path)
        if (from === undefined) {
          return version.stageLines(lines, { ...options, signal })
        }
        return version.stageDifference(lines, { from, ignored: ignore?.split(','), signal })
      },
    }),
  ])
}
