import { z } from 'zod'

// Products and procedures as a strict client reads them: the members of registry.md 3 and no others.

const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const text = z.string().min(1).optional()
const texts = z.array(z.string().min(1)).min(1).optional()
const day = z
  .string()
  .regex(/^\d{8}$/)
  .optional()
const year = z
  .string()
  .regex(/^\d{4}$/)
  .optional()
const date = z.iso.date().optional()
const flag = z.boolean().optional()
const categories = z
  .array(
    z.enum([
      ...(['HORMONAL_THERAPY', 'ANCILLARY', 'CHEMOTHERAPY'] as const),
      ...(['IMMUNOTHERAPY', 'RADIOPHARMACEUTICAL'] as const),
    ]),
  )
  .optional()

const ndc = z.strictObject({
  ndc: z.string().regex(/^\d{4,5}-\d{3,4}$/),
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
  substances: z.array(z.strictObject({ name: text, strength: text, unit: text })).optional(),
  pharm_class: texts,
  packages: z
    .array(
      z.strictObject({
        package: z.string().regex(/^\d{1,2}$/),
        description: text,
        start_marketing_date: day,
        end_marketing_date: day,
      }),
    )
    .optional(),
  seer: z
    .strictObject({
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
  date_removed: time.optional(),
  score: z.number().positive().optional(),
})

const hcpcs = z.strictObject({
  hcpcs_code: z.string().regex(/^[A-Z0-9]{5}$/),
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
  date_removed: time.optional(),
  score: z.number().positive().optional(),
})

/** The faults that would stop a strict client. */
export function strictFaults(area: 'ndc' | 'hcpcs', record: unknown): string[] {
  const { error } = { ndc, hcpcs }[area].safeParse(record)
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}
