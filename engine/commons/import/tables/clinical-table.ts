import { type JsonObject, objectsIn, textIn } from '../../../shared/input/json-value.ts'
import { DATASETS } from '../../datasets/index.ts'
import { type CellPath, firstElementPath, putCell } from '../cell-path.ts'
import { giveRowIds } from '../made-ids.ts'
import { RowFault } from '../row-fault.ts'
import { type TableKind, valueIn } from '../table-kind.ts'

/** Where the groups of an export's columns belong in a case. */
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

/**
 * Clinical and biospecimen exports of the portal: dotted columns, one row per entity with its case
 * and everything between. Each row is a part of its case; equal ids bring the parts together.
 */
export const clinicalTable: TableKind = {
  name: 'clinical or biospecimen export',
  matches: (columns) =>
    columns.has('cases.case_id') && ![...columns].some((column) => /\.\d+\./.test(column)),
  open({ header, intake }) {
    const places = header.map(placeOf)
    return {
      unused: header.filter((_, i) => places[i] === undefined),
      take(cells) {
        const record: JsonObject = {}
        cells.forEach((cell, i) => {
          const place = places[i]
          const text = place && valueIn(cell)
          if (text !== undefined) putCell(record, place as CellPath, text)
        })
        const caseId = textIn(record.case_id)
        if (caseId === undefined) throw new RowFault('the row has no cases.case_id')
        giveRowIds(record, caseId)
        dropEmptyElements(record)
        intake.record('cases', record)
      },
    }
  },
}

function placeOf(column: string): CellPath | undefined {
  const [group = '', ...rest] = column.split('.')
  const target = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined
  if (target === undefined || rest.length === 0) return undefined
  const path = [...(target === '' ? [] : [target]), ...rest].join('.')
  return firstElementPath(DATASETS.cases, path)
}

/** Wrappers of entities of which the row says nothing itself stay only for what is in them. */
function dropEmptyElements(record: JsonObject): void {
  for (const name of Object.keys(record)) {
    const list = record[name]
    if (!Array.isArray(list)) continue
    for (const element of objectsIn(list)) dropEmptyElements(element)
    const filled = objectsIn(list).filter((element) => Object.keys(element).length > 0)
    if (filled.length > 0) record[name] = filled
    else delete record[name]
  }
}
