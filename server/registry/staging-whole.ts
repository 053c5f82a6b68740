import { z } from '@hono/zod-openapi'
import {
  CODEBOOK_PARTS,
  type CodebookPart,
  DIFFERENCE_FORMATS,
  type StagingDifferenceFormat,
} from '../../engine/registry/index.ts'
import { attachment } from '../http/disposition.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { listParameter } from './query-parameters.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { defineStreamed } from './streamed.ts'

const TYPES: Readonly<Record<StagingDifferenceFormat, string>> = {
  ndjson: 'application/x-ndjson',
  tsv: 'text/tab-separated-values',
}

const VERSION = `${STAGING}/{algorithm}/{version}`

/** Endpoints that return a whole version. */
export function wholeVersionEndpoints({ keys, staging }: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineStreamed(keys, TAG, {
      path: `${VERSION}/archive`,
      summary: 'The version as an archive',
      description:
        'In the layout of published archives, which `casemill import staging` and the staging ' +
        'library of their publisher read.',
      pathParameters: ofVersion,
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
      summary: 'Differences between the version and another one',
      description:
        'The first line has both versions. Each other line is a schema, table or term that was ' +
        'added or removed, or a member or row that was added, removed, changed or moved. TSV has ' +
        'the same as columns.',
      pathParameters: ofVersion,
      query: z.object({
        from: z.string().describe('The earlier version; `latest` is the newest production version'),
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
    defineStreamed(keys, TAG, {
      path: `${VERSION}/codebook`,
      summary: 'Selections, items and codes of each schema, as one table',
      description:
        'Lines of JSON after a line with the version, or TSV. `part` is the kind of a line: a ' +
        '`site` or `histology` of the version, a `selection` by which these and other inputs ' +
        'select a schema, an `input` of a schema, a `code` that an input accepts, or an ' +
        '`output`. Cells are as in the tables of the version; `*` matches anything.',
      pathParameters: ofVersion,
      query: z.object({
        format: z.enum(DIFFERENCE_FORMATS).default('ndjson'),
        part: listParameter('Only these parts', CODEBOOK_PARTS),
        schema: listParameter('Ids of schemas; all, when not given'),
      }),
      content: {
        'application/x-ndjson': z.unknown(),
        'text/tab-separated-values': z.unknown(),
      },
      compress: true,
      failures: { 404: `${NO_VERSION} Or a schema does not.` },
      async handle({ caller, path, query, signal }) {
        const { format, part, schema: schemas } = query
        const parts = part as readonly CodebookPart[] | undefined
        const version = staging.version(caller, path)
        const bytes = await version.codebook({ format, parts, schemas, signal })
        return { bytes, type: TYPES[format] }
      },
    }),
  ])
}
