import { stringify } from 'yaml'
import type { Rows } from '../database/database.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { EngineError } from '../errors.ts'
import { isFileType, type RegisteredProject, type StoredEntity } from '../submission/graph.ts'
import { edgesToParents, entitiesById } from '../submission/store/entities.ts'

const MOST_FILES = 1000
/** What a manifest may only have with a value. */
const NEVER_NULL: ReadonlySet<string> = new Set(['file_name', 'file_size', 'md5sum'])

/**
 * The manifest for an upload of files, in the order of their ids (submission 14).
 * @throws EngineError `bad_input`, `not_found`, `too_many`
 */
export async function submissionManifest(
  rows: Rows,
  project: RegisteredProject,
  ids: readonly string[],
  types: ReadonlyMap<string, EntityType>,
): Promise<string> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (wanted.length === 0) {
    const message = "No ids specified. Use query parameter 'ids', e.g. 'ids=id1,id2'."
    throw new EngineError('bad_input', message)
  }
  if (wanted.length > MOST_FILES) {
    const message = `${wanted.length} ids are given; ask for at most ${MOST_FILES} at a time`
    throw new EngineError('too_many', message)
  }
  const found = new Map((await entitiesById(rows, wanted)).map((one) => [one.id, one]))
  const isOurs = (id: string) => found.get(id)?.projectId === project.projectId
  const missing = wanted.filter((id) => !isOurs(id))
  if (missing.length > 0) throw new EngineError('not_found', `Not found: ${missing.join(', ')}`)
  const files = wanted.flatMap((id) => found.get(id) ?? [])
  for (const { id, type: name } of files) {
    const type = types.get(name)
    if (type && isFileType(type)) continue
    throw new EngineError('bad_input', `${name} ${id} is not a data file.`)
  }
  const links = await linksOf(rows, project, wanted)
  const entries = files.map((file) => ({
    ...propertiesOf(file, types.get(file.type), links.get(file.id) ?? new Map()),
    local_file_path: file.properties.file_name,
  }))
  return stringify({ files: entries }, { aliasDuplicateObjects: false, lineWidth: 0 })
}

type Parents = Map<string, object[]>

async function linksOf(rows: Rows, project: RegisteredProject, ids: readonly string[]) {
  const edges = await edgesToParents(rows, ids)
  const parents = await entitiesById(rows, new Set(edges.map(({ parent }) => parent)))
  const names = new Map(parents.map(({ id, submitterId }) => [id, submitterId]))
  const links = new Map<string, Parents>()
  for (const { child, link, parent } of edges) {
    const ofChild: Parents = links.get(child) ?? new Map()
    const told =
      parent === project.id
        ? { id: parent, code: project.code }
        : { id: parent, submitter_id: names.get(parent) ?? null }
    ofChild.set(link, [...(ofChild.get(link) ?? []), told])
    links.set(child, ofChild)
  }
  return links
}

/** What an export has of a file (submission 12). */
function propertiesOf(file: StoredEntity, type: EntityType | undefined, parents: Parents) {
  const own = [...(type?.properties.keys() ?? [])]
    .filter((name) => !type?.links.has(name) && !type?.systemProperties.has(name))
    .map((name): [string, unknown] => [name, file.properties[name] ?? null])
    .filter(([name, value]) => value !== null || !NEVER_NULL.has(name))
  const links = [...(type?.links.keys() ?? [])].map((name) => [name, parents.get(name) ?? []])
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(links),
    id: file.id,
    type: file.type,
    project_id: file.projectId,
    submitter_id: file.submitterId,
  }
}
