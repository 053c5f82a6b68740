import { byKeys, PLACES, someByKeys } from '../../../shared/database/by-keys.ts'
import type { Rows, RowsOf, Transaction } from '../../../shared/database/database.ts'
import type { Parameters } from '../../../shared/database/values.ts'
import {
  type BareEntity,
  type ChildEdge,
  type Edge,
  REDACTED,
  type StoredEntity,
} from '../graph.ts'
import type { EntityDocument } from '../submitted.ts'
import { readExactJson, writeExactJson } from './exact-json.ts'

interface BareRow {
  readonly id: string
  readonly project_id: string
  readonly type: string
  readonly submitter_id: string | null
  readonly state: string
  readonly is_current: number
}

interface EntityRow extends BareRow {
  readonly file_state: string | null
  readonly error_type: string | null
  readonly properties: string
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
  readonly supersedes: string | null
}

const ENTITY =
  'id, project_id, type, submitter_id, state, file_state, error_type, properties, created_at, ' +
  'updated_at, is_current, version, supersedes'

/** Columns of entities to which others link. They are most of the data that is read. */
const BARE = 'id, project_id, type, submitter_id, state, is_current'

/** Returns entities of any project in no order. Unknown ids are left out. */
export function entitiesById(rows: Rows, ids: Iterable<string>): Promise<StoredEntity[]> {
  const sql = `SELECT ${ENTITY} FROM submission_entities WHERE id IN (${PLACES})`
  return entitiesByKeys(rows, sql, [], ids)
}

/** Returns the total size in bytes of the properties of entities, without reading the properties. */
export async function bytesOfEntities(rows: Rows, ids: Iterable<string>): Promise<number> {
  const sql = `SELECT id, octet_length(properties) AS bytes FROM submission_entities WHERE id IN (${PLACES})`
  const found = await byKeys<{ readonly bytes: number }>(rows, sql, [], ids)
  return found.reduce((sum, { bytes }) => sum + Number(bytes), 0)
}

/** Returns entities like `entitiesById`, without properties. */
export function bareById(rows: Rows, ids: Iterable<string>): Promise<BareEntity[]> {
  const sql = `SELECT ${BARE} FROM submission_entities WHERE id IN (${PLACES})`
  return bareByKeys(rows, sql, [], ids)
}

/** Returns current entities of a project in no order. */
export function entitiesByName(
  rows: Rows,
  projectId: string,
  submitterIds: Iterable<string>,
): Promise<StoredEntity[]> {
  return entitiesByKeys(rows, namedSql(ENTITY), [projectId], submitterIds)
}

/** Returns entities like `entitiesByName`, without properties. */
export function bareByName(
  rows: Rows,
  projectId: string,
  submitterIds: Iterable<string>,
): Promise<BareEntity[]> {
  return bareByKeys(rows, namedSql(BARE), [projectId], submitterIds)
}

function namedSql(columns: string): string {
  return `SELECT ${columns} FROM submission_entities
     WHERE project_id = ? AND is_current = 1 AND submitter_id IN (${PLACES})`
}

/** Does the same as `bareByName` for names in lower case, as `foldName` returns them. */
export function bareByFoldedName(
  rows: Rows,
  projectId: string,
  folded: Iterable<string>,
): Promise<BareEntity[]> {
  const sql = `SELECT ${BARE} FROM submission_entities
     WHERE project_id = ? AND is_current = 1 AND lower(submitter_id) IN (${PLACES})`
  return bareByKeys(rows, sql, [projectId], folded)
}

/** Returns the links of entities to their parents. */
export function edgesToParents(rows: Rows, children: Iterable<string>): Promise<Edge[]> {
  return byKeys<Edge>(rows, TO_PARENTS, [], children)
}

/** Yields the links like `edgesToParents` in batches. All links of an entity are in the same batch. */
export function edgesToParentsInParts(
  rows: Rows,
  children: Iterable<string>,
): AsyncIterable<readonly Edge[]> {
  return someByKeys<Edge>(rows, TO_PARENTS, [], children)
}

const TO_PARENTS = `SELECT child, link, parent FROM submission_links WHERE child IN (${PLACES})
     ORDER BY child, link, parent`

/** Returns the links from children, except superseded and redacted ones. */
export async function edgesToChildren(rows: Rows, parents: Iterable<string>): Promise<ChildEdge[]> {
  return (await allChildren(rows, parents)).filter(({ is_current }) => is_current === 1)
}

/** Returns the links from children, including superseded versions but not redacted ones. */
export function edgesToAllChildren(rows: Rows, parents: Iterable<string>): Promise<ChildEdge[]> {
  return allChildren(rows, parents)
}

function allChildren(rows: Rows, parents: Iterable<string>) {
  const sql = `SELECT l.child, l.link, l.parent, e.type, e.is_current
     FROM submission_links l JOIN submission_entities e ON e.id = l.child
     WHERE l.parent IN (${PLACES}) AND e.state <> '${REDACTED}' ORDER BY e.transaction_id, e.position, l.link`
  return byKeys<ChildEdge & { readonly is_current: number }>(rows, sql, [], parents)
}

export async function hasEntities(rows: Rows, projectId: string): Promise<boolean> {
  const sql = 'SELECT 1 AS found FROM submission_entities WHERE project_id = ? LIMIT 1'
  return (await rows.get(sql, [projectId])) !== undefined
}

/** Yields the current entities of a project in a state, in creation order. */
export async function* entitiesInState(
  rows: Rows,
  projectId: string,
  state: string,
): AsyncIterable<StoredEntity> {
  const sql = `SELECT ${ENTITY} FROM submission_entities
     WHERE project_id = ? AND is_current = 1 AND state = ? ORDER BY transaction_id, position`
  for await (const row of rows.each<EntityRow>(sql, [projectId, state])) yield storedEntity(row)
}

/** Number of accepted entities of a type that are not submitted. */
export interface UnsubmittedCount {
  readonly type: string
  readonly count: number
}

/** Counts a project's current entities that are not submitted, by type. */
export async function waitingIn(
  rows: Rows,
  projectId: string,
): Promise<readonly UnsubmittedCount[]> {
  const sql = `SELECT type, count(*) AS count FROM submission_entities
     WHERE project_id = ? AND is_current = 1 AND state = 'validated' GROUP BY type ORDER BY type`
  const found = await rows.all<UnsubmittedCount>(sql, [projectId])
  return found.map(({ type, count }) => ({ type, count: Number(count) }))
}

/**
 * Formats the entities that are not submitted.
 * @example waitingText([{ type: 'slide', count: 2 }]) // '2 entities are not submitted (2 slide)'
 */
export function waitingText(waiting: readonly UnsubmittedCount[]): string {
  const count = waiting.reduce((sum, one) => sum + one.count, 0)
  const types = waiting.map((one) => `${one.count} ${one.type}`).join(', ')
  return `${count} ${count === 1 ? 'entity is' : 'entities are'} not submitted (${types})`
}

/** States of submitted entities (submission.md 13.1). */
export const SUBMITTED_STATES: readonly string[] = ['submitted', 'released']

/**
 * Yields all submitted entities of a project in creation order, including former versions.
 * @param type only entities of this type
 */
export async function* entitiesOf(
  rows: Rows,
  projectId: string,
  type?: string,
): AsyncIterable<StoredEntity> {
  const [condition, values] = type === undefined ? ['', []] : ['AND type = ?', [type]]
  const sql = `SELECT ${ENTITY} FROM submission_entities
     WHERE project_id = ? AND state IN (?, ?) ${condition} ORDER BY transaction_id, position`
  const all = rows.each<EntityRow>(sql, [projectId, ...SUBMITTED_STATES, ...values])
  for await (const row of all) yield storedEntity(row)
}

/** Returns the redacted entities of all projects in id order. */
export async function redactedEntities(
  rows: Rows,
): Promise<readonly Pick<StoredEntity, 'id' | 'projectId' | 'fileState'>[]> {
  const sql = `SELECT id, project_id, file_state FROM submission_entities WHERE state = ?
     ORDER BY id`
  const found: Pick<StoredEntity, 'id' | 'projectId' | 'fileState'>[] = []
  for await (const row of rows.each<Pick<EntityRow, 'id' | 'project_id' | 'file_state'>>(sql, [
    REDACTED,
  ])) {
    found.push({ id: row.id, projectId: row.project_id, fileState: row.file_state })
  }
  return found
}

/** Yields entities of a project that were changed after their release; files only until the next release. */
export async function* correctedEntities(
  rows: Rows,
  projectId: string,
): AsyncIterable<StoredEntity> {
  const sql = `SELECT ${ENTITY} FROM submission_entities WHERE project_id = ? AND state IN (?, ?)
     AND ((file_state IS NULL AND version > 1) OR (file_state = 'released' AND state = 'submitted'))`
  const all = rows.each<EntityRow>(sql, [projectId, ...SUBMITTED_STATES])
  for await (const row of all) yield storedEntity(row)
}

/** A file version that has superseded another version. */
interface Succession {
  readonly id: string
  readonly supersedes: string
}

/** Returns the successions of submitted file versions of a project. */
export async function successionsOf(rows: Rows, projectId: string): Promise<Succession[]> {
  const sql = `SELECT id, supersedes FROM submission_entities
     WHERE project_id = ? AND supersedes IS NOT NULL AND state IN (?, ?, ?)
     ORDER BY transaction_id, position`
  const found: Succession[] = []
  // Redacted versions are included, so that the version before does not reappear.
  for await (const one of rows.each<Succession>(sql, [projectId, ...SUBMITTED_STATES, REDACTED]))
    found.push(one)
  return found
}

/**
 * Marks the submitted entities of a project as released, except versions that had already been superseded.
 * Modification times do not change, so that building the release again gives the same result.
 */
export async function markReleased(transaction: Transaction, projectId: string): Promise<number> {
  const { changes } = await transaction.run(
    `UPDATE submission_entities SET state = 'released',
       file_state = CASE WHEN file_state IS NULL THEN NULL ELSE 'released' END
     WHERE project_id = ? AND state = 'submitted' AND id NOT IN (
       SELECT supersedes FROM submission_entities
       WHERE project_id = ? AND supersedes IS NOT NULL AND state IN (?, ?))`,
    [projectId, projectId, ...SUBMITTED_STATES],
  )
  return changes
}

async function entitiesByKeys(
  rows: Rows,
  sql: string,
  before: Parameters,
  keys: Iterable<string>,
): Promise<StoredEntity[]> {
  const found: StoredEntity[] = []
  // Rows are read in batches, because iterating over 10,000 rows one by one would block the thread.
  for await (const some of someByKeys<EntityRow>(rows, sql, before, keys)) {
    for (const row of some) found.push(storedEntity(row))
  }
  return found
}

async function bareByKeys(
  rows: Rows,
  sql: string,
  before: Parameters,
  keys: Iterable<string>,
): Promise<BareEntity[]> {
  return (await byKeys<BareRow>(rows, sql, before, keys)).map(bareEntity)
}

function bareEntity(row: BareRow): BareEntity {
  return {
    id: row.id,
    projectId: row.project_id,
    type: row.type,
    submitterId: row.submitter_id,
    state: row.state,
    isCurrent: row.is_current === 1,
  }
}

function storedEntity(row: EntityRow): StoredEntity {
  return {
    ...bareEntity(row),
    fileState: row.file_state,
    errorType: row.error_type,
    properties: readExactJson(row.properties) as EntityDocument,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    supersedes: row.supersedes,
  }
}

/** Changes of a transaction to the graph. */
export interface GraphChanges {
  readonly created: readonly StoredEntity[]
  readonly updated: readonly StoredEntity[]
  /** Ids of versions that are superseded. */
  readonly superseded: readonly string[]
  /** Ids of versions whose successor is deleted. */
  readonly restored: readonly string[]
  readonly deleted: readonly string[]
  readonly linked: readonly Edge[]
}

/** Yields the statements for the changes of a transaction, in order. */
export function* changeRows(
  transactionId: number,
  { created, updated, superseded, restored, deleted, linked }: GraphChanges,
): Generator<RowsOf, void> {
  const ids = (all: readonly string[]) => all.map((id): Parameters => [id])
  yield { sql: 'DELETE FROM submission_links WHERE child = ?', rows: ids(deleted) }
  yield { sql: 'DELETE FROM submission_entities WHERE id = ?', rows: ids(deleted) }
  yield {
    sql: 'UPDATE submission_entities SET is_current = 0 WHERE id = ?',
    rows: ids(superseded),
  }
  yield {
    // The flag is not set if another entity has taken the name meanwhile.
    sql: `UPDATE submission_entities SET is_current = 1 WHERE id = ? AND NOT EXISTS (
       SELECT 1 FROM submission_entities AS other
       WHERE other.project_id = submission_entities.project_id AND other.is_current = 1
         AND other.submitter_id = submission_entities.submitter_id)`,
    rows: ids(restored),
  }
  yield {
    sql: `UPDATE submission_entities SET submitter_id = ?, state = ?, file_state = ?,
       error_type = ?, properties = ?, updated_at = ?, version = ? WHERE id = ?`,
    rows: updated.map((one) => [...changeable(one), one.updatedAt, one.version, one.id]),
  }
  yield {
    sql: `INSERT INTO submission_entities (submitter_id, state, file_state, error_type, properties,
       updated_at, id, project_id, type, created_at, is_current, version, supersedes,
       transaction_id, position)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rows: created.map((one, position) => [
      ...changeable(one),
      one.updatedAt,
      one.id,
      one.projectId,
      one.type,
      one.createdAt,
      1,
      one.version,
      one.supersedes,
      transactionId,
      position,
    ]),
  }
  yield {
    sql: `INSERT INTO submission_links (child, link, parent) VALUES (?, ?, ?)
     ON CONFLICT (child, link, parent) DO NOTHING`,
    rows: linked.map(({ child, link, parent }) => [child, link, parent]),
  }
}

/** Sets the state of a file's data. */
export async function setFileState(
  transaction: Transaction,
  id: string,
  {
    fileState,
    errorType,
    now,
  }: { readonly fileState: string; readonly errorType: string | null; readonly now: string },
): Promise<void> {
  await transaction.run(
    'UPDATE submission_entities SET file_state = ?, error_type = ?, updated_at = ? WHERE id = ?',
    [fileState, errorType, now, id],
  )
}

function changeable(one: StoredEntity): Parameters {
  const { submitterId, state, fileState, errorType, properties } = one
  return [submitterId, state, fileState, errorType, writeExactJson(properties)]
}
