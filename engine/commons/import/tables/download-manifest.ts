import { MANIFEST_COLUMNS } from '../../../shared/input/manifest-columns.ts'
import { DATASETS } from '../../datasets/index.ts'
import { flattenedPath } from '../cell-path.ts'
import { count, id, md5, name, text } from '../columns.ts'
import { defined } from '../defined.ts'
import { declareTable } from '../table-kind.ts'

const COLUMNS = {
  id: id('id'),
  name: name(...MANIFEST_COLUMNS.fileName),
  md5: md5(...MANIFEST_COLUMNS.md5),
  size: count(...MANIFEST_COLUMNS.size),
  state: text('state'),
  caseId: id('case_id', 'cases.case_id', 'cases.0.case_id', 'cases_0_case_id'),
  caseName: name(
    ...(['case.submitter_id', 'cases.submitter_id', 'cases.0.submitter_id'] as const),
    'cases_0_submitter_id',
    'case_submitter_id',
  ),
  project: text('project_id'),
}
const KNOWN: ReadonlySet<string> = new Set(Object.values(COLUMNS).flatMap(({ names }) => names))

/** A manifest for the transfer client (data-commons.md 3.7), with one of its two headers. */
export const downloadManifest = declareTable({
  name: 'download manifest',
  rowsStandAlone: true,
  columns: COLUMNS,
  needs: ['id', 'name', 'md5', 'size'],
  // A search result may have all of these columns, but it also has other fields.
  matches: (columns) =>
    columns.has('filename') ||
    [...columns].every((column) => {
      return KNOWN.has(column) || flattenedPath(DATASETS.files, column).type === undefined
    }),
  open:
    ({ intake }) =>
    ({ id, name, md5, size, state, caseId, caseName, project }) => {
      const link = defined({
        case_id: caseId,
        submitter_id: caseName,
        project: project === undefined ? undefined : { project_id: project },
      })
      const isLinked = caseId !== undefined || caseName !== undefined
      intake.record(
        'files',
        defined({
          file_id: id,
          file_name: name,
          md5sum: md5,
          file_size: size,
          state,
          cases: isLinked ? [link] : undefined,
        }),
      )
    },
})
