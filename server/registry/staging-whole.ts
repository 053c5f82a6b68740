import { z } from '@hono/zod-openapi'
import { DIFFERENCE_FORMATS, type StagingDifferenceFormat } from '../../engine/registry/index.ts'
import { attachment } from '../http/disposition.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { defineStreamed } from './streamed.ts'

const TYPES: Readonly<Record<StagingDifferenceFormat, string>> = {
  ndjson: 'application/x-ndjson',
  tsv: 'text/tab-separated-values',
}

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
    defineStreamed(keys, TAG, {
      path: `${VERSION}/diff`,
      summary: 'In what the version differs from another one',
      description:
        'The first line names both versions. Each other line is a schema, table or term that was added or removed, or a member or row that was added, removed, changed or moved. TSV has the same in columns.',
      names: ofVersion,
      query: z.object({
        from: z
          .string()
          .describe('The version before; `latest` stands for the newest production version'),
        format: z.enum(DIFFERENCE_FORMATS).default('ndjson'),
      }),
      content: {
        'application/x-ndjson': z.unknown(),
        'text/tab-separated-values': z.unknown(),
      },
      compress: true,
      failures: { 404: NO_VERSION },
      async handle({ caller, path, query, signal }) {
        const { from, format } = query
        const bytes = await staging.version(caller, path).difference({ from, format, signal })
        return { bytes, type: TYPES[format] }
      },
    }),
  ])
}
