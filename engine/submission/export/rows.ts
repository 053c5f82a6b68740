import { byKeys, eachByKeys, PLACES } from '../../shared/database/by-keys.ts'
import type { Rows } from '../../shared/database/database.ts'
import { readExactJson } from '../transactions/store/exact-json.ts'
import type { EntityDocument } from '../transactions/submitted.ts'
import type { ExportedEntity, ExportedParent } from './exported.ts'

/** Position of an entity in creation order. */
export interface EntityPlace {
  readonly id: string
  readonly type: string
  readonly transaction_id: number
  readonly position: number
}

// Statements that select by keys do not also filter by project: SQLite would then scan the whole project.

/** Returns the entities of a project among the given ids, in no order. */
export async function placesOf(
  rows: Rows,
  projectId: string,
  ids: Iterable<string>,
): Promise<EntityPlace[]> {
  const sql = `SELECT id, project_id, type, transaction_id, position FROM submission_entities
     WHERE id IN (${PLACES})`
  const found = await byKeys<PlaceRow>(rows, sql, [], ids)
  return found.filter((row) => row.project_id === projectId)
}

/** Yields the current children of entities within a project, once per link. */
export async function* placesBelow(
  rows: Rows,
  projectId: string,
  parents: Iterable<string>,
): AsyncIterable<EntityPlace> {
  const sql = `SELECT e.id, e.project_id, e.type, e.transaction_id, e.position
     FROM submission_links l JOIN submission_entities e ON e.id = l.child
     WHERE l.parent IN (${PLACES}) AND e.is_current = 1 ORDER BY e.transaction_id, e.position`
  for await (const row of eachByKeys<PlaceRow>(rows, sql, parents)) {
    if (row.project_id === projectId) yield row
  }
}

interface PlaceRow extends EntityPlace {
  readonly project_id: string
}

/** Yields the ids of a project's current entities of a type in creation order. */
export async function* idsOfType(
  rows: Rows,
  projectId: string,
  type: string,
): AsyncIterable<string> {
  const sql = `SELECT id FROM submission_entities
     WHERE project_id = ? AND type = ? AND is_current = 1 ORDER BY transaction_id, position`
  for await (const { id } of rows.each<{ id: string }>(sql, [projectId, type])) yield id
}

/** Returns the maximum number of parents of a project's entities of a type, keyed by link. */
export async function mostParentsOfType(
  rows: Rows,
  projectId: string,
  type: string,
): Promise<ReadonlyMap<string, number>> {
  const counted = `SELECT l.link, count(*) AS n
     FROM submission_entities e JOIN submission_links l ON l.child = e.id
     WHERE e.project_id = ? AND e.type = ? AND e.is_current = 1 GROUP BY l.child, l.link`
  return mostOf(
    await rows.all<LinkCount>(`${MAX_PER_LINK} (${counted}) AS counted GROUP BY link`, [
      projectId,
      type,
    ]),
  )
}

/** Returns the maximum number of parents of the given entities, keyed by link. */
export async function mostParentsOf(
  rows: Rows,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  const counted = `SELECT link, count(*) AS n FROM submission_links WHERE child IN (${PLACES})
     GROUP BY child, link`
  const sql = `${MAX_PER_LINK} (${counted}) AS counted GROUP BY link`
  return mostOf(await byKeys<LinkCount>(rows, sql, [], ids))
}

interface LinkCount {
  readonly link: string
  readonly most: number
}

const MAX_PER_LINK = 'SELECT link, max(n) AS most FROM'

function mostOf(counts: readonly LinkCount[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>()
  for (const { link, most: n } of counts) most.set(link, Math.max(n, most.get(link) ?? 0))
  return most
}

/** Returns entities with their parents, in the order of the ids. */
export async function exportedEntities(
  rows: Rows,
  { projectId, code }: { readonly projectId: string; readonly code: string },
  ids: readonly string[],
): Promise<readonly ExportedEntity[]> {
  const found = await byKeys<EntityRow>(
    rows,
    `SELECT id, type, submitter_id, properties FROM submission_entities WHERE id IN (${PLACES})`,
    [],
    ids,
  )
  const byId = new Map(found.map((row) => [row.id, row]))
  const parents = await parentsOf(rows, ids, code)
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (!row) return []
    return [
      {
        id,
        type: row.type,
        projectId,
        submitterId: row.submitter_id,
        properties: readExactJson(row.properties) as EntityDocument,
        parents: parents.get(id) ?? new Map(),
      },
    ]
  })
}

interface EntityRow {
  readonly id: string
  readonly type: string
  readonly submitter_id: string | null
  readonly properties: string
}

interface LinkRow {
  readonly child: string
  readonly link: string
  readonly parent: string
  readonly entity: string | null
  readonly submitter_id: string | null
  readonly reference: string | null
}

type Parents = Map<string, ExportedParent[]>

/** @param code code of the project, which is the name of a parent that is neither entity nor reference */
async function parentsOf(
  rows: Rows,
  ids: readonly string[],
  code: string,
): Promise<ReadonlyMap<string, Parents>> {
  const links = await byKeys<LinkRow>(
    rows,
    `SELECT l.child, l.link, l.parent, e.id AS entity, e.submitter_id, r.name AS reference
     FROM submission_links l LEFT JOIN submission_entities e ON e.id = l.parent
       LEFT JOIN submission_references r ON r.id = l.parent
     WHERE l.child IN (${PLACES}) ORDER BY l.child, l.link, l.parent`,
    [],
    ids,
  )
  const byChild = new Map<string, Parents>()
  for (const { child, link, parent, entity, submitter_id: submitterId, reference } of links) {
    const parents: Parents = byChild.get(child) ?? new Map()
    byChild.set(child, parents)
    const name = entity === null ? (reference ?? code) : submitterId
    const known = parents.get(link)
    if (known) known.push({ id: parent, name })
    else parents.set(link, [{ id: parent, name }])
  }
  return byChild
}
