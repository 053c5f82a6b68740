import type { AtRevision } from '../../../shared/revision.ts'
import { CompiledVersion } from '../algorithm/compiled-version.ts'
import type { KnownFacts } from '../algorithm/derive.ts'
import { findings, type ReferenceFinding, tableUses } from '../algorithm/findings.ts'
import { Glossary } from '../algorithm/glossary.ts'
import { schemaInfo } from '../algorithm/lookup.ts'
import type { StagingSchema, StagingTable, VersionContent } from '../algorithm/model.ts'
import type { SchemaInfo } from '../algorithm/result.ts'
import {
  type Entity,
  type EntityOf,
  KINDS,
  type Kind,
  type SchemaOrTable,
  type VersionName,
} from './entities.ts'
import { missing } from './missing.ts'
import type { StagingReads } from './repository.ts'
import type { StoredEntity, StoredVersion } from './stored.ts'

/** A schema or table as returned by the API, with the revision for conditional edits. */
export interface EntityAtRevision<E> extends AtRevision<E> {
  /** Revision of the version, if members derive from other entities. Each edit of these changes it. */
  readonly derivedAt?: number
}

type Entries = { readonly [K in Kind]: ReadonlyMap<string, StoredEntity<K>> }

/** A change of an entity. If `entity` is missing, it was deleted. */
interface Change<K extends Kind = Kind> {
  readonly kind: K
  readonly id: string
  readonly entity?: EntityOf[K] | undefined
}

/** State that a version takes over from its predecessor. */
interface Inherited {
  readonly yearNow: (() => string) | undefined
  readonly facts: KnownFacts
}

/** Options for reading a version. */
interface ReadLoaded extends Pick<Inherited, 'yearNow'> {
  /** Earlier state of the version, whose unchanged parts are reused. */
  readonly before?: LoadedVersion | undefined
  /** Awaited from time to time, so that the caller can pause. Without it, everything is read at once. */
  readonly pause?: () => Promise<void>
}

/** Documents per query, which are read and parsed without a pause. */
const ENTITIES_AT_ONCE = 16

/**
 * The complete content of a version at one revision. It is immutable: an edit creates the next one. Derived
 * data is computed on first use.
 */
export class LoadedVersion {
  readonly name: VersionName
  readonly revision: number
  readonly content: VersionContent
  readonly compiled: CompiledVersion
  readonly #entries: Entries
  /** Table facts that this version shares with its predecessors. */
  readonly facts: KnownFacts
  readonly #yearNow: (() => string) | undefined
  readonly #infos = new Map<string, SchemaInfo>()
  #uses: ReadonlyMap<string, string[]> | undefined
  #findings: ReferenceFinding[] | undefined
  #glossary: Glossary | undefined

  constructor(
    { algorithm, version, revision }: VersionName & { readonly revision: number },
    entries: Entries,
    { yearNow, facts }: Inherited,
  ) {
    this.name = { algorithm, version }
    this.revision = revision
    this.#entries = entries
    this.#yearNow = yearNow
    this.facts = facts
    this.content = {
      ...this.name,
      schemas: entitiesOf(entries.schema),
      tables: entitiesOf(entries.table),
      glossary: entitiesOf(entries.glossary),
    }
    this.compiled = new CompiledVersion(this.content, { yearNow, facts })
  }

  /**
   * Reads a version. Parts that are unchanged since `before` are reused. Consistent only if `reads` is a
   * snapshot.
   */
  static async read(
    reads: StagingReads,
    version: StoredVersion,
    { before, yearNow, pause }: ReadLoaded,
  ): Promise<LoadedVersion> {
    const entries = emptyEntries()
    const revisions = await reads.revisions(version)
    for (const kind of KINDS) {
      const listed = revisions.filter((one) => one.kind === kind)
      const changed = listed.filter(
        ({ id, revision }) => before?.entry(kind, id)?.revision !== revision,
      )
      const read = new Map<string, StoredEntity>()
      for (let start = 0; start < changed.length; start += ENTITIES_AT_ONCE) {
        const ids = changed.slice(start, start + ENTITIES_AT_ONCE).map(({ id }) => id)
        for (const [id, entity] of await reads.entities(version, kind, ids)) read.set(id, entity)
        await pause?.()
      }
      for (const { id } of listed) {
        entries[kind].set(id, (read.get(id) ?? before?.entry(kind, id)) as never)
      }
    }
    return new LoadedVersion(version, entries, { yearNow, facts: before?.facts ?? new WeakMap() })
  }

  /** Returns the next version, after changes that were stored under a revision. */
  with(changes: readonly Change[], revision: number): LoadedVersion {
    const entries = emptyEntries()
    for (const kind of KINDS) {
      for (const [id, stored] of this.#entries[kind]) entries[kind].set(id, stored as never)
    }
    for (const { kind, id, entity } of changes) {
      if (entity) entries[kind].set(id, { revision, entity } as never)
      else entries[kind].delete(id)
    }
    return new LoadedVersion({ ...this.name, revision }, entries, {
      yearNow: this.#yearNow,
      facts: this.facts,
    })
  }

  entry<K extends Kind>(kind: K, id: string): StoredEntity<K> | undefined {
    return this.#entries[kind].get(id)
  }

  ids(kind: Kind): Iterable<string> {
    return this.#entries[kind].keys()
  }

  /** Counts the characters that the derived members of an entity are made from; see Derivation. */
  derivedCharacters(entity: Entity): number {
    return 'inputs' in entity ? this.compiled.derivation.derivedCharacters(entity) : 0
  }

  /** Adds the derived members of an entity. */
  complete<E extends Entity>(entity: E): E {
    const { derivation } = this.compiled
    if ('inputs' in entity) return derivation.completeSchema(entity) as E
    return 'rows' in entity ? (derivation.completeTable(entity) as E) : entity
  }

  /**
   * Returns a schema or table with its derived members and revision.
   * @throws EngineError `not_found` if the version has none with this id
   */
  entityAtRevision<K extends SchemaOrTable>(kind: K, id: string): EntityAtRevision<EntityOf[K]> {
    const { entity, revision } = this.entry(kind, id) ?? missing(kind, id)
    const record = this.complete(entity)
    // The derived members of a table depend only on itself.
    return kind === 'table' ? { record, revision } : { record, revision, derivedAt: this.revision }
  }

  /**
   * Returns a schema.
   * @throws EngineError `not_found` if the version has none with this id
   */
  schema(id: string): StagingSchema {
    return this.content.schemas.get(id) ?? missing('schema', id)
  }

  /**
   * Returns a table.
   * @throws EngineError `not_found` if the version has none with this id
   */
  table(id: string): StagingTable {
    return this.content.tables.get(id) ?? missing('table', id)
  }

  /** Returns the lookup result for a schema. */
  info(id: string): SchemaInfo {
    const known = this.#infos.get(id)
    if (known) return known
    const info = schemaInfo(this.compiled, id)
    this.#infos.set(id, info)
    return info
  }

  /** Lists for each used table the ids of its schemas, in ascending order. Runs in steps. */
  *uses(): Generator<undefined, ReadonlyMap<string, string[]>> {
    this.#uses ??= yield* tableUses(this.content, this.compiled.derivation)
    return this.#uses
  }

  /** Finds broken references. Runs in steps. */
  *findings(): Generator<undefined, readonly ReferenceFinding[]> {
    this.#findings ??= yield* findings(this.content, this.compiled.derivation)
    return this.#findings
  }

  get glossary(): Glossary {
    this.#glossary ??= new Glossary(this.content.glossary.values())
    return this.#glossary
  }

  /** Compiles all tables and schemas. Yields after each, so that the caller can pause. */
  *fill(): Generator<undefined, void> {
    const { compiled } = this
    for (const id of this.ids('table')) {
      void compiled.table(id)?.endpoints
      yield
    }
    for (const id of this.ids('schema')) {
      compiled.plan(id)
      yield
    }
    void compiled.selection
  }
}

function emptyEntries(): { [K in Kind]: Map<string, StoredEntity<K>> } {
  return { schema: new Map(), table: new Map(), glossary: new Map() }
}

function entitiesOf<K extends Kind>(
  entries: ReadonlyMap<string, StoredEntity<K>>,
): Map<string, EntityOf[K]> {
  return new Map([...entries].map(([id, { entity }]) => [id, entity]))
}
