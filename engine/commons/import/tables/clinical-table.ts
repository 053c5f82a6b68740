import { DATASETS } from '../../datasets/index.ts'
import { type CellPath, firstElementPath } from '../cell-path.ts'
import { id } from '../columns.ts'
import type { TableKind } from '../table-kind.ts'
import { readCaseRows } from './case-rows.ts'

/** Path of each column group in a case. */
const GROUPS: Readonly<Record<string, string>> = {
  cases: '',
  project: 'project',
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
}

/** A clinical or biospecimen table exported by the portal, with columns such as `cases.case_id`. */
export const clinicalTable: TableKind = {
  name: 'clinical or biospecimen export',
  rowsStandAlone: true,
  columns: { caseId: id('cases.case_id') },
  needs: ['caseId'],
  matches: (columns) => ![...columns].some((column) => /\.\d+\./.test(column)),
  open: (table) => readCaseRows(table, placeOf),
}

function placeOf(column: string): CellPath | undefined {
  const [group = '', ...rest] = column.split('.')
  const target = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined
  if (target === undefined || rest.length === 0) return undefined
  const path = [...(target === '' ? [] : [target]), ...rest].join('.')
  return firstElementPath(DATASETS.cases, path)
}
