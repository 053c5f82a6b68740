import { atOnce } from '../../../shared/concurrency/at-once.ts'
import { EngineError } from '../../../shared/errors.ts'
import { Derivation } from '../algorithm/derive.ts'
import { tableUses } from '../algorithm/findings.ts'
import { documentOf, type Entity, type EntityOf, type Kind, type VersionName } from './entities.ts'
import type { LoadedVersion } from './loaded-version.ts'
import type { StagingEdits } from './repository.ts'
import type { StagingSources } from './sources.ts'
import type { NewHistory, StoredVersion } from './stored.ts'

/** A change of one entity. If `entity` is absent, the stored entity is deleted. */
export interface Edit<K extends Kind = Kind> {
  readonly kind: K
  readonly id: string
  readonly entity?: EntityOf[K] | undefined
  /** Time of the last modification. Defaults to now. */
  readonly modified?: string | undefined
}

export interface EditOptions {
  readonly user: string
  readonly comment?: string | undefined
  /** Checks the edits within the transaction against the previous content. */
  readonly check?: (before: LoadedVersion) => void
  /** Whether unchanged content is skipped, without a history entry. */
  readonly skipSame?: boolean
  /** Whether tables used by schemas may be deleted. */
  readonly anyTables?: boolean
  /** Maximum characters of the keys from which derived members are made, before and after. By default no limit. */
  readonly mostDerived?: number
  /** Called once for each edit, when the database requests the next one and before the transaction is committed. */
  readonly onStored?: () => void
}

/** Dependencies of edits within a transaction. */
export interface EditSources extends Pick<StagingSources, 'loaded' | 'clock'> {
  readonly transaction: StagingEdits
}

export interface Applied {
  /** The version with the edits. */
  readonly after: LoadedVersion
  readonly changes: readonly AppliedChange[]
}

export interface AppliedChange {
  readonly kind: Kind
  readonly id: string
  readonly old?: Entity | undefined
  readonly new?: Entity | undefined
}

/**
 * Stores edits of a version with their history entries, within the caller's transaction. `after` may be
 * cached once the transaction has been committed.
 * @throws EngineError `bad_input` for deleting a table that a schema uses; `too_many` for schemas whose mappings reach
 * too much; whatever `check` throws
 */
export async function applyEdits(
  { transaction, loaded, clock }: EditSources,
  version: StoredVersion,
  edits: readonly Edit[],
  options: EditOptions,
): Promise<Applied> {
  const before = await loaded.readNow(transaction, version)
  options.check?.(before)
  const now = clock().toISOString()
  const dated = edits
    .filter((edit) => !(options.skipSame && isSame(edit, before)))
    .map(({ kind, id, entity, modified = now }) => ({
      kind,
      id,
      entity: entity && withServerMembers(kind, entity, version, modified),
    })) as Edit[]
  if (dated.length === 0) return { after: before, changes: [] }
  const stored = await transaction.putVersion({ ...version, lastModified: now })
  const after = before.with(dated, stored.revision)
  checkDerived(before, after, dated, options)
  if (!options.anyTables) checkUses(before, after, dated)
  const changes = dated.map(({ kind, id, entity }) => {
    const old = before.entry(kind, id)?.entity
    return {
      kind,
      id,
      ...(old && { old: completeOf(before, old) }),
      ...(entity && { new: after.complete(entity) }),
    }
  })
  await store(transaction, stored, dated, options)
  await transaction.addHistory(stored, historyOf(changes, now, options))
  return { after, changes }
}

/** @throws EngineError `too_many` if the edits derive members from more than `mostDerived` characters */
function checkDerived(
  before: LoadedVersion,
  after: LoadedVersion,
  edits: readonly Edit[],
  { mostDerived = Number.POSITIVE_INFINITY }: EditOptions,
): void {
  let characters = 0
  for (const { kind, id, entity } of edits) {
    const old = before.entry(kind, id)?.entity
    if (old) characters += before.derivedCharacters(old)
    if (entity) characters += after.derivedCharacters(entity)
    if (characters <= mostDerived) continue
    const message = `the schemas of the edit reach tables with more than ${mostDerived} characters of keys, before and after it; edit fewer schemas at a time`
    throw new EngineError('too_many', message, { at: 'schemas' })
  }
}

/**
 * Returns an entity with its derived members. If they are too large, returns it as stored, so that an edit can
 * fix it.
 */
function completeOf(version: LoadedVersion, entity: Entity): Entity {
  try {
    return version.complete(entity)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'too_many') return entity
    throw error
  }
}

function isSame({ kind, id, entity }: Edit, before: LoadedVersion): boolean {
  const known = before.entry(kind, id)?.entity
  if (!known || !entity) return known === entity
  return documentOf(known) === documentOf(entity)
}

/**
 * Sets the members that the server determines. Algorithm and version are those of the edited version, whatever
 * the document in the request says. Glossary entries have neither.
 */
function withServerMembers(
  kind: Kind,
  entity: Entity,
  { algorithm, version }: VersionName,
  last_modified: string,
): Entity {
  const { id } = entity
  if (kind === 'glossary') return { ...entity, last_modified }
  return { ...entity, id, algorithm, version, last_modified }
}

/** Rejects the deletion of a table that a schema still uses after all edits (registry.md 2.5). */
function checkUses(before: LoadedVersion, after: LoadedVersion, edits: readonly Edit[]): void {
  const deleted = edits.filter(({ kind, entity }) => kind === 'table' && !entity)
  if (deleted.length === 0) return
  // Jumps are followed only to existing tables, so deleted tables are included here.
  const tables = new Map(after.content.tables)
  for (const { id } of deleted) {
    const table = before.content.tables.get(id)
    if (table) tables.set(id, table)
  }
  const { schemas } = after.content
  const uses = atOnce(tableUses({ schemas, tables }, new Derivation(tables, after.facts)))
  for (const { id } of deleted) {
    const [schema] = uses.get(id) ?? []
    if (schema === undefined) continue
    const message = `table "${id}" is used by schema "${schema}"; remove it from that schema first`
    throw new EngineError('bad_input', message)
  }
}

async function store(
  transaction: StagingEdits,
  version: StoredVersion,
  edits: readonly Edit[],
  { onStored }: EditOptions,
): Promise<void> {
  function* puts() {
    for (const { kind, entity } of edits) {
      if (!entity) continue
      yield { kind, entity }
      onStored?.()
    }
  }
  function* deletes() {
    for (const { kind, id, entity } of edits) {
      if (entity) continue
      yield { kind, id }
      onStored?.()
    }
  }
  await transaction.putEntities(version, puts())
  await transaction.deleteEntities(version, deletes())
}

function* historyOf(
  changes: readonly AppliedChange[],
  date: string,
  { user, comment }: EditOptions,
): Generator<NewHistory> {
  for (const change of changes) yield { ...change, date, user, comment }
}
