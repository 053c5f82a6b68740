import type { JsonObject } from '../../../shared/input/json-value.ts'
import { hasAll, readByName, type TableKind, wholeNumber } from '../table-kind.ts'

/** What the transfer client takes (data-commons.md 3.7), under both of its headers. */
export const downloadManifest: TableKind = {
  name: 'download manifest',
  matches: (columns) =>
    !columns.has('project_id') &&
    (hasAll(columns, ['id', 'filename', 'md5', 'size']) ||
      hasAll(columns, ['id', 'file_name', 'md5sum', 'file_size'])),
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const record: JsonObject = {
        file_id: cell('id'),
        file_name: cell('filename') ?? cell('file_name'),
        md5sum: cell('md5') ?? cell('md5sum'),
        file_size: wholeNumber(cell('size') ?? cell('file_size')),
        state: cell('state'),
      }
      const name = cell('case.submitter_id') ?? cell('cases.submitter_id')
      if (name !== undefined) record.cases = [{ submitter_id: name }]
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
  'case.submitter_id',
  'cases.submitter_id',
]

/** Without the members that are undefined. */
export function defined(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
