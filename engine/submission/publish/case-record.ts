import type { JsonObject } from '../../shared/input/json-value.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import { type CaseTree, referenceOf } from './case-tree.ts'
import { entityDocument, referenceDocument } from './entity-document.ts'

/** Names of the nested lists in which a record has an entity's children, by type of the entity and of the child. */
type Paths = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Specimens of a case. If an intermediate specimen is missing, its list gets an element without an id. */
const SPECIMENS: Paths = {
  case: { sample: ['samples'] },
  sample: {
    portion: ['portions'],
    slide: ['portions', 'slides'],
    analyte: ['portions', 'analytes'],
    aliquot: ['portions', 'analytes', 'aliquots'],
  },
  portion: { analyte: ['analytes'], slide: ['slides'] },
  analyte: { aliquot: ['aliquots'] },
}

const EVERYTHING: Paths = {
  ...SPECIMENS,
  case: {
    ...SPECIMENS.case,
    diagnosis: ['diagnoses'],
    exposure: ['exposures'],
    family_history: ['family_histories'],
    follow_up: ['follow_ups'],
    other_clinical_attribute: ['other_clinical_attributes'],
  },
  diagnosis: {
    treatment: ['treatments'],
    pathology_detail: ['pathology_details'],
    molecular_test: ['molecular_tests'],
  },
  follow_up: {
    molecular_test: ['molecular_tests'],
    other_clinical_attribute: ['other_clinical_attributes'],
  },
  slide: { molecular_test: ['molecular_tests'] },
}

/** Types that records list under their follow-up, even if an entity also has other parents. */
const FOLLOWED: ReadonlySet<string> = new Set(['molecular_test', 'other_clinical_attribute'])

/** Builds the record of a case with all its descendants except files and annotations (data-commons.md 2). */
export function caseRecord(entity: StoredEntity, tree: CaseTree): JsonObject {
  const record = nested(entity, tree, { paths: EVERYTHING })
  const [demographic] = (tree.children.get(entity.id) ?? []).filter(
    ({ type }) => type === 'demographic',
  )
  if (demographic) record.demographic = entityDocument(demographic)
  record.project = { project_id: entity.projectId }
  const site = referenceOf(entity, 'tissue_source_site', tree)
  if (site) record.tissue_source_site = referenceDocument(site)
  return record
}

/**
 * Returns the samples of a case with their specimens, reduced to the paths that lead to given entities.
 * @param only ids of the entities to include
 */
export function samplesOf(
  entity: StoredEntity,
  tree: CaseTree,
  only: ReadonlyMap<string, unknown>,
): JsonObject['samples'] {
  return nested(entity, tree, { paths: SPECIMENS, only }).samples
}

interface Nesting {
  readonly paths: Paths
  readonly only?: ReadonlyMap<string, unknown>
}

function nested(entity: StoredEntity, tree: CaseTree, nesting: Nesting): JsonObject {
  const { paths, only } = nesting
  const document = entityDocument(entity)
  const center = referenceOf(entity, 'center', tree)
  if (center) document.center = referenceDocument(center)
  for (const child of tree.children.get(entity.id) ?? []) {
    const path = paths[entity.type]?.[child.type]
    if (!path || (only && !only.has(child.id)) || isShownElsewhere(child, entity, tree)) continue
    const list = path.reduce<JsonObject[]>((above, name, i) => {
      // Adds elements without an id for intermediate specimens that are missing.
      const parent = i === 0 ? document : namelessIn(above)
      return listIn(parent, name)
    }, [])
    list.push(nested(child, tree, nesting))
  }
  return document
}

function isShownElsewhere(child: StoredEntity, parent: StoredEntity, tree: CaseTree): boolean {
  if (!FOLLOWED.has(child.type) || parent.type === 'follow_up') return false
  const parents = tree.parents.get(child.id) ?? []
  return parents.some(({ parent: id }) => tree.entities.get(id)?.type === 'follow_up')
}

function namelessIn(list: JsonObject[]): JsonObject {
  const known = list.find((one) => one.submitter_id === undefined)
  if (known) return known
  const made: JsonObject = {}
  list.push(made)
  return made
}

function listIn(parent: JsonObject, name: string): JsonObject[] {
  const known = parent[name]
  if (Array.isArray(known)) return known as JsonObject[]
  const made: JsonObject[] = []
  parent[name] = made
  return made
}
