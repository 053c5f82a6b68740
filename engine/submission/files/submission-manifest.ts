import { stringify } from 'yaml'
import type { Rows } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import { layoutOf } from '../dictionary/templates.ts'
import { exportedDocument } from '../export/document.ts'
import { exportedEntities, placesOf } from '../export/rows.ts'
import { isFileType, type RegisteredProject } from '../transactions/graph.ts'

const MAX_FILES = 1000
/** Properties that the transfer client accepts as missing, but not as null. */
const NEVER_NULL: ReadonlySet<string> = new Set(['file_name', 'file_size', 'md5sum'])

/**
 * Returns the manifest with which the client uploads files (submission.md 14): exported properties and local
 * file names, in the order of the ids.
 * @throws EngineError `bad_input` without ids, or for an entity that is not a data file; `not_found` if the
 *   project has no entity with an id; `too_many` for more than MAX_FILES ids
 */
export async function submissionManifest(
  rows: Rows,
  project: RegisteredProject,
  ids: readonly string[],
  dictionary: Dictionary,
): Promise<string> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (wanted.length === 0) {
    const message = "No ids specified. Use query parameter 'ids', e.g. 'ids=id1,id2'."
    throw new EngineError('bad_input', message)
  }
  if (wanted.length > MAX_FILES) {
    const message = `${wanted.length} ids are given; request at most ${MAX_FILES} at a time`
    throw new EngineError('too_many', message)
  }
  const found = new Set((await placesOf(rows, project.projectId, wanted)).map(({ id }) => id))
  const missing = wanted.filter((id) => !found.has(id))
  if (missing.length > 0) throw new EngineError('not_found', `Not found: ${missing.join(', ')}`)
  const files = (await exportedEntities(rows, project, wanted)).map((file) => {
    const type = dictionary.types.get(file.type)
    if (!type || !isFileType(type)) {
      throw new EngineError('bad_input', `${file.type} ${file.id} is not a data file.`)
    }
    const layout = { type: file.type, columns: layoutOf(dictionary, type), hasIds: true }
    const members = Object.entries(exportedDocument(file, layout))
    const shown = members.filter(([name, value]) => value !== null || !NEVER_NULL.has(name))
    const name = file.properties.file_name
    return { ...Object.fromEntries(shown), ...(name !== undefined && { local_file_path: name }) }
  })
  // Quoted, because the client parses YAML 1.1, in which `yes` and 2026-01-01 are not text.
  const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const
  return stringify({ files }, { ...quoted, aliasDuplicateObjects: false, lineWidth: 0 })
}
