import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { type ByteStream, EngineError } from '../../engine/shared/index.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { count, text, word } from './parameter-forms.ts'
import { releaseHeader } from './release-answer.ts'
import { acceptedFormat } from './search-parameters.ts'

export interface AlignmentsEngine {
  readonly slicing: Pick<Commons['slicing'], 'open'>
}

/** Maximum number of records in one response. */
const MAX_RECORDS = 100_000
const MAX_BINS = 1_000_000

const common = {
  region: text('region', {
    description:
      'One region: a name of the file’s references, `name:start`, `name:start-end` or `name:-end`; ' +
      '1-based, both ends included',
    example: 'chr17:7661779-7687550',
  }),
  format: word(
    'format',
    ['json', 'arrow'],
    {
      description:
        'Format of the response. By default, JSON, or Arrow if the `Accept` header prefers ' +
        '`application/vnd.apache.arrow.stream`.',
      default: 'json',
    },
    'alignment_format',
  ),
}

const coverageParameters = z.object({
  ...common,
  bins: count('bins', 0, {
    description: `Number of bins of equal width, at most ${MAX_BINS}; 0 for one bin per position`,
  }),
})

const recordParameters = z.object({
  ...common,
  from: count('from', 0, { description: 'Number of records to skip' }, 'alignment_from'),
  size: count(
    'size',
    1000,
    { description: `Maximum number of records to return, at most ${MAX_RECORDS}` },
    'alignment_size',
  ),
})

const coverageAnswer = z.object({
  reference: z.string(),
  start: z.int().describe('First position, 1-based'),
  end: z.int().describe('Last position, within the reference'),
  bases_per_bin: z.int().describe('Number of positions in each bin; the last one can have fewer'),
  reads: z.int().describe('Number of counted reads'),
  mean: z.array(z.number()).describe('Mean depth of each bin'),
  max: z.array(z.int()).describe('Greatest depth of each bin'),
})

const tag = z.union([z.number(), z.string(), z.array(z.union([z.number(), z.string()]))])
const recordsAnswer = z.object({
  from: z.int(),
  records: z.array(
    z.object({
      qname: z.string().nullable(),
      flag: z.int(),
      rname: z.string().nullable(),
      pos: z.int().nullable().describe('First position, 1-based'),
      end: z.int().nullable().describe('Last position'),
      mapq: z.int(),
      cigar: z.string().nullable(),
      rnext: z.string().nullable(),
      pnext: z.int().nullable(),
      tlen: z.int(),
      seq: z.string().nullable(),
      qual: z.string().nullable(),
      tags: z.record(z.string(), tag),
    }),
  ),
  size: z.int().describe('Number of records in this response'),
  more: z.boolean().describe('Whether there are more records after these'),
})

const ARROW = 'application/vnd.apache.arrow.stream'
const ERRORS = {
  400: { description: 'The region is malformed or names no reference of the file.' },
  403: { description: 'A token is required, is not valid, or has no right to read the file.' },
  404: { description: 'The BAM file does not exist.' },
  413: { description: 'The region contains too much of the file; request a smaller one.' },
}

/** Endpoints for coverage and records of regions of alignment files, for display and for programs. */
export function alignmentEndpoints(engine: AlignmentsEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: '/alignments/{bam_file_id}/coverage',
      summary: 'Depth of a region of a BAM',
      description:
        'Counted like `samtools depth -a`: aligned bases of all mapped reads except secondary ' +
        'alignments, reads that failed quality control, and duplicates. Deletions and skipped ' +
        'parts do not count.',
      tags: ['slicing'],
      compress: true,
      pathParameters: z.object({ bam_file_id: z.string() }),
      parameters: coverageParameters,
      responses: {
        200: {
          description: 'The depth; an Arrow stream has columns `start`, `end`, `mean` and `max`',
          content: { 'application/json': coverageAnswer, [ARROW]: z.unknown() },
        },
        ...ERRORS,
      },
      security: [{}, { token: [] }],
      async handle(call) {
        const { path, token, signal } = call
        const bam = await engine.slicing.open(path.bam_file_id, token)
        const { bins, ...input } = await call.input()
        if (bins > MAX_BINS) throw beyond('bins', bins, MAX_BINS)
        const format = formatOf(input.format, call)
        const region = required(input.region)
        const wanted = { region, bins: bins || undefined, format }
        const answer = await bam.coverage(wanted, { signal })
        return send(call, answer, format, bam.releaseId)
      },
    }),
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: '/alignments/{bam_file_id}/records',
      summary: 'Records of a region of a BAM',
      description:
        'The same records as in a slice of the region, in the same order. The region `unmapped` ' +
        'selects the reads without a position.',
      tags: ['slicing'],
      compress: true,
      pathParameters: z.object({ bam_file_id: z.string() }),
      parameters: recordParameters,
      responses: {
        200: {
          description:
            'The records; an Arrow stream has the same fields as columns, with `tags` as SAM writes them',
          content: { 'application/json': recordsAnswer, [ARROW]: z.unknown() },
        },
        ...ERRORS,
      },
      security: [{}, { token: [] }],
      async handle(call) {
        const { path, token, signal } = call
        const bam = await engine.slicing.open(path.bam_file_id, token)
        const { from, size, ...input } = await call.input()
        if (size > MAX_RECORDS) throw beyond('size', size, MAX_RECORDS)
        const format = formatOf(input.format, call)
        const wanted = { region: required(input.region), from, size, format }
        const answer = await bam.records(wanted, { signal })
        return send(call, answer, format, bam.releaseId)
      },
    }),
  ])
}

type Format = 'json' | 'arrow'
type AlignmentCall = Pick<Call<unknown, unknown>, 'headers' | 'stream'>

function formatOf(given: Format | undefined, { headers }: AlignmentCall): Format {
  return given ?? (acceptedFormat(headers.get('accept')) === 'arrow' ? 'arrow' : 'json')
}

function required(region: string | undefined): string {
  if (region !== undefined && region.trim() !== '') return region.trim()
  const message = 'parameter region is missing; give one, such as chr17:7661779-7687550'
  throw new EngineError('bad_input', message, { at: 'region' })
}

function beyond(name: string, given: number, most: number): EngineError {
  const message = `parameter ${name} is ${given}; at most ${most} are given at a time`
  return new EngineError('bad_input', message, { at: name })
}

function send(
  { stream }: AlignmentCall,
  answer: ByteStream,
  format: Format,
  releaseId: string | undefined,
): Promise<Response> {
  const type = format === 'json' ? 'application/json' : ARROW
  const headers = { 'Content-Type': type, 'Cache-Control': 'private', ...releaseHeader(releaseId) }
  return stream(answer, { status: 200, headers })
}
