import { z } from '@hono/zod-openapi'

// Schemas for comparing tumours (docs/interfaces/multiple-primaries.md 1), used in the API document only. The
// engine validates requests.

const text = z.string().optional()

/** A tumor as a client sends it. All members are optional texts. */
const tumour = z
  .object({
    primary_site: text.describe('Such as C509'),
    histology_icd_o3: text,
    histology_icd_o2: text.describe('Used for years of diagnosis before 2001'),
    behavior_icd_o3: text,
    behavior_icd_o2: text.describe('Used for years of diagnosis before 2001'),
    laterality: text,
    date_of_diagnosis_year: text,
    date_of_diagnosis_month: text,
    date_of_diagnosis_day: text,
  })
  .openapi('MphInput')

export const pair = z.object({ input1: tumour, input2: tumour }).openapi('MphInputPair')

const outcome = z.enum(['SINGLE_PRIMARY', 'MULTIPLE_PRIMARIES', 'QUESTIONABLE', 'INVALID_INPUT'])

const rule = z.object({
  step: z.string().describe('Empty in the two oldest groups, which have one rule'),
  question: z.string(),
  reason: z.string(),
})

/** Members of the result for a pair, without the rules that were applied. */
const ofPair = {
  result: outcome,
  group_id: text.describe(
    'Only if both tumours are of the same group; the same is true of name and step',
  ),
  group_name: text,
  step: text,
  reason: z.string(),
}

export const result = z
  .object({
    ...ofPair,
    applied_rules: z.array(
      rule.extend({ notes: z.array(z.string()), examples: z.array(z.string()) }),
    ),
  })
  .openapi('MphResult')

/** Result for one line of a request that compares many pairs. */
export const lineResult = result
  .extend({
    warnings: z
      .array(z.string())
      .optional()
      .describe(
        'Years without four digits, and months and days that are invalid and count as unknown',
      ),
  })
  .openapi('MphLineResult')

export const group = z
  .object({
    id: z.string(),
    name: z.string(),
    site_inclusions: text,
    site_exclusions: text,
    histology_inclusions: text,
    histology_exclusions: text,
    behavior_inclusions: text,
    year_inclusions: text,
    rules: z.array(rule),
  })
  .openapi('MphGroup')

export const patient = z.object({ tumours: z.array(tumour).max(100) }).openapi('MphPatient')

/** Index of a tumor in the `tumours` of the result. */
const place = z.int().describe('Index in `tumours`, from 0')

const reportedPair = z
  .object({ tumours: z.array(place).length(2), ...ofPair })
  .openapi('MphTumourPair')

export const patientResult = z
  .object({
    tumours: z
      .array(
        z.object({
          input: z.int().describe('Index in the request, from 0'),
          group: z.int().describe('Index of its group in `groups`, from 0'),
          invalid: text.describe('Why the tumour is invalid'),
        }),
      )
      .describe(
        'In order of date; unknown parts of dates come last, equal dates keep the order of the request',
      ),
    matrix: z
      .array(z.array(outcome))
      .describe(
        'Result of each pair, with the earlier tumour first. The diagonal has SINGLE_PRIMARY, or ' +
          'INVALID_INPUT where the tumour by itself is the cause.',
      ),
    groups: z
      .array(z.array(place))
      .describe('Tumours that are one primary, perhaps through others'),
    conflicts: z.array(reportedPair).describe('Pairs of one group that are MULTIPLE_PRIMARIES'),
    questionable: z
      .array(reportedPair)
      .describe('Pairs that are QUESTIONABLE, in a group or across'),
  })
  .openapi('MphPatientResult')
