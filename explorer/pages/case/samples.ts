import { fieldName } from '../../cohort/words.ts'

/** A sample, or a part of one: a portion, an analyte, an aliquot or a slide. */
export interface SamplePart {
  readonly kind: string
  readonly name: string
  readonly facts: string
  readonly parts: readonly SamplePart[]
}

type Document = Readonly<Record<string, unknown>>

/** Groups by their field, with the name of one element and its telling fields. */
const KINDS: Readonly<
  Record<string, { readonly kind: string; readonly facts: readonly string[] }>
> = {
  samples: {
    kind: 'Sample',
    facts: ['sample_type', 'tissue_type', 'preservation_method', 'days_to_collection'],
  },
  portions: { kind: 'Portion', facts: ['weight'] },
  analytes: { kind: 'Analyte', facts: ['analyte_type', 'concentration', 'rna_integrity_number'] },
  aliquots: { kind: 'Aliquot', facts: ['concentration', 'amount'] },
  slides: {
    kind: 'Slide',
    facts: ['section_location', 'percent_tumor_nuclei', 'percent_necrosis'],
  },
}

/** Returns the samples of a case with their parts. */
export function samplesOf(document: Document): readonly SamplePart[] {
  return Object.entries(KINDS).flatMap(([field, { kind, facts }]) => {
    const elements: readonly unknown[] = Array.isArray(document[field]) ? document[field] : []
    return elements.filter(isDocument).map((element) => ({
      kind,
      name: nameOf(element),
      facts: facts.flatMap((name) => factOf(name, element[name])).join('; '),
      parts: samplesOf(element),
    }))
  })
}

/** Counts the parts of a kind, at any depth. */
export const countOf = (parts: readonly SamplePart[], kind: string): number =>
  parts.reduce((sum, part) => sum + Number(part.kind === kind) + countOf(part.parts, kind), 0)

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (element: Document) => {
  const id = Object.entries(element).find(
    ([name]) => name.endsWith('_id') && name !== 'submitter_id',
  )
  return String(element.submitter_id ?? id?.[1] ?? '')
}

const factOf = (name: string, value: unknown): readonly string[] =>
  value === null || value === undefined || value === ''
    ? []
    : [`${fieldName(name)}: ${String(value)}`]
