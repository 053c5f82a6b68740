import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EntityResult } from '../../engine/submission/transactions/entity-result.ts'
import { uploadResponses } from '../../server/submission/shapes.ts'
import { available } from '../available.ts'
import { readVector, readVectorIndex } from './support/published.ts'
import { type Heard, ServedSubmission } from './support/served.ts'
import { idOf, MadeSubmission, type Seed, type UploadBody } from './support/service.ts'

interface Vector {
  readonly http?: { readonly content_type: string | null }
  readonly request?: unknown
  readonly request_text?: string
  readonly response?: UploadBody
}

interface Recorded {
  readonly vector: string
  readonly operation?: 'create' | 'put' | 'patch'
  readonly isDryRun?: boolean
  readonly project?: string
  readonly seeds?: readonly Seed[]
  /** Intended differences from the recorded answer, with the reason. */
  readonly deviation?: { readonly why: string } & Partial<Omit<UploadBody, 'entities'>> & {
      readonly entities?: readonly Partial<EntityResult>[]
    }
}

const CASE_93: Seed = {
  type: 'case',
  name: 'GDC-INTERNAL-000093',
  id: 'a00f076e-d694-47dd-8e50-24c28e90fd6a',
}
const links = { cases: 'a00f076e-d694-47dd-8e50-24c28e90fd6a' }
const SLIP = 'the published answer is not that of its own request'

const CHAIN: readonly Seed[] = [
  CASE_93,
  { type: 'sample', name: 'S', links },
  { type: 'aliquot', name: 'A', links: { samples: 'S' } },
]

/** Every vector with a JSON answer to an upload. */
const RECORDED: readonly Recorded[] = [
  { vector: '01', isDryRun: true },
  {
    vector: '06',
    deviation: {
      why: `${SLIP}: it is that of a dry run`,
      code: 201,
      message: 'Transaction successful.',
    },
  },
  // The vector was posted to /TCGA/ALCH, a different project from that of the document and the answer.
  { vector: '07', seeds: [CASE_93] },
  { vector: '08', operation: 'put', seeds: [CASE_93] },
  { vector: '09', seeds: [CASE_93] },
  { vector: '10', seeds: [CASE_93] },
  { vector: '11', operation: 'put', isDryRun: true, seeds: [CASE_93] },
  {
    vector: '12',
    project: 'QA-REGRESSION',
    deviation: {
      why: 'written for a dictionary that demanded less',
      cases_related_to_created_entities_count: 0,
      code: 400,
      created_entity_count: 0,
      entity_error_count: 3,
      success: false,
      message: 'Transaction aborted due to 3 invalid entities.',
      entities: [
        { valid: false, errors: missing('disease_type', 'primary_site') },
        {
          valid: false,
          errors: [
            {
              keys: ['sample_type_id'],
              message:
                "Key 'sample_type_id' is not a valid property for type 'sample'. Did you mean 'sample_type'?",
              type: 'INVALID_PROPERTY',
            },
            {
              keys: [],
              message: "Additional properties are not allowed ('sample_type_id' was unexpected)",
              type: 'ERROR',
            },
            ...missing('preservation_method', 'specimen_type', 'tissue_type', 'tumor_descriptor'),
            {
              keys: ['cases'],
              message:
                "No link destination found for cases, unique_keys='[{'project_id': 'QA-REGRESSION', 'submitter_id': 'QA-REGRESSION-0002'}]'",
              type: 'INVALID_LINK',
            },
          ],
          related_cases: [],
          warnings: [
            {
              keys: ['sample_type'],
              message: "Property 'sample_type' is deprecated and should not be used any more.",
              type: 'INVALID_PROPERTY',
            },
          ],
        },
        {
          valid: false,
          errors: noLink('samples', 'QA-REGRESSION-0002-SAMPLE000001', 'QA-REGRESSION'),
          related_cases: [],
        },
      ],
    },
  },
  { vector: '16', seeds: [{ type: 'case', name: 'GDC-INTERNAL-000073' }] },
  {
    vector: '17',
    operation: 'patch',
    seeds: [
      { type: 'case', name: 'GDC-INTERNAL-000073' },
      { type: 'demographic', name: 'demographic7892', links: { cases: 'GDC-INTERNAL-000073' } },
    ],
  },
  {
    vector: '19',
    operation: 'put',
    project: 'TCGA-CHOL',
    seeds: [{ type: 'case', name: 'TCGA-4G-AAZT', id: 'b10c64c2-7fd2-4210-b975-034affb14b57' }],
  },
  {
    vector: '20',
    operation: 'put',
    project: 'TCGA-CHOL',
    seeds: [
      { type: 'case', name: 'TCGA-4G-AAZT', id: 'b10c64c2-7fd2-4210-b975-034affb14b57' },
      {
        type: 'clinical_supplement',
        name: 'nationwidechildrens.org_CHOL.bio.Level_1.428.25.0.tar.gz_nationwidechildrens.org_clinical.TCGA-4G-AAZT-.xml',
        isFile: true,
        state: 'submitted',
        fileState: 'submitted',
        properties: { md5sum: 'ecaaa87613ba03c971bfefdb6f693959', file_size: 39195 },
        links: { cases: 'b10c64c2-7fd2-4210-b975-034affb14b57' },
      },
    ],
  },
  {
    vector: '28',
    seeds: [CASE_93],
    deviation: { why: 'counts of what fails are 0', cases_related_to_created_entities_count: 0 },
  },
  { vector: '29', seeds: [CASE_93] },
  {
    vector: '30',
    operation: 'put',
    seeds: [CASE_93, { type: 'demographic', name: 'demographic_test', links }],
    deviation: { why: 'counts of what fails are 0', cases_related_to_updated_entities_count: 0 },
  },
  {
    vector: '31',
    operation: 'put',
    seeds: [CASE_93, { type: 'demographic', name: 'demographic_test', links }],
  },
  {
    vector: '32',
    operation: 'put',
    seeds: [
      ...CHAIN,
      { type: 'read_group', name: 'R', links: { aliquots: 'A' } },
      { type: 'read_group', name: 'Read_group_00093', links: { aliquots: 'A' } },
      {
        type: 'submitted_aligned_reads',
        name: 'other',
        isFile: true,
        links: { read_groups: 'Read_group_00093' },
      },
      {
        type: 'submitted_aligned_reads',
        name: 'Blood-00009-aliquot01_lane1_barcodeACGTAC_55.bam',
        isFile: true,
        links: { read_groups: 'R' },
      },
    ],
    deviation: {
      why: 'counts of what fails are 0; the published related cases stand in place of the id',
      cases_related_to_updated_entities_count: 0,
      entities: [
        {
          related_cases: [
            {
              id: idOf('a00f076e-d694-47dd-8e50-24c28e90fd6a'),
              submitter_id: 'GDC-INTERNAL-000093',
            },
          ],
        },
      ],
    },
  },
  {
    vector: '33',
    project: 'CPTAC-3',
    deviation: {
      why: 'the published message names another project than the document',
      entities: [{ errors: noLink('aligned_reads_files', 'Aligned_Reads_000000', 'CPTAC-3') }],
    },
  },
  { vector: '34', operation: 'put', seeds: [CASE_93] },
  { vector: '35', operation: 'put', seeds: [CASE_93] },
  { vector: '37', operation: 'put', seeds: [{ type: 'case', name: 'GDC-INTERNAL-000099' }] },
  {
    vector: '39',
    operation: 'put',
    seeds: [...CHAIN, { type: 'read_group', name: 'Read_group_000093', links: { aliquots: 'A' } }],
    deviation: {
      why: `${SLIP}: it has the action and counts of another, and of a case`,
      updated_entity_count: 0,
      entities: [
        {
          action: 'create',
          type: 'submitted_unaligned_reads',
          related_cases: [
            {
              id: idOf('a00f076e-d694-47dd-8e50-24c28e90fd6a'),
              submitter_id: 'GDC-INTERNAL-000093',
            },
          ],
        },
      ],
    },
  },
  { vector: '41', seeds: [{ type: 'case', name: 'GDC-INTERNAL-000028' }] },
  {
    vector: '43',
    seeds: [
      CASE_93,
      ...CHAIN.slice(1),
      { type: 'raw_methylation_array', name: 'M', isFile: true, links: { aliquots: 'A' } },
      {
        type: 'methylation_array_harmonization_workflow',
        name: 'test_methylation_array_harmonization_workflow1',
        links: { raw_methylation_arrays: 'M' },
      },
    ],
    deviation: {
      why: `${SLIP}: it is of a diagnosis`,
      entities: [{ type: 'masked_methylation_array' }],
    },
  },
  { vector: '45', operation: 'put', seeds: [{ type: 'case', name: 'GDC-INTERNAL-000099' }] },
  {
    vector: '47',
    operation: 'put',
    seeds: [
      { type: 'case', name: 'GDC-INTERNAL-000088' },
      {
        type: 'alignment_workflow',
        name: 'Alignment_Workflow_000088',
        links: { submitted_unaligned_reads_files: 'GDC-INTERNAL-000088' },
      },
    ],
    deviation: {
      why: `${SLIP}: it counts what is created as updated too`,
      updated_entity_count: 0,
    },
  },
]

/** Answers that were not published as JSON, with the kinds of their errors. */
const TOLD: readonly (Pick<Recorded, 'vector' | 'operation' | 'seeds'> & {
  readonly why?: string
  readonly types?: readonly string[]
  readonly code?: number
})[] = [
  { vector: '36' },
  {
    vector: '38',
    why: 'the request has the type that its answer misses',
    types: ['INVALID_LINK'],
  },
  { vector: '40' },
  {
    vector: '42',
    seeds: [
      {
        type: 'methylation_array_harmonization_workflow',
        name: 'test_methylation_array_harmonization_workflow1',
      },
    ],
  },
  { vector: '44' },
  { vector: '46', operation: 'put' },
  { vector: '48', why: 'there is no registry of subjects to ask', types: [], code: 201 },
  { vector: '49', seeds: [{ type: 'case', name: 'GDC-INTERNAL-000078' }] },
  { vector: '50' },
  { vector: '51' },
]

/** The tests of the other vectors. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '02': 'a commit: transactions-concurrency.test.ts, dry runs',
  '03': 'a close: transactions-concurrency.test.ts, dry runs',
  '04': 'asynchronous: transactions-concurrency.test.ts',
  '13': 'its request is no JSON; parse-vectors.test.ts',
  '18': 'a deletion: transactions-deletion.test.ts',
  '52': 'it has no request',
}

describe.skipIf(!available.shared)('recorded transactions', () => {
  if (!available.shared) return
  let made: MadeSubmission
  let served: ServedSubmission
  beforeAll(async () => {
    made = await MadeSubmission.open()
    served = new ServedSubmission(made.submission)
  })
  beforeEach(() => made.reset())
  afterAll(() => made.close())

  test('no recorded transaction is left out', () => {
    const known = new Set([...RECORDED, ...TOLD].map(({ vector }) => vector))
    const all = readVectorIndex() as readonly { readonly file: string; readonly code?: number }[]
    const left = all
      .filter(({ code }) => code !== undefined)
      .map(({ file }) => file.slice(0, 2))
      .filter((vector) => !known.has(vector))
    expect(left).toEqual(Object.keys(ELSEWHERE).sort())
  })

  test.each(RECORDED)('vector $vector', async (recorded) => {
    const { vector, operation = 'create', project = 'GDC-INTERNAL', seeds = [] } = recorded
    const { http, request, request_text, response } = readOne(vector)
    await made.register(project)
    await made.seed(project, ...seeds)
    const [program, code] = project.split(/-(.*)/)
    const tail = recorded.isDryRun ? '/_dry_run/' : '/'
    const path = `/v0/submission/${program}/${code}${tail}`
    const type = http?.content_type ?? 'json'
    const sent = { body: request ?? request_text, type }
    const answer = await served.ask(METHODS[operation], path, sent)
    expectDescribed(answer)
    const { why, entities = [], ...others } = recorded.deviation ?? { why: '' }
    const wanted = {
      ...response,
      ...others,
      entities: response?.entities.map((one, i) => ({ ...one, ...entities[i] })),
    }
    expect(comparable(answer.body), why).toEqual(comparable(wanted as UploadBody))
  })

  test.each(TOLD)(
    'vector $vector',
    async ({ vector, operation = 'create', seeds = [], ...told }) => {
      const { request } = readOne(vector)
      const known = readVectorIndex().find(({ file }) => file.startsWith(vector)) as unknown as {
        readonly error_types: readonly string[]
        readonly code: number
      }
      await made.register('GDC-INTERNAL')
      await made.seed('GDC-INTERNAL', ...seeds)
      // Plain curl sends this content type for every body.
      const sent = { body: request, type: 'application/x-www-form-urlencoded' }
      const answer = await served.ask(METHODS[operation], '/submission/GDC/INTERNAL', sent)
      expectDescribed(answer)
      const { code, entities } = answer.body
      expect(code).toBe(told.code ?? known.code)
      const types = entities.flatMap(({ errors }) => errors.map(({ type }) => type))
      expect(types).toEqual(told.types ?? known.error_types)
    },
  )
})

const METHODS = { create: 'POST', put: 'PUT', patch: 'PATCH' } as const

/** Checks that an answer is as in the API document, repeats its status, and names a failure in both forms. */
function expectDescribed({ status, body }: Heard): void {
  const shape = uploadResponses[status as 200 | 201 | 400].content['application/json']
  expect(shape.parse(body)).toEqual(body)
  expect(Object.keys(body)).toEqual(Object.keys(body).sort())
  expect(body.code).toBe(status)
  expect(body.error).toBe(status < 400 ? undefined : body.message)
}

function readOne(number: string): Vector {
  const found = readVectorIndex().find(({ file }) => file.startsWith(`${number}_`))
  return readVector(found?.file ?? '') as Vector
}

/** Replaces ids of entities and transactions, which are new each time. */
function comparable(body: UploadBody) {
  const { transaction_id, entities, ...others } = body
  const { error, ...counted } = others as typeof others & { error?: string }
  return {
    ...counted,
    entities: entities.map(({ id, ...one }) => ({
      ...one,
      hasId: id !== null,
      related_cases: one.related_cases.map(({ submitter_id }) => submitter_id),
    })),
  }
}

function missing(...names: readonly string[]): EntityResult['errors'] {
  return names.map((name) => ({
    keys: [name],
    message: `'${name}' is a required property`,
    type: 'MISSING_PROPERTY',
  }))
}

function noLink(link: string, name: string, project: string): EntityResult['errors'] {
  const key = `{'project_id': '${project}', 'submitter_id': '${name}'}`
  const message = `No link destination found for ${link}, unique_keys='[${key}]'`
  return [{ keys: [link], message, type: 'INVALID_LINK' }]
}
