import { createHash } from 'node:crypto'
import type { Withdrawn, WithdrawnMembers } from '../../commons/import/withdraw.ts'
import type { Rows } from '../../shared/database/database.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import { correctedEntities, redactedEntities } from '../transactions/store/entities.ts'
import { readExactJson } from '../transactions/store/exact-json.ts'
import { propertiesBefore } from '../transactions/store/transactions.ts'

/** Redacted entities of all projects, which the next release leaves out. */
export interface Redacted {
  readonly entities: readonly Pick<StoredEntity, 'id' | 'projectId' | 'fileState'>[]
  /** Fingerprint of the redactions that a release has left out. Undefined if there are none. */
  readonly fingerprint: string | undefined
}

/** Returns all redacted entities, with a fingerprint that changes when their list does. */
export async function redactedIn(rows: Rows): Promise<Redacted> {
  const entities = await redactedEntities(rows)
  if (entities.length === 0) return { entities, fingerprint: undefined }
  const hash = createHash('sha256')
  for (const { id } of entities) hash.update(`${id}\n`)
  return { entities, fingerprint: hash.digest('hex') }
}

/** Number of entities whose former properties are read together. */
const AT_ONCE = 500

/** Returns what the next release removes from the current one: withdrawals of these projects, and all redactions. */
export async function withdrawnBy(
  rows: Rows,
  { entities }: Redacted,
  projectIds: readonly string[],
): Promise<Withdrawn> {
  const members = new Map<string, WithdrawnMembers>()
  for (const projectId of projectIds) {
    let some = new Map<string, StoredEntity>()
    for await (const entity of correctedEntities(rows, projectId)) {
      some.set(entity.id, entity)
      if (some.size < AT_ONCE) continue
      await addMembers(rows, some, members)
      some = new Map()
    }
    await addMembers(rows, some, members)
  }
  return { ids: new Set(entities.map(({ id }) => id)), members }
}

/**
 * Finds properties that have been removed. They must be withdrawn explicitly, because merging two records keeps
 * a property that only one of them has.
 */
async function addMembers(
  rows: Rows,
  entities: ReadonlyMap<string, StoredEntity>,
  members: Map<string, WithdrawnMembers>,
): Promise<void> {
  const names = new Map<string, Set<string>>()
  for (const { id, old_props: text } of await propertiesBefore(rows, entities.keys())) {
    const now = entities.get(id)?.properties ?? {}
    const before = readExactJson(text)
    if (!isObject(before)) continue
    for (const name of Object.keys(before)) {
      if (Object.hasOwn(now, name) || BESIDE.has(name)) continue
      names.set(id, (names.get(id) ?? new Set()).add(name))
    }
  }
  for (const [id, gone] of names) {
    const entity = entities.get(id)
    if (!entity) continue
    const idName = entity.fileState === null ? `${entity.type}_id` : 'file_id'
    members.set(id, { idName, names: [...gone] })
  }
}

/** Members of snapshots that are not properties. */
const BESIDE: ReadonlySet<string> = new Set(['submitter_id', 'state', 'file_state'])
