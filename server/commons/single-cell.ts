import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { json } from '../http/reply.ts'
import { texts } from '../http/texts.ts'

export interface SingleCellEngine {
  readonly singleCell: Pick<Commons['singleCell'], 'annotations' | 'expression'>
}

/** Defines an id. Some clients send all parameters they know and leave texts empty (data-commons.md 9 rule 13). */
const id = (description: string) =>
  z
    .string()
    .optional()
    .transform((given) => given?.trim() || undefined)
    .describe(description)

const ids = {
  case_id: id('A case; its newest released HDF5 file is read. Exactly one of this and `file_id`'),
  file_id: id('A file in HDF5 format'),
}

const annotationParameters = z.object({
  ...ids,
  annotation: id('One of `annotations`, whose values are wanted; left out: the names alone'),
})

const annotationsAnswer = z.object({
  data: z.object({
    case_id: z.string().nullable(),
    file_id: z.string(),
    cells: z.number(),
    annotations: z.array(z.object({ name: z.string(), kind: z.enum(['text', 'number']) })),
    annotation: z
      .object({
        name: z.string(),
        values: z
          .array(z.string())
          .describe('The distinct values, in the order of the file; at most 200'),
        codes: z
          .array(z.number())
          .describe('For each cell in the order of the file, the index of its value in `values`'),
      })
      .optional(),
  }),
})

const parameters = z.object({
  ...ids,
  gene_ids: texts('1 to 10 ids of genes, with or without version'),
})

const answer = z.object({
  data: z.array(
    z.object({
      case_id: z.string().nullable(),
      file_id: z.string(),
      gene_id: z.string(),
      cells: z
        .array(z.object({ cell_id: z.string(), value: z.number().nullable() }))
        .describe('All cells in the order of the file, including zeros'),
      errors: z.array(z.string()).describe('A message if the file does not have the gene'),
    }),
  ),
})

const FILE_FAILURES = {
  403: { description: 'A token is required, is not valid, or has no right to read the file.' },
  404: {
    description:
      'The file or case is unknown, the case has no single-cell file, or the bytes of the file ' +
      'are not stored here.',
  },
  413: { description: 'The file has too many cells.' },
}

/** Endpoints for expression in single cells (data-commons-service.md 4.4, data-commons.md 6.5). */
export function singleCellEndpoints(engine: SingleCellEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/scrna_seq/gene_expression',
      summary: 'Numbers of genes in the single cells of a file',
      description:
        'From the main layer `/matrix` of a loom file or one of 10x version 3, or from `X` of an h5ad ' +
        'file of anndata 0.8 or later, unchanged. ' +
        'One element per gene, in the order of `gene_ids`. A controlled file needs a token, as its ' +
        'bytes do.',
      tags: ['analysis'],
      compress: true,
      parameters,
      responses: {
        200: { description: 'The numbers', content: { 'application/json': answer } },
        400: {
          description:
            'The request must have exactly one id and 1 to 10 genes, and the file must be HDF5 of a known layout.',
        },
        ...FILE_FAILURES,
      },
      security: [{}, { token: [] }],
      async handle({ token, signal, input, stream }) {
        const { case_id: caseId, file_id: fileId, gene_ids: geneIds } = await input()
        const request = { caseId, fileId, geneIds, token }
        const numbers = await engine.singleCell.expression(request, { signal })
        return stream(numbers, { status: 200, headers: { 'Content-Type': 'application/json' } })
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: '/scrna_seq/cell_annotations',
      summary: 'Annotations of the single cells of a file, such as their types',
      description:
        'The lists of `/col_attrs` of a loom file, or the columns of `obs` of an h5ad file, by name; a ' +
        'file of 10x has none. With `annotation` ' +
        'also its value for each cell. A controlled file needs a token, as its bytes do.',
      tags: ['analysis'],
      compress: true,
      parameters: annotationParameters,
      responses: {
        200: {
          description: 'The annotations',
          content: { 'application/json': annotationsAnswer },
        },
        400: {
          description:
            'The request must have exactly one id, the file must be HDF5 of a known layout, and ' +
            'the annotation must exist and not have too many values.',
        },
        ...FILE_FAILURES,
      },
      security: [{}, { token: [] }],
      async handle({ token, signal, input }) {
        const { case_id: caseId, file_id: fileId, annotation } = await input()
        const request = { caseId, fileId, annotation, token }
        const data = await engine.singleCell.annotations(request, { signal })
        return json(200, { data })
      },
    }),
  ])
}
