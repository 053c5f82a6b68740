import { DATASETS } from '../../datasets/index.ts'
import { typeOf } from '../../datasets/resolve.ts'
import { type CellPath, firstElementPath } from '../cell-path.ts'
import { id, text } from '../columns.ts'
import type { TableKind } from '../table-kind.ts'
import { readCaseRows } from './case-rows.ts'

/** Groups of a case's fields, by what one entity of them is called in names of columns. */
const GROUPS: Readonly<Record<string, string>> = {
  case: '',
  project: 'project',
  demographic: 'demographic',
  diagnosis: 'diagnoses',
  treatment: 'diagnoses.treatments',
  pathology_detail: 'diagnoses.pathology_details',
  exposure: 'exposures',
  family_history: 'family_histories',
  follow_up: 'follow_ups',
  molecular_test: 'follow_ups.molecular_tests',
  other_clinical_attribute: 'follow_ups.other_clinical_attributes',
}

/** The same for specimens, the most specific ones first. */
const SPECIMENS: Readonly<Record<string, string>> = {
  aliquot: 'samples.portions.analytes.aliquots',
  analyte: 'samples.portions.analytes',
  slide: 'samples.portions.slides',
  portion: 'samples.portions',
  sample: 'samples',
}

/**
 * Clinical and biospecimen exports of the portal before 2024: columns are called as fields, without
 * the group that these are in.
 */
export const formerClinicalTable: TableKind = {
  name: 'clinical or biospecimen export (before 2024)',
  columns: { caseId: id('case_id'), caseName: text('case_submitter_id') },
  needs: ['caseId', 'caseName'],
  matches: (columns) => !columns.has('file_id') && ![...columns].some((name) => name.includes('.')),
  open: (table) => readCaseRows(table, placesOf(table.header)),
}

function placesOf(header: readonly string[]): (column: string) => CellPath | undefined {
  const groups = groupsOf(header)
  return (column) => {
    const named = /^(\w+?)_(id|submitter_id)$/.exec(column)
    const [, noun = '', member = ''] = named ?? []
    const own = Object.hasOwn(GROUPS, noun) ? GROUPS[noun] : SPECIMENS[noun]
    if (named && own !== undefined) return pathIn(own, member === 'id' ? column : member)
    const group = groups.find((each) => typeOf(DATASETS.cases, pathOf(each, column)) !== undefined)
    return group === undefined ? undefined : pathIn(group, column)
  }
}

/** The groups that columns may be of: those of the specimens that it names, else those with most fields. */
function groupsOf(header: readonly string[]): readonly string[] {
  const specimens = Object.entries(SPECIMENS)
    .filter(([noun]) => header.includes(`${noun}_id`) || header.includes(`${noun}_submitter_id`))
    .map(([, group]) => group)
  if (specimens.length > 0) return specimens
  const fieldsOf = (group: string) =>
    header.filter((column) => typeOf(DATASETS.cases, pathOf(group, column)) !== undefined).length
  return Object.values(GROUPS)
    .map((group) => ({ group, fields: fieldsOf(group) }))
    .sort((one, other) => other.fields - one.fields)
    .map(({ group }) => group)
}

const pathOf = (group: string, name: string) => (group === '' ? name : `${group}.${name}`)

const pathIn = (group: string, name: string) =>
  firstElementPath(DATASETS.cases, pathOf(group, name))
