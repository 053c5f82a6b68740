import type { JsonObject } from '../../../shared/input/json-value.ts'
import { RowError } from '../row-error.ts'
import { listIn, readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

/** Release in which the files of the new gene model came (data notes on files). */
const RELEASE = '32.0'

/**
 * Manifests of a whole project with cases, aliquots and workflow, some of whose files were replaced
 * by others: then the new file is the record and the old one history.
 */
export const releaseManifest: TableKind = {
  name: 'project manifest with versions',
  needs: ['id', 'filename', 'project_id', 'case_ids'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const id = uuidIn(cell('id'), 'id')
      if (id === undefined) throw new RowError('the row has no id')
      const newId = uuidIn(cell('new_id'), 'new_id')
      const size = wholeNumber(cell('size'))
      const current = {
        filename: cell('new_filename') ?? cell('filename'),
        md5: newId === undefined ? cell('md5') : cell('new_md5'),
        size: newId === undefined ? size : wholeNumber(cell('new_size')),
      }
      const project = cell('project_id')
      const idsIn = (column: string) => listIn(cell(column)).map((id) => uuidIn(id, column))
      const [aliquots, cases] = [idsIn('aliquot_ids'), idsIn('case_ids')]
      const workflow = cell('workflow_type')
      table.intake.record(
        'files',
        defined({
          file_id: newId ?? id,
          file_name: current.filename,
          md5sum: current.md5,
          file_size: current.size,
          data_category: cell('data_category'),
          data_type: cell('data_type'),
          experimental_strategy: cell('experimental_strategy'),
          analysis: workflow === undefined ? undefined : { workflow_type: workflow },
          ...linksOf(cases, aliquots, project),
        }),
      )
      if (newId === undefined) return
      const old = { id, filename: cell('filename'), md5: cell('md5'), size }
      table.intake.step({ ...old, next: { id: newId, ...current }, release: RELEASE })
    }),
}

/** Aliquots of several cases are not distinguished: they are listed beside the cases. */
function linksOf(
  cases: readonly string[],
  aliquots: readonly string[],
  project: string | undefined,
): JsonObject {
  if (cases.length === 0) return {}
  const projects = project === undefined ? {} : { project: { project_id: project } }
  const leaves = aliquots.map((id) => ({ aliquot_id: id }))
  const samples =
    cases.length === 1 && leaves.length > 0
      ? { samples: [{ portions: [{ analytes: [{ aliquots: leaves }] }] }] }
      : {}
  const entities =
    cases.length > 1 && aliquots.length > 0
      ? aliquots.map((id) => ({ entity_id: id, entity_type: 'aliquot' }))
      : undefined
  return {
    cases: cases.map((id) => ({ case_id: id, ...projects, ...samples })),
    ...(entities ? { associated_entities: entities } : {}),
  }
}

const KNOWN = [
  'id',
  'filename',
  'md5',
  'size',
  'project_id',
  'case_ids',
  'aliquot_ids',
  'data_category',
  'data_type',
  'experimental_strategy',
  'workflow_type',
  'new_id',
  'new_filename',
  'new_md5',
  'new_size',
]
