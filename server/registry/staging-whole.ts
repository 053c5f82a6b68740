import { z } from '@hono/zod-openapi'
import { attachment } from '../http/disposition.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { defineStreamed } from './streamed.ts'

const VERSION = `${STAGING}/{algorithm}/{version}`

/** What is asked about all that a version holds. */
export function wholeVersionEndpoints({ keys, staging }: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineStreamed(keys, TAG, {
      path: `${VERSION}/archive`,
      summary: 'The version as an archive',
      description:
        'In the layout of published archives: `casemill import staging` and the staging library of their publisher read it.',
      names: ofVersion,
      content: { 'application/zip': z.unknown() },
      failures: { 404: NO_VERSION },
      async handle({ caller, path, signal }) {
        const bytes = await staging.version(caller, path).archive({ signal })
        const fileName = attachment(`${path.algorithm}-${path.version}.zip`)
        return { bytes, type: 'application/zip', headers: { 'Content-Disposition': fileName } }
      },
    }),
  ])
}
