import { z } from '@hono/zod-openapi'
import {
  EDIT_FORMATS,
  type EditFormat,
  type Naaccr,
  type RegistryEdits,
} from '../../engine/registry/index.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  counted,
  failing,
  fileBody,
  finishFlag,
  patientMembers,
  streamResults,
  XML,
} from './file-body.ts'
import { LINES } from './line-batch.ts'
import { authorise } from './security.ts'
import type { StagingEngine } from './staging-engine.ts'

export interface NaaccrEditsEngine extends Pick<StagingEngine, 'keys'> {
  /** Only the methods, so that tests can replace them. */
  readonly naaccr: Pick<Naaccr, 'dictionary' | 'codes'>
  readonly edits: Pick<RegistryEdits, keyof RegistryEdits>
}

const TYPES: Readonly<Record<EditFormat, string>> = {
  ndjson: LINES,
  tsv: 'text/tab-separated-values',
}

const query = z.object({
  format: z
    .enum(EDIT_FORMATS)
    .optional()
    .describe('ndjson: an object for each patient; tsv: a row for each edit that is not passed'),
  finish: finishFlag,
})

const failedEdit = z.object({
  number: z.string(),
  name: z.string(),
  message: z.string(),
  line: z.int(),
  items: z.array(z.string()).describe('Ids of the items that the edit reads'),
})

const patientLine = z
  .looseObject({
    ...patientMembers,
    edits: z.array(failedEdit).optional(),
    tumors: z
      .array(
        z.object({
          line: z.int(),
          tumorRecordNumber: z.string().optional(),
          edits: z.array(failedEdit),
        }),
      )
      .optional(),
  })
  .openapi('EditedPatient')

const lastLine = z
  .object({
    summary: z.object({
      patients: z.int(),
      tumors: z.int(),
      rules: z.int(),
      notApplied: z
        .array(z.string())
        .describe('Rules that read an item that this file cannot contain'),
      codedItems: z.int().describe('Items whose codes were checked'),
      counts: z.array(counted),
    }),
  })
  .openapi('EditSummary')

/** Endpoints that run edits on registry files like the command `edits`. The summary comes last. */
export function naaccrEditEndpoints(engine: NaaccrEditsEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/rest/naaccr/edits',
      summary: 'Edit the patients and tumors of a NAACCR file of any size',
      description:
        'Each item is checked against its dictionary and its documented codes, and items are ' +
        'compared by rules: those of the operator, or the built-in ones. The file is sent, and ' +
        'results are returned, like for `/rest/naaccr/process`. The response never contains a ' +
        'value of the file.',
      tags: ['naaccr'],
      parameters: query,
      content: { [XML]: z.string() },
      responses: {
        200: {
          description: 'The result, in the requested format.',
          content: { [LINES]: z.union([patientLine, lastLine]), [TYPES.tsv]: z.string() },
        },
        ...failing(),
      },
      security: [{ apiKeyScheme: [] }],
      handle: (call) => editFile(engine, call),
    }),
  ])
}

async function editFile(
  { keys, naaccr, edits }: NaaccrEditsEngine,
  call: Call<unknown, z.output<typeof query>>,
): Promise<Response> {
  await authorise(call.headers, keys, undefined)
  const { format = 'ndjson', finish } = call.query()
  const rules = await edits.rules()
  const { chunks, ahead } = fileBody(call)
  const edited = await edits.check(chunks, {
    findDictionary: (uri) => naaccr.dictionary(uri),
    findCodes: (version) => naaccr.codes(version),
    rules,
    format,
    signal: call.signal,
  })
  return streamResults(call, edited, { contentType: TYPES[format], ahead, finish })
}
