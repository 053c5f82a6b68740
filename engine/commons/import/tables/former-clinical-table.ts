import { DATASETS } from '../../datasets/index.ts'
import { typeOf } from '../../datasets/resolve.ts'
import { type CellPath, firstElementPath } from '../cell-path.ts'
import { id, name } from '../columns.ts'
import type { TableKind } from '../table-kind.ts'
import { readCaseRows } from './case-rows.ts'

/** Path of each group in a case, keyed by the singular noun in column names. */
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

/** Path of each specimen level in a case, most specific first, keyed by the noun in column names. */
const SPECIMENS: Readonly<Record<string, string>> = {
  aliquot: 'samples.portions.analytes.aliquots',
  analyte: 'samples.portions.analytes',
  slide: 'samples.portions.slides',
  portion: 'samples.portions',
  sample: 'samples',
}

/**
 * A clinical or biospecimen export of the portal before 2024, whose columns are field names without their
 * group.
 */
export const formerClinicalTable: TableKind = {
  name: 'clinical or biospecimen export (before 2024)',
  columns: { caseId: id('case_id'), caseName: name('case_submitter_id') },
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

/**
 * Returns the groups to which columns may belong. If the header names specimens, these are their groups.
 * Otherwise all groups are returned, ordered by their number of matching columns.
 */
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
