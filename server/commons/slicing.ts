import { z } from '@hono/zod-openapi'
import type { Commons, PlannedSlice } from '../../engine/commons/index.ts'
import { EngineError, type IndexKind } from '../../engine/shared/index.ts'
import { allowsRange, precondition } from '../http/conditional.ts'
import { attachment } from '../http/disposition.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { contentRange, parseRange } from '../http/range.ts'
import { reply } from '../http/reply.ts'
import { texts } from '../http/texts.ts'
import { preconditionFailed, rangeBeyond } from './error-answers.ts'
import { releaseHeader } from './release-answer.ts'

export interface SlicingEngine {
  readonly slicing: Pick<Commons['slicing'], 'open'>
}

// Clients use singular and plural names, and two names for genes (data-commons.md 7).
const parameters = z.object({
  region: texts('Regions: `chr1`, `chr1:5`, `chr1:5-9`, `chr1:-9` or `unmapped`; 1-based'),
  regions: texts('The same as `region`'),
  geneannot: texts('Gene symbols'),
  gencode: texts('The same as `geneannot`'),
  index: z
    .enum(['bai', 'csi', 'tbi'])
    .optional()
    .describe(
      'The index of the slice instead of the slice: of BAM `bai`, of lines `tbi`, or `csi`',
    ),
})

/** Endpoints that slice alignment files (data-commons-service.md 4.5, data-commons.md 7). */
export function slicingEndpoints(engine: SlicingEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: '/slicing/view/{bam_file_id}',
      summary: 'Reads of a BAM that overlap regions or genes, as a BAM',
      tags: ['slicing'],
      pathParameters: z.object({ bam_file_id: z.string() }),
      parameters,
      single: ['index'],
      description:
        'A slice has a length and an `ETag`, unless its edges come to more than 4 MiB, or the file ' +
        'has no block directory yet and is large or in object storage. Then a `Range` together with ' +
        '`If-Range` or `If-Match` resumes it, by POST too; without either, `Range` is not looked at. ' +
        '`index` returns the index of the slice that the same request without it returns.',
      // The interface requires 206 without Content-Range, which deviates from RFC 9110.
      responses: {
        200: {
          description: 'The index of the slice; its `ETag` starts with that of the slice',
          content: { 'application/octet-stream': z.unknown() },
        },
        206: {
          description:
            'The slice; only its header if nothing is requested; with `Content-Range`, the ' +
            'requested part of it',
          content: { 'application/octet-stream': z.unknown() },
        },
        304: { description: 'The client already has this slice.' },
        412: { description: 'The slice is not the one that the client has.' },
        416: { description: 'The range is after the end; `Content-Range` has the size.' },
      },
      security: [{}, { token: [] }],
      async handle(call) {
        const { path, token, signal, warnings, input } = call
        // Access is checked before the body is read, so that clients without access cannot make the server
        // read 16 MiB.
        const bam = await engine.slicing.open(path.bam_file_id, token)
        const wanted = await input().catch(async (error: unknown) => {
          // An invalid body is the last error to report, after a missing index (data-commons.md 7).
          await bam.probe({ signal })
          throw error
        })
        const { index } = wanted
        const run = { signal, warnings, isIndexed: index !== undefined }
        const slice = await bam.plan(regionsAndGenes(wanted), run)
        if (index) return sendIndex(call, slice, index, bam.releaseId)
        return sendSlice(call, slice, sliceHeaders(slice, bam.releaseId))
      },
    }),
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: '/slicing/view',
      summary: 'Returns the error for a missing file id',
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

function sliceHeaders(
  { fileName, fingerprint }: Pick<PlannedSlice, 'fileName' | 'fingerprint'>,
  releaseId: string | undefined,
) {
  return {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachment(fileName),
    // Compression by a proxy would break clients that count bytes.
    'Cache-Control': 'private, no-transform',
    ...releaseHeader(releaseId),
    ...(fingerprint === undefined ? {} : { 'Accept-Ranges': 'bytes', ETag: `"${fingerprint}"` }),
  }
}

/** Sends the index of a slice, without sending the slice. */
async function sendIndex(
  call: SliceCall,
  slice: PlannedSlice,
  kind: IndexKind,
  releaseId: string | undefined,
): Promise<Response> {
  try {
    const bytes = await slice.indexed(kind)
    const fileName = `${slice.fileName}.${kind}`
    const fingerprint = `${slice.fingerprint}-${kind}`
    const { 'Accept-Ranges': _, ...headers } = sliceHeaders({ fileName, fingerprint }, releaseId)
    switch (precondition(call.method, call.headers, { etag: `"${fingerprint}"` })) {
      case 'failed':
        return preconditionFailed()
      case 'unchanged':
        return new Response(null, { status: 304, headers })
      case 'proceed':
        return reply(200, headers['Content-Type'], bytes, headers)
    }
  } finally {
    await slice[Symbol.asyncDispose]()
  }
}

type SliceCall = Pick<Call<unknown, unknown>, 'method' | 'headers' | 'stream'>

/** Sends a slice. If the client already has the first bytes of the slice, sends the rest. */
async function sendSlice(
  call: SliceCall,
  slice: PlannedSlice,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { length } = slice
  const etag = slice.fingerprint === undefined ? undefined : `"${slice.fingerprint}"`
  const state = precondition(call.method, call.headers, { etag })
  const range = length === undefined ? undefined : rangeOf(call, etag, length)
  if (state !== 'proceed' || range === 'unsatisfiable') {
    await slice[Symbol.asyncDispose]()
    if (state === 'failed') return preconditionFailed()
    return state === 'unchanged'
      ? new Response(null, { status: 304, headers })
      : rangeBeyond(length ?? 0)
  }
  const part = range && length !== undefined ? { 'Content-Range': contentRange(range, length) } : {}
  const bytes = await slice.open(range)
  return call.stream(
    { ...bytes, length: range ? range.end - range.start : length },
    { status: 206, headers: { ...headers, ...part } },
  )
}

/**
 * Returns the requested range if the client names the slice that it has (data-commons.md 11.39). Clients that do
 * not name a slice expect the whole slice from this interface.
 */
function rangeOf({ method, headers }: SliceCall, etag: string | undefined, length: number) {
  const isNamed = headers.has('if-range') || ![null, '*'].includes(headers.get('if-match'))
  if (method === 'HEAD' || !isNamed || !allowsRange(headers, { etag })) return undefined
  return parseRange(headers.get('range'), length)
}
