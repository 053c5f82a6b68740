import { z } from 'zod'

// The answers that published clients decode, as strictly as they do (registry-lookups.md 2.1, 3.1).

const text = z.string().optional()

const surgeryTable = z.strictObject({
  title: z.string(),
  site_inclusions: text,
  hist_exclusions: text,
  hist_inclusions: text,
  pre_note: text,
  post_note: text,
  row: z.array(
    z.strictObject({
      code: text,
      description: text,
      level: z.int().min(0).max(3),
      line_break: z.boolean(),
    }),
  ),
})

const time = z.iso.datetime()

const NAACCR = {
  versions: z.array(
    z.strictObject({
      version: z.string(),
      year_implemented: z.int().min(2021),
      date_of_publication: time,
    }),
  ),
  items: z.array(z.strictObject({ id: text, item: z.string().regex(/^\d+$/), name: text })),
  item: z.strictObject({
    item_number: z.string(),
    item_name: text,
    item_data_type: text,
    item_length: text,
    year_implemented: text,
    version_implemented: text,
    year_retired: text,
    version_retired: text,
    xml_naaccr_id: text,
    xml_parent_id: z.enum(['Patient', 'Tumor', 'NaaccrData']).optional(),
    record_types: z.array(z.enum(['A', 'C', 'I', 'M'])).optional(),
    section: text,
    source_of_standard: text,
    date_created: time.optional(),
    date_modified: time.optional(),
    description: text,
    general_notes: text,
    clarification: text,
    rationale: text,
    npcr_collect: text,
    coc_collect: text,
    seer_collect: text,
    cccr_collect: text,
    alternate_names: z.array(z.string()).optional(),
    format: text,
    code_note: text,
    code_description: text,
    allowable_values: text,
    allowed_codes: z
      .array(z.strictObject({ code: z.string(), description: z.string() }))
      .optional(),
  }),
}

// The client would not know any other member (registry-lookups.md 1).
const RECODES = {
  algorithms: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      version: z.string(),
      required_input: z.array(z.string()),
    }),
  ),
  group: z.strictObject({
    site: z.string(),
    hist: z.string(),
    behavior: text,
    site_group: z.string(),
  }),
}

const faultsOf = (shape: z.ZodType, answer: unknown) =>
  shape
    .safeParse(answer)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

export const strictRecodeFaults = (kind: keyof typeof RECODES, answer: unknown): string[] =>
  faultsOf(RECODES[kind], answer)

export const strictSurgeryFaults = (answer: unknown): string[] => faultsOf(surgeryTable, answer)

export const strictNaaccrFaults = (kind: keyof typeof NAACCR, answer: unknown): string[] =>
  faultsOf(NAACCR[kind], answer)
