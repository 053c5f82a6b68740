import { z } from '@hono/zod-openapi'
import { CATEGORIES } from '../../engine/registry/index.ts'

// Schemas of products and procedures for the API document (registry.md 3). They validate nothing: the engine
// does.

const text = z.string().optional()
const texts = z.array(z.string()).optional()
const flag = z.boolean().optional()
const time = z.iso.datetime().optional()
const day = text.describe('YYYYMMDD')
const year = text.describe('YYYY')
const date = z.iso.date().optional()
const categories = z.array(z.enum(CATEGORIES)).optional()
const score = z.number().optional().describe('Only for searches by words')

export const product = z
  .object({
    ndc: z.string(),
    type_name: text,
    proprietary_name: text,
    proprietary_name_suffix: text,
    non_proprietary_name: texts,
    dosage_form_name: text,
    route_name: texts,
    start_marketing_date: day,
    end_marketing_date: day,
    marketing_category_name: text,
    application_number: text,
    labeler_name: text,
    dea_schedule: text,
    substances: z.array(z.object({ name: text, strength: text, unit: text })).optional(),
    pharm_class: texts,
    packages: z
      .array(
        z.object({
          package: z.string().describe('The last segment of its code'),
          description: text,
          start_marketing_date: day,
          end_marketing_date: day,
        }),
      )
      .optional(),
    seer: z
      .object({
        seer_rx_id: text,
        categories,
        subcategory: text,
        major_drug_class: text,
        minor_drug_class: text,
        orphan_drug: flag,
        exclusive_oncologic_agent: flag,
        date_modified: time,
      })
      .optional(),
    date_added: time,
    date_modified: time,
    date_removed: time,
    score,
  })
  .openapi('NdcProduct')

export const procedure = z
  .object({
    hcpcs_code: z.string(),
    generic_name: text,
    description: text,
    brand_names: texts,
    strength: text,
    fda_approval_year: year,
    fda_discontinuation_year: year,
    cms_approval_date: date,
    cms_discontinuation_date: date,
    categories,
    major_drug_class: text,
    minor_drug_class: text,
    oral: flag,
    date_added: time,
    date_modified: time,
    date_removed: time,
    score,
  })
  .openapi('HcpcsProcedure')

const history = (entity: z.ZodType) =>
  z.object({
    revision: z.int(),
    type: z.enum(['ADD', 'MOD', 'DEL']),
    date: z.iso.datetime(),
    user: z.string(),
    comment: text,
    old: entity.optional(),
    new: entity.optional(),
  })

export const productHistory = history(product).openapi('NdcHistory')
export const procedureHistory = history(procedure).openapi('HcpcsHistory')
