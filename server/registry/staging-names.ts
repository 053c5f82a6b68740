import { z } from '@hono/zod-openapi'

/** Path of the staging area. */
export const STAGING = '/rest/staging'

export const TAG = 'staging'

export const ofAlgorithm = z.object({ algorithm: z.string() })

export const ofVersion = z.object({
  algorithm: z.string(),
  version: z.string().describe('`latest` is the newest production version'),
})

export const ofEntity = ofVersion.extend({ id: z.string() })

export const NO_ALGORITHM = 'The algorithm does not exist.'
export const NO_VERSION = 'The algorithm or version does not exist.'

export const comment = z.object({
  comment: z.string().optional().describe('Stored with the history'),
})
