import type { JsonObject } from '../../../shared/input/json-value.ts'
import type { DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { closeGaps, flattenedPath, putCell } from '../cell-path.ts'
import { datasetOfMembers } from '../dataset-of-record.ts'
import type { TableKind } from '../table-kind.ts'

/** A search answer as TSV: flattened columns (data-commons.md 3.5). */
export const apiTable: TableKind = {
  name: 'search answer (TSV)',
  matches(columns, as) {
    const dataset = as ?? datasetIn(columns)
    if (!dataset) return false
    const { idField } = DATASETS[dataset]
    if (!columns.has('id') && !columns.has(idField)) return false
    const others = [...columns].filter((column) => column !== 'id' && column !== idField)
    const known = others.filter((column) => flattenedPath(DATASETS[dataset], column).type)
    return known.length * 2 >= others.length
  },
  open({ header, intake, as }) {
    const dataset = as ?? datasetIn(new Set(header)) ?? 'files'
    const places = header.map((column) => flattenedPath(DATASETS[dataset], column))
    return {
      unused: [],
      take(cells) {
        const record: JsonObject = {}
        cells.forEach((text, i) => {
          const place = places[i]
          // An empty cell is a value that the record does not have.
          if (place && text !== '') putCell(record, place, text)
        })
        closeGaps(record)
        intake.record(dataset, record)
      },
    }
  },
}

function datasetIn(columns: ReadonlySet<string>): DatasetName | undefined {
  return datasetOfMembers(new Set([...columns].map((column) => column.split('.')[0] ?? '')))
}
