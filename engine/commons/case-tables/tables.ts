import { isObject, type JsonObject, objectsIn } from '../../shared/input/json-value.ts'
import { biospecimenColumns, clinicalColumns, type PartName, type TableColumns } from './columns.ts'

/** The parts of a case from which one row is made, keyed by the prefix of their columns. */
export type Row = Readonly<Partial<Record<PartName, JsonObject>>>

/** A file of an archive. */
export interface CaseTable {
  readonly fileName: string
  readonly columns: TableColumns
  /** Returns the rows for one case. */
  rows(record: JsonObject): Iterable<Row>
}

export type TableKind = 'clinical' | 'biospecimen'

/** The tables of the public service's two archives (data-commons.md 11.42). */
export const TABLES: Readonly<Record<TableKind, readonly CaseTable[]>> = Object.freeze({
  clinical: [
    {
      fileName: 'clinical.tsv',
      columns: clinicalColumns({ parts: ['demographic', 'diagnoses', 'treatments'] }, true),
      rows: clinicalRows,
    },
    {
      fileName: 'exposure.tsv',
      columns: clinicalColumns({ parts: ['exposures'] }),
      rows: (record) => below({}, record, 'exposures'),
    },
    {
      fileName: 'family_history.tsv',
      columns: clinicalColumns({ parts: ['family_histories'] }),
      rows: (record) => below({}, record, 'family_histories'),
    },
    {
      fileName: 'follow_up.tsv',
      columns: clinicalColumns({
        parts: ['follow_ups', 'molecular_tests', 'other_clinical_attributes'],
      }),
      rows: followUpRows,
    },
    {
      fileName: 'pathology_detail.tsv',
      columns: clinicalColumns({ named: ['diagnoses'], parts: ['pathology_details'] }),
      rows: (record) => chained(record, ['diagnoses', 'pathology_details']),
    },
  ],
  biospecimen: [
    {
      fileName: 'aliquot.tsv',
      columns: biospecimenColumns(['samples', 'portions', 'analytes'], 'aliquots'),
      rows: (record) => chained(record, ['samples', 'portions', 'analytes', 'aliquots']),
    },
    {
      fileName: 'analyte.tsv',
      columns: biospecimenColumns(['samples', 'portions'], 'analytes'),
      rows: (record) => chained(record, ['samples', 'portions', 'analytes']),
    },
    {
      fileName: 'portion.tsv',
      columns: biospecimenColumns(['samples'], 'portions'),
      rows: (record) => chained(record, ['samples', 'portions']),
    },
    {
      fileName: 'sample.tsv',
      columns: biospecimenColumns([], 'samples'),
      rows: (record) => chained(record, ['samples']),
    },
    {
      fileName: 'slide.tsv',
      columns: biospecimenColumns(['samples', 'portions'], 'slides'),
      rows: (record) => chained(record, ['samples', 'portions', 'slides']),
    },
  ],
})

/** Yields a row per treatment. A diagnosis without treatments gives one row, and so does a case without diagnoses. */
function* clinicalRows(record: JsonObject): Generator<Row> {
  const [demographic] = objectsIn(record.demographic)
  const own: Row = demographic ? { demographic } : {}
  for (const diagnosis of orEmpty([...below(own, record, 'diagnoses')], own)) {
    yield* orEmpty([...below(diagnosis, diagnosis.diagnoses, 'treatments')], diagnosis)
  }
}

/** Yields a row per molecular test, or one for a follow-up without tests, and a row per clinical attribute. */
function* followUpRows(record: JsonObject): Generator<Row> {
  for (const row of below({}, record, 'follow_ups')) {
    yield* orEmpty([...below(row, row.follow_ups, 'molecular_tests')], row)
    yield* below(row, row.follow_ups, 'other_clinical_attributes')
  }
}

const orEmpty = (rows: readonly Row[], empty: Row): readonly Row[] =>
  rows.length > 0 ? rows : [empty]

/** Yields a row for each element at the end of a chain of lists, with the elements that contain it. */
function* chained(record: JsonObject, names: readonly PartName[], row: Row = {}): Generator<Row> {
  const [name, ...rest] = names
  if (name === undefined) return
  for (const element of objectsIn(record[name])) {
    const found = { ...row, [name]: element }
    if (rest.length > 0) yield* chained(element, rest, found)
    else if (isDescribed(element)) yield found
  }
}

const below = (row: Row, parent: JsonObject | undefined, name: PartName): Iterable<Row> =>
  parent ? chained(parent, [name], row) : []

/** Returns whether an element has a value itself. Some elements only contain other elements. */
const isDescribed = (element: JsonObject): boolean =>
  Object.values(element).some(
    (value) =>
      value !== null && !isObject(value) && !(Array.isArray(value) && value.some(isObject)),
  )
