import { z } from '@hono/zod-openapi'
import { ROLES } from '../../engine/shared/index.ts'

// Schemas of the staging area for the API document (registry.md 3). They validate nothing: the engine does.

const text = z.string().optional()
const texts = z.array(z.string()).optional()
const date = z.iso.datetime().optional()
const whole = z.int().optional()

export const algorithm = z
  .object({ algorithm: z.string(), name: text, description: text })
  .openapi('StagingAlgorithm')

export const version = z
  .object({
    algorithm: text,
    version: text,
    naaccr_version: text,
    view_roles: z.array(z.enum(ROLES)).optional(),
    edit_roles: z.array(z.enum(ROLES)).optional(),
    type: z.enum(['PRODUCTION', 'BETA', 'DEVELOPMENT']).optional(),
    last_modified: date,
  })
  .openapi('StagingAlgorithmVersion')

const metadata = z
  .array(z.object({ name: z.string(), start: whole, end: whole }))
  .optional()
  .describe('A plain string is read as a name.')
const keyValues = z.array(z.object({ key: z.string(), value: text })).optional()
const fromTo = z.array(z.object({ from: z.string(), to: z.string() })).optional()

const field = {
  key: z.string(),
  name: text,
  description: text,
  naaccr_item: whole,
  naaccr_xml_id: text,
  default: text,
  table: text,
  metadata,
}

const input = z
  .object({
    ...field,
    default_table: text,
    used_for_staging: z.boolean().optional(),
    unit: text,
    decimal_places: whole,
  })
  .openapi('StagingInput')

const tablePaths = z
  .array(
    z
      .object({
        id: z.string(),
        input_mapping: fromTo,
        output_mapping: fromTo,
        inputs: texts.describe('Derived'),
        outputs: texts.describe('Derived'),
      })
      .openapi('StagingTablePath'),
  )
  .optional()

const mapping = z
  .object({
    id: text,
    name: text,
    inclusion_tables: tablePaths,
    exclusion_tables: tablePaths,
    initial_context: keyValues,
    tables: tablePaths,
  })
  .openapi('StagingMapping')

const entity = {
  id: z.string(),
  algorithm: text,
  version: text,
  name: text,
  title: text,
  subtitle: text,
  description: text,
  notes: text.describe('Markdown'),
  last_modified: date,
}

export const schema = z
  .object({
    ...entity,
    schema_num: whole,
    schema_selection_table: z.string(),
    schema_discriminators: texts,
    initial_context: keyValues,
    inputs: z.array(input),
    outputs: z.array(z.object(field).openapi('StagingOutput')).optional(),
    mappings: z.array(mapping).optional(),
    involved_tables: texts.describe('Derived'),
    on_invalid_input: z.enum(['CONTINUE', 'FAIL', 'FAIL_WHEN_USED_FOR_STAGING']).optional(),
  })
  .openapi('StagingSchema')

export const table = z
  .object({
    ...entity,
    rationale: text,
    additional_info: text,
    coding_guidelines: text,
    footnotes: text,
    definition: z.array(
      z.object({
        key: text,
        name: text,
        type: z.enum(['INPUT', 'DESCRIPTION', 'ENDPOINT']),
        source: text,
      }),
    ),
    extra_input: texts.describe('Derived'),
    rows: z.array(z.array(z.string())),
  })
  .openapi('StagingTable')

export const schemaProjection = z
  .object({ id: z.string(), name: text, title: text, schema_num: whole })
  .openapi('StagingSchemaProjection')

export const tableProjection = z
  .object({ id: z.string(), name: text, title: text })
  .openapi('StagingTableProjection')

const history = (entity: z.ZodType) =>
  z.object({
    number: z.int().describe('The number for restoring this entry'),
    type: z.enum(['ADD', 'MOD', 'DEL']),
    algorithm: z.string(),
    version: z.string(),
    id: z.string(),
    date: z.iso.datetime(),
    user: z.string(),
    comment: text,
    old: entity.optional(),
    new: entity.optional(),
  })

export const schemaHistory = history(schema).openapi('StagingSchemaHistory')
export const tableHistory = history(table).openapi('StagingTableHistory')

export const keywordMatch = z
  .object({
    id: z.string(),
    name: z.string(),
    keyword: z.string(),
    category: texts,
    start: z.int(),
    end: z.int().describe('Position of the last character, inclusive'),
  })
  .openapi('ApiKeywordMatch')

export const inputMap = z.record(z.string(), z.string()).openapi('StagingInputMap')

export const schemaInfo = z
  .object({
    id: z.string(),
    name: text,
    title: text,
    schema_num: whole,
    discriminators: z.array(input).optional(),
    staging_inputs: z.array(z.string()),
    staging_outputs: z.array(z.string()),
  })
  .openapi('StagingSchemaInfo')

const visit = z.object({
  table: z.string(),
  purpose: z.string(),
  mapping: text,
  key: text,
  row: whole,
  inputs: z.array(z.object({ key: z.string(), value: z.string(), cell: text })),
  endpoints: z.array(z.object({ key: z.string(), cell: z.string() })).optional(),
})

const itemName = { naaccr_item: whole, naaccr_xml_id: text, name: text }
const itemNames = z.record(z.string(), z.object(itemName))

export const stagingData = z
  .object({
    result: z.enum([
      'STAGED',
      'FAILED_MISSING_SITE_OR_HISTOLOGY',
      'FAILED_NO_MATCHING_SCHEMA',
      'FAILED_MULITPLE_MATCHING_SCHEMAS',
      'FAILED_INVALID_YEAR_DX',
      'FAILED_INVALID_INPUT',
    ]),
    schema_id: text,
    input: inputMap,
    output: inputMap,
    errors: z.array(
      z.object({
        type: z.string(),
        table: text,
        columns: texts,
        key: text,
        message: z.string(),
        outputs: texts.describe('Outputs that depend on it; only with `hints`'),
      }),
    ),
    path: z.array(z.string()),
    explain: z.array(visit).optional().describe('Each evaluated table, in order; only on request'),
    hints: z
      .object({
        warnings: texts,
        schemas: z
          .array(z.object({ schema: z.string(), name: text, by: inputMap }))
          .optional()
          .describe(
            'The schemas for the site and histology, with the cells that decide between them',
          ),
        discriminators: z
          .array(
            z.object({
              key: z.string(),
              ...itemName,
              codes: z.array(z.object({ code: z.string(), label: text })).optional(),
            }),
          )
          .optional()
          .describe('The inputs that decide between them'),
      })
      .optional()
      .describe('Only with `hints`'),
    naaccr: z
      .object({ input: itemNames, output: itemNames })
      .optional()
      .describe('Only with `naaccr`, and if the case has a schema'),
  })
  .openapi('StagingData')

export const caseDifference = z
  .object({
    changed: z.boolean(),
    changes: z
      .array(
        z.object({
          at: z.string(),
          change: z.enum(['added', 'removed', 'changed']),
          before: z.unknown().optional(),
          after: z.unknown().optional(),
        }),
      )
      .optional()
      .describe('Differences between the results of the two versions'),
    why: z
      .object({ before: z.array(visit), after: z.array(visit) })
      .optional()
      .describe('Tables that only one of the versions evaluated'),
  })
  .openapi('StagingCaseDifference')

export const tableMatch = z
  .object({ match: z.boolean(), row: whole.describe('The first row that matches, from 0') })
  .openapi('TableMatch')

export const finding = z
  .object({
    kind: z.enum(['schema', 'table']),
    id: z.string(),
    at: text.describe('The member with the reference'),
    message: z.string(),
  })
  .openapi('StagingFinding')

export const batch = z
  .object({
    schemas: z.array(schema).optional(),
    tables: z.array(table).optional(),
    delete_schemas: texts,
    delete_tables: texts,
  })
  .openapi('StagingBatch')

const names = z.object({ schemas: z.array(z.string()), tables: z.array(z.string()) })
export const batchResult = z
  .object({ added: names, changed: names, deleted: names })
  .openapi('StagingBatchResult')

export const restore = z
  .object({ history: z.int().describe('Number of an entry of the history') })
  .openapi('StagingRestore')
