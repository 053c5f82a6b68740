import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import { flag } from './query-parameters.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { caseDifference, inputMap, stagingData } from './staging-shapes.ts'

/** Query parameters for additional content of the response. */
export const stageQuery = z.object({
  explain: flag
    .default(false)
    .describe('true: lists each table that was evaluated, with the matching row'),
  hints: flag
    .default(false)
    .describe(
      'true: names keys that no schema has, the outputs that depend on an error and, where several schemas are left, the inputs that would decide between them',
    ),
  naaccr: flag
    .default(false)
    .describe('true: adds NAACCR numbers, ids and names of inputs and outputs, by key'),
})

const batchQuery = stageQuery.extend({
  from: z
    .string()
    .optional()
    .describe(
      'An earlier version: each line states whether its result is the same, or what changed and why. Not with `explain`, `hints` or `naaccr`',
    ),
  ignore: z.string().optional().describe('With `from`: outputs to ignore, separated by commas'),
})

/**
 * Checks that parameters can be combined.
 * @throws EngineError `bad_input` if one would have no effect
 */
function requireTogether({ from, ignore, ...options }: z.output<typeof batchQuery>): void {
  const [idle] = Object.entries(options).find(([, isAsked]) => isAsked) ?? []
  if (from !== undefined && idle !== undefined) {
    const message = `${idle} says nothing of the difference from another version, whose lines have their own "why"; leave out ${idle} or from`
    throw new EngineError('bad_input', message, { at: idle })
  }
  if (from === undefined && ignore !== undefined) {
    const message =
      'ignore applies to the difference from another version; give from, or leave out ignore'
    throw new EngineError('bad_input', message, { at: 'ignore' })
  }
}

/** Endpoints that accept any number of cases in one request and process them line by line. */
export function batchEndpoints({ keys, staging }: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineLineBatch(keys, TAG, {
      path: `${STAGING}/{algorithm}/{version}/stage/batch`,
      summary: 'Stage cases, one on each line',
      expected: 'a case',
      pathParameters: ofVersion,
      query: batchQuery,
      line: inputMap,
      answer: z.union([stagingData, caseDifference]),
      failures: { 404: NO_VERSION },
      handle({ caller, path, query, lines, signal }) {
        const { from, ignore, ...options } = query
        requireTogether(query)
        const version = staging.version(caller, path)
        if (from === undefined) {
          return version.stageLines(lines, { ...options, signal })
        }
        return version.stageDifference(lines, { from, ignored: ignore?.split(','), signal })
      },
    }),
  ])
}
