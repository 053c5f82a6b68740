import { z } from '@hono/zod-openapi'

/** Path of the endpoints for cancer staging. */
export const STAGING = '/rest/staging'

export const TAG = 'staging'

/** Path parameters of endpoints for an algorithm. */
export const ofAlgorithm = z.object({ algorithm: z.string() })

/** Path parameters of endpoints for a version of an algorithm. */
export const ofVersion = z.object({
  algorithm: z.string(),
  version: z.string().describe('`latest` is the newest production version'),
})

/** Path parameters of endpoints for a schema or table of a version. `id` is that of the schema or table. */
export const ofEntity = ofVersion.extend({ id: z.string() })

export const NO_ALGORITHM = 'The algorithm does not exist.'
export const NO_VERSION = 'The algorithm or version does not exist.'

export const comment = z.object({
  comment: z.string().optional().describe('Stored with the history'),
})
