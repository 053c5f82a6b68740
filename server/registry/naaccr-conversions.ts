import { z } from '@hono/zod-openapi'
import {
  CONVERSION_FORMATS,
  type ConversionFormat,
  type Naaccr,
  type RegistryConversions,
} from '../../engine/registry/index.ts'
import { requireParameter } from '../../engine/shared/internal.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  counted,
  failing,
  fileBody,
  finishFlag,
  patientMembers,
  streamResults,
  strictFlag,
  XML,
} from './file-body.ts'
import { LINES } from './line-batch.ts'
import { authorise } from './security.ts'
import type { StagingEngine } from './staging-engine.ts'

export interface NaaccrConversionsEngine extends Pick<StagingEngine, 'keys'> {
  // Only the methods are required, so that tests can replace both objects.
  readonly naaccr: Pick<Naaccr, 'dictionary'>
  readonly conversions: Pick<RegistryConversions, keyof RegistryConversions>
}

const TYPES: Readonly<Record<ConversionFormat, string>> = {
  ndjson: LINES,
  tsv: 'text/tab-separated-values',
  xml: XML,
}

const query = z.object({
  rules: z
    .string()
    .optional()
    .describe(
      'Required. Name of the rules: a file in `conversions/` of the data folder, without .txt',
    ),
  format: z
    .enum(CONVERSION_FORMATS)
    .optional()
    .describe(
      'xml: the file with the new values, the default; ndjson: an object for each patient; tsv: a row for each change',
    ),
  strict: strictFlag,
  finish: finishFlag,
})

const patientLine = z.looseObject(patientMembers).openapi('ConvertedPatient')

const lastLine = z
  .object({
    summary: z.object({
      patients: z.int(),
      tumors: z.int(),
      rules: z.int(),
      notApplied: z.array(z.string()).describe('Rules of items that this file cannot contain'),
      counts: z.array(counted),
    }),
  })
  .openapi('ConversionSummary')

/** Endpoints that convert registry files like the command `convert`. The summary comes last. */
export function naaccrConversionEndpoints(engine: NaaccrConversionsEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/rest/naaccr/convert',
      summary: 'Convert a NAACCR file of any size to another version of an algorithm',
      description:
        'Items of tumors and patients are changed by rules that the operator has in the data folder. The file is ' +
        'sent, and results are returned, like for `/rest/naaccr/process`.',
      tags: ['naaccr'],
      parameters: query,
      content: { [XML]: z.string() },
      responses: {
        200: {
          description: 'The result, in the requested format.',
          content: {
            [XML]: z.string(),
            [LINES]: z.union([patientLine, lastLine]),
            [TYPES.tsv]: z.string(),
          },
        },
        ...failing({ 404: 'There are no rules of that name.' }),
      },
      security: [{ apiKeyScheme: [] }],
      handle: (call) => convertFile(engine, call),
    }),
  ])
}

async function convertFile(
  { keys, naaccr, conversions }: NaaccrConversionsEngine,
  call: Call<unknown, z.output<typeof query>>,
): Promise<Response> {
  await authorise(call.headers, keys, undefined)
  const { rules, format = 'xml', strict, finish } = call.query()
  const conversion = await conversions.rules(requireParameter(rules, 'rules'), call.signal)
  const { chunks, ahead } = fileBody(call)
  const converted = await conversions.convert(chunks, {
    findDictionary: (uri) => naaccr.dictionary(uri),
    conversion,
    format,
    strict,
    signal: call.signal,
  })
  return streamResults(call, converted, { contentType: TYPES[format], ahead, finish })
}
