import { z } from 'zod'

// Staging and multiple primaries as the public client reads them (registry.md 3): it fails on any other member
// or value of an enumeration. An input's `default_table` is of the interface alone, and no published algorithm
// has one.

const text = z.string().optional()
const texts = z.array(z.string()).optional()
const whole = z.int().optional()
const time = z.iso.datetime().optional()

const metadata = z.array(z.strictObject({ name: z.string(), start: whole, end: whole })).optional()
const variable = {
  key: z.string(),
  name: text,
  description: text,
  naaccr_item: whole,
  naaccr_xml_id: text,
  default: text,
  table: text,
  metadata,
}
const input = z.strictObject({
  ...variable,
  used_for_staging: z.boolean().optional(),
  unit: text,
  decimal_places: whole,
})
const values = z.array(z.strictObject({ key: z.string(), value: text })).optional()
const renamed = z.array(z.strictObject({ from: z.string(), to: z.string() })).optional()
const paths = z
  .array(
    z.strictObject({
      id: z.string(),
      input_mapping: renamed,
      output_mapping: renamed,
      inputs: texts,
      outputs: texts,
    }),
  )
  .optional()
const described = {
  id: z.string(),
  algorithm: text,
  version: text,
  name: text,
  title: text,
  subtitle: text,
  description: text,
  notes: text,
  last_modified: time,
}

const schema = z.strictObject({
  ...described,
  schema_num: whole,
  schema_selection_table: text,
  schema_discriminators: texts,
  initial_context: values,
  inputs: z.array(input).optional(),
  involved_tables: texts,
  outputs: z.array(z.strictObject(variable)).optional(),
  mappings: z
    .array(
      z.strictObject({
        id: text,
        name: text,
        initial_context: values,
        tables: paths,
        inclusion_tables: paths,
        exclusion_tables: paths,
      }),
    )
    .optional(),
  on_invalid_input: z.enum(['CONTINUE', 'FAIL', 'FAIL_WHEN_USED_FOR_STAGING']).optional(),
})

const table = z.strictObject({
  ...described,
  rationale: text,
  additional_info: text,
  coding_guidelines: text,
  footnotes: text,
  extra_input: texts,
  rows: z.array(z.array(z.string())).optional(),
  definition: z
    .array(
      z.strictObject({
        key: text,
        name: text,
        source: text,
        type: z.enum(['INPUT', 'DESCRIPTION', 'ENDPOINT']),
      }),
    )
    .optional(),
})

const schemaInfo = z.strictObject({
  id: z.string(),
  name: text,
  title: text,
  schema_num: whole,
  discriminators: z.array(input).optional(),
  staging_inputs: texts,
  staging_outputs: texts,
})

const strings = z.record(z.string(), z.string())
const rule = z.strictObject({
  group_id: text,
  step: text,
  question: text,
  reason: text,
  notes: texts,
  examples: texts,
})
const ERROR_TYPES = [
  ...(['UNKNOWN_INPUT', 'INVALID_REQUIRED_INPUT', 'INVALID_NON_REQUIRED_INPUT'] as const),
  ...(['UNKNOWN_INPUT_MAPPING', 'STAGING_ERROR', 'MATCH_NOT_FOUND', 'UNKNOWN_TABLE'] as const),
  ...(['INFINITE_LOOP', 'INVALID_OUTPUT'] as const),
]

const ANSWERS = {
  algorithms: z.array(z.strictObject({ algorithm: z.string(), name: text, description: text })),
  versions: z.array(
    z.strictObject({
      algorithm: text,
      version: z.string(),
      naaccr_version: text,
      last_modified: time,
      type: z.enum(['PRODUCTION', 'BETA', 'DEVELOPMENT']).optional(),
      view_roles: texts,
      edit_roles: texts,
    }),
  ),
  schema,
  schemas: z.array(schemaInfo).min(1),
  table,
  tables: z.array(table).min(1),
  matches: z.array(
    z.strictObject({
      id: z.string(),
      name: text,
      keyword: z.string(),
      category: texts,
      start: z.int(),
      end: z.int(),
    }),
  ),
  staged: z.strictObject({
    result: z.enum([
      ...(['STAGED', 'FAILED_MISSING_SITE_OR_HISTOLOGY', 'FAILED_NO_MATCHING_SCHEMA'] as const),
      ...(['FAILED_MULITPLE_MATCHING_SCHEMAS', 'FAILED_INVALID_YEAR_DX'] as const),
      'FAILED_INVALID_INPUT' as const,
    ]),
    schema_id: text,
    input: strings,
    output: strings,
    path: z.array(z.string()),
    errors: z.array(
      z.strictObject({
        type: z.enum(ERROR_TYPES),
        table: text,
        columns: texts,
        key: text,
        message: text,
      }),
    ),
  }),
  primaries: z.strictObject({
    result: z.enum(['SINGLE_PRIMARY', 'MULTIPLE_PRIMARIES', 'QUESTIONABLE', 'INVALID_INPUT']),
    group_id: text,
    group_name: text,
    step: text,
    reason: text,
    applied_rules: z.array(rule).optional(),
  }),
} as const

/** The answers of the client's operations. */
export type StagingAnswer = keyof typeof ANSWERS

/** The places in an answer that the public client cannot read, with reasons. */
export function unreadableStaging(kind: StagingAnswer, answer: unknown): string[] {
  const { error } = ANSWERS[kind].safeParse(answer)
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}
