import type { JsonObject } from '../../../shared/input/json-value.ts'
import { DATASETS } from '../../datasets/index.ts'
import { flattenedPath } from '../cell-path.ts'
import { readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'

const CASE_IDS = ['case_id', 'cases.case_id', 'cases.0.case_id', 'cases_0_case_id']
const CASE_NAMES = [
  ...['case.submitter_id', 'cases.submitter_id', 'cases.0.submitter_id', 'cases_0_submitter_id'],
  'case_submitter_id',
]

/** What the transfer client takes (data-commons.md 3.7), under both of its headers. */
export const downloadManifest: TableKind = {
  name: 'download manifest',
  needs: ['id', ['filename', 'file_name'], ['md5', 'md5sum'], ['size', 'file_size']],
  // A search answer may have all of these, too, and other fields besides.
  matches: (columns) =>
    columns.has('filename') ||
    [...columns].every((column) => {
      return KNOWN.includes(column) || flattenedPath(DATASETS.files, column).type === undefined
    }),
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const record: JsonObject = {
        file_id: uuidIn(cell('id'), 'id'),
        file_name: cell('filename') ?? cell('file_name'),
        md5sum: cell('md5') ?? cell('md5sum'),
        file_size: wholeNumber(cell('size') ?? cell('file_size')),
        state: cell('state'),
      }
      const id = CASE_IDS.map((column) => uuidIn(cell(column), column)).find(Boolean)
      const name = CASE_NAMES.map(cell).find((text) => text !== undefined)
      const project = cell('project_id')
      if (id !== undefined || name !== undefined) {
        const link = {
          case_id: id,
          submitter_id: name,
          project: project === undefined ? undefined : { project_id: project },
        }
        record.cases = [defined(link)]
      }
      table.intake.record('files', defined(record))
    }),
}

const KNOWN = [
  'id',
  'filename',
  'file_name',
  'md5',
  'md5sum',
  'size',
  'file_size',
  'state',
  ...CASE_IDS,
  ...CASE_NAMES,
  'project_id',
]

/** Without the members that are undefined. */
export function defined(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
