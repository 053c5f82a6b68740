import { isObject, type JsonObject, objectsIn, textIn } from '../../../shared/input/json-value.ts'
import { type CellPath, columnOf, putCell } from '../cell-path.ts'
import { CLINICAL_IDS } from '../clinical-ids.ts'
import { type Column, ColumnReader, id, listOf, withValues } from '../columns.ts'
import type { Intake } from '../intake.ts'
import { giveRowIds } from '../made-ids.ts'
import { RowError } from '../row-error.ts'
import type { RowReader, Table } from '../table-kind.ts'
import { CASE_ID_FIELDS } from '../uuid-cell.ts'

/** Members of each entity that clients expect but exports leave out. */
const EXPECTED = ['state', 'created_datetime', 'updated_datetime']

/**
 * Creates a reader for tables whose rows are parts of cases: each row is an entity with its ancestors up to
 * the case. Rows are merged by ids.
 * @param placeOf returns the path of a column's values in a case, or undefined for columns to ignore
 */
export function readCaseRows(
  { header, intake }: Table,
  placeOf: (column: string) => CellPath | undefined,
): RowReader {
  const fields = header.map((name) => fieldOf(name, placeOf(name), intake))
  const caseColumn = header[fields.findIndex((field) => field?.place.steps.join() === 'case_id')]
  return {
    unused: header.filter((name, i) => name !== '' && fields[i] === undefined),
    take(cells) {
      const record: JsonObject = {}
      cells.forEach((cell, i) => {
        const field = fields[i]
        if (!field) return
        const { place, reader, isList } = field
        const values = isList ? reader.readList(cell).filter((each) => each !== undefined) : []
        const value = isList ? (values.length > 0 ? values : undefined) : reader.read(cell)
        if (value !== undefined) putCell(record, place, value)
      })
      const caseId = textIn(record.case_id)
      if (caseId === undefined) throw new RowError(`the row has no ${caseColumn}`)
      giveRowIds(record, caseId)
      dropEmptyElements(record)
      expectMembers(record)
      intake.record('cases', record)
    },
  }
}

interface CaseField {
  readonly place: CellPath
  readonly reader: ColumnReader
  readonly isList: boolean
}

function fieldOf(name: string, place: CellPath | undefined, intake: Intake): CaseField | undefined {
  if (!place) return undefined
  const member = String(place.steps.at(-1))
  const known = columnOf(name, place)
  const path = place.steps.filter((step) => typeof step === 'string').join('.')
  const column: Column = CASE_ID_FIELDS.has(member)
    ? id(name)
    : withValues(
        known,
        ...(NA_VALUES.has(path) ? ['NA'] : []),
        ...(NONE_VALUES.has(member) ? ['None'] : []),
      )
  const isList = LISTS.has(member)
  const reader = new ColumnReader(
    isList ? { ...listOf(known, '|'), values: column.values ?? [] } : column,
    intake.tallyOf(name),
  )
  return { place, reader, isList }
}

/** Fields with several values. These tables separate the values by `|`. */
const LISTS: ReadonlySet<string> = new Set([
  ...['ann_arbor_b_symptoms_described_array', 'chemical_exposure_type', 'comorbidities'],
  ...['imaging_anatomic_site', 'occupation_type', 'risk_factors', 'route_of_administration'],
  'sites_of_involvement',
  'treatment_anatomic_sites',
  'tumor_level_prostate',
  'weiss_assessment_findings',
])

/** Fields in which NA is a value: the codes of a site and a project, and a country. */
const NA_VALUES: ReadonlySet<string> = new Set([
  'tissue_source_site.code',
  'project.project_id',
  'project.code',
  'demographic.country_of_residence_at_enrollment',
])

/** Fields in which None is a value, because the data model lists it among their terms. */
const NONE_VALUES: ReadonlySet<string> = new Set([
  ...['cdc_hiv_risk_factors', 'exercise_frequency_weekly', 'extrathyroid_extension', 'first_event'],
  ...['hysterectomy_margins_involved', 'immunosuppressive_treatment_type'],
  'lymph_node_involved_site',
  'risk_factors',
])

/** Removes list elements without members, which were created only to contain other elements. */
function dropEmptyElements(record: JsonObject): void {
  for (const name of Object.keys(record)) {
    const list = record[name]
    if (!Array.isArray(list) || !list.every(isObject)) continue
    for (const element of objectsIn(list)) dropEmptyElements(element)
    const filled = objectsIn(list).filter((element) => Object.keys(element).length > 0)
    if (filled.length > 0) record[name] = filled
    else delete record[name]
  }
}

const CLINICAL = ['demographic', ...Object.keys(CLINICAL_IDS)]

/** Adds the members that clients expect to clinical entities, as null if the row has no value. */
function expectMembers(record: JsonObject): void {
  for (const name of CLINICAL) {
    if (record[name] === undefined) continue
    for (const entity of objectsIn(record[name])) {
      for (const member of EXPECTED) entity[member] ??= null
      expectMembers(entity)
    }
  }
}
