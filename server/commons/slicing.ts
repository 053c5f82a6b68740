import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { attachment } from '../http/disposition.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { texts } from '../http/texts.ts'
import { releaseHeader } from './release-answer.ts'

export interface SlicingEngine {
  readonly slicing: Pick<Commons['slicing'], 'open'>
}

// Both singular and plural, both words of the interface for genes (data-commons.md 7).
const parameters = z.object({
  region: texts('Regions: `chr1`, `chr1:5`, `chr1:5-9`, `chr1:-9` or `unmapped`; 1-based'),
  regions: texts('The same as `region`'),
  geneannot: texts('Gene symbols'),
  gencode: texts('The same as `geneannot`'),
})

/** Remote slicing of alignment files (data-commons-service.md 4.5, data-commons.md 7). */
export function slicingEndpoints(engine: SlicingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: '/slicing/view/{bam_file_id}',
      summary: 'Reads of a BAM that overlap regions or genes, as a BAM',
      tags: ['slicing'],
      pathParameters: z.object({ bam_file_id: z.string() }),
      parameters,
      // 206 without Content-Range is the interface's rule against RFC 9110.
      responses: {
        206: {
          description: 'The slice; the header alone when nothing is asked for',
          content: { 'application/octet-stream': z.unknown() },
        },
      },
      security: [{}, { token: [] }],
      async handle({ path, token, signal, warnings, input, stream }) {
        // Before the body is looked at, so that nobody without access gets 16 MiB of it read.
        const bam = await engine.slicing.open(path.bam_file_id, token)
        const wanted = await input().catch(async (error: unknown) => {
          // A malformed body is reported last of all, behind a missing index (data-commons.md 7).
          await bam.probe({ signal })
          throw error
        })
        const slice = await bam.slice(regionsAndGenes(wanted), { signal, warnings })
        return stream(slice, { status: 206, headers: sliceHeaders(slice.fileName, bam.releaseId) })
      },
    }),
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: '/slicing/view',
      summary: 'Says that no BAM was named',
      tags: ['slicing'],
      responses: {},
      handle() {
        throw new EngineError('not_found', 'no BAM is specified; use /slicing/view/{bam_file_id}')
      },
    }),
  ])
}

function regionsAndGenes({ region, regions, geneannot, gencode }: z.output<typeof parameters>) {
  return { regions: [...region, ...regions], genes: [...geneannot, ...gencode] }
}

function sliceHeaders(fileName: string, releaseId: string | undefined) {
  return {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachment(fileName),
    // A proxy that compressed this would break clients that count bytes.
    'Cache-Control': 'no-transform',
    ...releaseHeader(releaseId),
  }
}
