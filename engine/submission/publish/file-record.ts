import type { JsonObject } from '../../shared/input/json-value.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { isFileType, type StoredEntity } from '../transactions/graph.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'
import { accessOf } from './access.ts'
import { annotationsOf } from './annotation-record.ts'
import { samplesOf } from './case-record.ts'
import { ancestorsOf, archiveOf, type CaseTree, caseOf } from './case-tree.ts'
import { entityDocument, RELEASED } from './entity-document.ts'

/** Types from which files are derived, directly or through read groups and other files. */
const SOURCES: ReadonlySet<string> = new Set([
  'case',
  'sample',
  'portion',
  'slide',
  'analyte',
  'aliquot',
])

/** Where a file is described: in its own record, or in the records of other files. */
type FilePlace = 'record' | 'index_files' | 'metadata_files' | 'archive'

/** Returns where a file of this type is described, or undefined if it is not a file type. */
export function placeOf(type: EntityType | undefined): FilePlace | undefined {
  if (!type || !isFileType(type)) return undefined
  if (type.name === 'archive') return 'archive'
  if (type.category === 'index_file') return 'index_files'
  return type.category === 'metadata_file' ? 'metadata_files' : 'record'
}

export interface FileContext {
  readonly project: ProjectToRelease
  readonly types: ReadonlyMap<string, EntityType>
  readonly isFormer: (entity: StoredEntity) => boolean
}

/** Builds the record of a file, with those of its cases and sources that the tree contains. */
export function fileRecord(file: StoredEntity, tree: CaseTree, context: FileContext): JsonObject {
  const above = ancestorsOf(file, tree)
  const readGroups = [...above.values()].filter(({ type }) => type === 'read_group')
  const archive = archiveOf(file, tree)
  const annotations = annotationsOf(file, tree)
  return {
    ...ownDocument(file, context),
    type: file.type,
    file_state: RELEASED,
    version: String(file.version),
    cases: tree.cases
      .filter(({ id }) => above.has(id))
      .map((one) => ({ case_id: one.id, ...optional('samples', samplesOf(one, tree, above)) })),
    associated_entities: nearestSources(file, tree).map((source) => ({
      entity_id: source.id,
      entity_type: source.type,
      entity_submitter_id: source.submitterId,
      ...optional('case_id', caseOf(source, tree)?.id),
    })),
    ...(readGroups.length > 0 && {
      analysis: { metadata: { read_groups: readGroups.map(entityDocument) } },
    }),
    ...optional('archive', archive && entityDocument(archive)),
    ...(annotations.length > 0 && { annotations }),
    ...listed('index_files', [file], tree, context),
    ...listed('metadata_files', [file, ...readGroups], tree, context),
  }
}

/** Returns the description of a file, which is the same in all records that contain it. */
function ownDocument(file: StoredEntity, { project }: FileContext): JsonObject {
  const { [`${file.type}_id`]: id, ...document } = entityDocument(file)
  const access = accessOf(file, project)
  return {
    ...document,
    file_id: id,
    access,
    acl: access === 'open' ? ['open'] : [project.projectId],
  }
}

function listed(
  place: 'index_files' | 'metadata_files',
  owners: readonly StoredEntity[],
  tree: CaseTree,
  context: FileContext,
): JsonObject {
  const found = owners
    .flatMap(({ id }) => tree.children.get(id) ?? [])
    .filter((one) => placeOf(context.types.get(one.type)) === place && !context.isFormer(one))
  const files = [...new Set(found)].map((one) => {
    const { acl: _, ...document } = ownDocument(one, context)
    return { ...document, ...(place === 'metadata_files' && { type: one.type }) }
  })
  return files.length > 0 ? { [place]: files } : {}
}

/** Returns the nearest source on each path from a file to its ancestors. */
function nearestSources(file: StoredEntity, tree: CaseTree): readonly StoredEntity[] {
  const found = new Set<StoredEntity>()
  const passed = new Set<string>()
  const visit = (child: string) => {
    for (const { parent } of tree.parents.get(child) ?? []) {
      const entity = tree.entities.get(parent)
      if (!entity || passed.has(parent)) continue
      passed.add(parent)
      if (SOURCES.has(entity.type)) found.add(entity)
      else visit(parent)
    }
  }
  visit(file.id)
  return [...found]
}

const optional = (name: string, value: JsonObject[string]): JsonObject =>
  value === undefined ? {} : { [name]: value }
