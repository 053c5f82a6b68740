import type { FieldType } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { fieldsOf, nodeAt } from '../datasets/tree.ts'

/** Path in a case of each part that rows are made of, keyed by the prefix of its columns. */
const PARTS = {
  project: 'project',
  cases: '',
  demographic: 'demographic',
  diagnoses: 'diagnoses',
  treatments: 'diagnoses.treatments',
  pathology_details: 'diagnoses.pathology_details',
  exposures: 'exposures',
  family_histories: 'family_histories',
  follow_ups: 'follow_ups',
  molecular_tests: 'follow_ups.molecular_tests',
  other_clinical_attributes: 'follow_ups.other_clinical_attributes',
  samples: 'samples',
  portions: 'samples.portions',
  slides: 'samples.portions.slides',
  analytes: 'samples.portions.analytes',
  aliquots: 'samples.portions.analytes.aliquots',
} as const

export type PartName = keyof typeof PARTS

export interface TableColumn {
  /** Column name, such as `diagnoses.age_at_diagnosis`. */
  readonly name: string
  readonly part: PartName
  readonly field: string
  /** Whether whole numbers get a decimal point. */
  readonly isDecimal: boolean
}

/** Columns of a table. */
export interface TableColumns {
  /** Fixed columns, present in every table. */
  readonly always: readonly TableColumn[]
  /** Columns that follow the fixed ones if at least one row has a value in them. */
  readonly ifUsed: readonly TableColumn[]
}

/** Fields of the case in its tables: its ids, or all fields in the table that has a row for every case. */
export const ID_FIELDS = ['case_id', 'submitter_id']
export const CASE_FIELDS = [
  'case_id',
  'consent_type',
  'days_to_consent',
  'days_to_lost_to_followup',
  'disease_type',
  'index_date',
  'lost_to_followup',
  'primary_site',
  'submitter_id',
]
/** Id fields shown of the parts above the row's own part. */
const NAMES: Readonly<Partial<Record<PartName, readonly string[]>>> = {
  diagnoses: ['diagnosis_id', 'submitter_id'],
  samples: ['sample_id', 'submitter_id'],
  portions: ['portion_id', 'submitter_id'],
  analytes: ['analyte_id', 'submitter_id'],
}

/** Hidden fields of earlier dictionaries that the public service's clinical tables still have. */
const EARLIER: ReadonlySet<string> = new Set([
  'demographic.gender',
  'family_histories.relationship_gender',
  'other_clinical_attributes.undescended_testis_corrected_age',
  'pathology_details.epithelioid_cell_percent',
  'pathology_details.extrascleral_extension',
  'pathology_details.size_extraocular_nodule',
  'pathology_details.spindle_cell_percent',
  'treatments.therapeutic_level_achieved',
])

/** Fields that the public service's clinical tables do not have yet. */
const LATER: ReadonlySet<string> = new Set([
  'demographic.year_of_birth_range',
  'diagnoses.ann_arbor_b_symptoms_described_array',
  'treatments.treatment_type_administered',
])

const TIMES: ReadonlySet<string> = new Set(['created_datetime', 'updated_datetime'])

/**
 * Returns the columns of a clinical table: ids of the case and of the named parts, then all fields of the other
 * parts.
 * @param isWhole whether to include all fields of the case instead of only its ids
 */
export function clinicalColumns(
  {
    named = [],
    parts,
  }: { readonly named?: readonly PartName[]; readonly parts: readonly PartName[] },
  isWhole = false,
): TableColumns {
  const fields = parts
    .flatMap(fieldsOfPart)
    .filter(({ field }) => field !== 'state' && !TIMES.has(field))
  const isIfUsed = ({ name, isHidden }: PartField) =>
    LATER.has(name) || (isHidden && !EARLIER.has(name))
  return {
    always: [
      ...caseColumns(isWhole ? CASE_FIELDS : ID_FIELDS),
      ...named.flatMap(namesOf),
      ...parts.flatMap((part) =>
        sorted(fields.filter((field) => field.part === part && !isIfUsed(field))),
      ),
    ],
    ifUsed: sorted(fields.filter(isIfUsed)),
  }
}

/** Returns the columns of a biospecimen table: ids of the case and of the parts above, then the part's fields. */
export function biospecimenColumns(named: readonly PartName[], part: PartName): TableColumns {
  const fields = fieldsOfPart(part).filter(({ field }) => !TIMES.has(field))
  return {
    always: [...caseColumns(ID_FIELDS), ...named.flatMap(namesOf), ...sorted(fields)],
    ifUsed: [],
  }
}

interface PartField extends TableColumn {
  readonly isHidden: boolean
}

/** Returns the fields directly in a part, without those of groups below it. */
function fieldsOfPart(part: PartName): PartField[] {
  const { fields, hidden } = DATASETS.cases
  return [fields, hidden].flatMap((tree, i) => {
    const node = nodeAt(tree, PARTS[part])
    if (typeof node !== 'object') return []
    return [...fieldsOf(node)]
      .filter(([field]) => !field.includes('.'))
      .map(([field, type]) => ({ ...columnOf(part, field, type), isHidden: i === 1 }))
  })
}

const caseColumns = (fields: readonly string[]): readonly TableColumn[] => [
  columnOf('project', 'project_id', 'exact'),
  ...fields.map((field) => columnOf('cases', field, 'keyword')),
]

const namesOf = (part: PartName): readonly TableColumn[] =>
  (NAMES[part] ?? []).map((field) => columnOf(part, field, 'keyword'))

const columnOf = (part: PartName, field: string, type: FieldType): TableColumn => ({
  name: `${part}.${field}`,
  part,
  field,
  isDecimal: type === 'double' || type === 'float',
})

const sorted = <Column extends TableColumn>(columns: readonly Column[]): readonly Column[] =>
  columns.toSorted((one, other) => (one.name < other.name ? -1 : 1))
