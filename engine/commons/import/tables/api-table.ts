import type { JsonObject } from '../../../shared/input/json-value.ts'
import type { DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { type CellPath, closeGaps, columnOf, flattenedPath, putCell } from '../cell-path.ts'
import { ColumnReader } from '../columns.ts'
import { datasetOfMembers } from '../dataset-of-record.ts'
import type { TableKind } from '../table-kind.ts'
import { CASE_ID_FIELDS, judgeLoadedId } from '../uuid-cell.ts'

/** A search result as TSV, with flattened columns (data-commons.md 3.5). */
export const apiTable: TableKind = {
  name: 'search answer (TSV)',
  rowsStandAlone: true,
  columns: {},
  needs: [],
  matches(columns, as) {
    const dataset = as ?? datasetIn(columns)
    if (!dataset) return false
    const { idField } = DATASETS[dataset]
    if (!columns.has('id') && !columns.has(idField)) return false
    const others = [...columns].filter((column) => column !== 'id' && column !== idField)
    const known = others.filter((column) => placeOf(dataset, column).type)
    return known.length * 2 >= others.length
  },
  open({ header, intake, as }) {
    const dataset = as ?? datasetIn(new Set(header)) ?? 'files'
    const fields = header.map((name) => {
      // A column without a name, such as the index of pandas, is skipped.
      if (name === '') return undefined
      const place = placeOf(dataset, name)
      const column = columnOf(name, place)
      return { name, place, reader: new ColumnReader(column, intake.tallyOf(name), ONLY_EMPTY) }
    })
    return {
      unused: [],
      take(cells) {
        const record: JsonObject = {}
        cells.forEach((cell, i) => {
          const field = fields[i]
          const value = field?.reader.read(cell)
          if (!field || value === undefined) return
          const { name, place } = field
          if (CASE_ID_FIELDS.has(String(place.steps.at(-1)))) judgeLoadedId(String(value), name)
          putCell(record, place, value)
        })
        closeGaps(record)
        intake.record(dataset, record)
      },
    }
  },
}

/** Texts that stand for a missing value: an empty cell, and what programs write for one. */
const ONLY_EMPTY: ReadonlySet<string> = new Set(['', 'nan', 'NaN', '<NA>'])

const SAMPLE = 'samples.0'
const ALIQUOT = `${SAMPLE}.portions.0.analytes.0.aliquots.0`

/** Short column names of tables derived from search results, with the path of each in a case. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  case_id: 'case_id',
  case_submitter_id: 'submitter_id',
  project_id: 'project.project_id',
  sample_id: `${SAMPLE}.sample_id`,
  sample_submitter_id: `${SAMPLE}.submitter_id`,
  sample_type: `${SAMPLE}.sample_type`,
  aliquot_id: `${ALIQUOT}.aliquot_id`,
  aliquot_submitter_id: `${ALIQUOT}.submitter_id`,
}

const CASE_PREFIXES: Readonly<Partial<Record<DatasetName, string>>> = {
  files: 'cases.0.',
  cases: '',
}

/** Returns the path of a column. The dataset's own field names take precedence over short names. */
function placeOf(dataset: DatasetName, column: string): CellPath {
  const place = flattenedPath(DATASETS[dataset], column)
  if (place.type || !Object.hasOwn(SHORT_NAMES, column)) return place
  const prefix = CASE_PREFIXES[dataset]
  return prefix === undefined
    ? place
    : flattenedPath(DATASETS[dataset], `${prefix}${SHORT_NAMES[column]}`)
}

function datasetIn(columns: ReadonlySet<string>): DatasetName | undefined {
  return datasetOfMembers(new Set([...columns].map((column) => column.split(/\.|_\d+_/)[0] ?? '')))
}
