import type { JsonObject } from '../../../shared/input/json-value.ts'
import { count, id, listOf, md5, name, text } from '../columns.ts'
import { defined } from '../defined.ts'
import { RowError } from '../row-error.ts'
import { declareTable } from '../table-kind.ts'

/** Release that introduced the files of the new gene model (data notes on files). */
const RELEASE = '32.0'

/**
 * A manifest of a project with cases, aliquots and workflow, in which some files have a replacement. The
 * replacement becomes the record, and the old file becomes history.
 */
export const releaseManifest = declareTable({
  name: 'project manifest with versions',
  columns: {
    id: id('id'),
    name: name('filename'),
    md5: md5('md5'),
    size: count('size'),
    project: text('project_id'),
    cases: listOf(id('case_ids')),
    aliquots: listOf(id('aliquot_ids')),
    category: text('data_category'),
    type: text('data_type'),
    strategy: text('experimental_strategy'),
    workflow: text('workflow_type'),
    newId: id('new_id'),
    newName: name('new_filename'),
    newMd5: md5('new_md5'),
    newSize: count('new_size'),
  },
  needs: ['id', 'name', 'project', 'cases'],
  open:
    ({ intake }) =>
    (row) => {
      const { id, name, md5, size, project, workflow, newId } = row
      if (id === undefined) throw new RowError('the row has no id')
      const filename = row.newName ?? name
      const current =
        newId === undefined
          ? { filename, md5, size }
          : { filename, md5: row.newMd5, size: row.newSize }
      const [cases, aliquots] = [row.cases, row.aliquots].map((ids) =>
        (ids ?? []).filter((each) => each !== undefined),
      )
      intake.record(
        'files',
        defined({
          file_id: newId ?? id,
          file_name: current.filename,
          md5sum: current.md5,
          file_size: current.size,
          data_category: row.category,
          data_type: row.type,
          experimental_strategy: row.strategy,
          analysis: workflow === undefined ? undefined : { workflow_type: workflow },
          ...linksOf(cases ?? [], aliquots ?? [], project),
        }),
      )
      if (newId === undefined) return
      const next = { id: newId, ...current }
      intake.step({ id, filename: name, md5, size, next, release: RELEASE })
    },
})

/**
 * Returns the cases and aliquots of a file. If the file has several cases, it is unknown which aliquot belongs
 * to which, so the aliquots become associated entities.
 */
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
