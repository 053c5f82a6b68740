import type { DatabaseSync } from 'node:sqlite'
import { columnsOf, json, plain } from '../../sql/columns.ts'
import { insertInto, Statements, upsertInto } from '../../sql/statements.ts'
import { documentOf, type Entity, type EntityOf, type Kind, type VersionName } from './entities.ts'
import type {
  HistorySpan,
  NewHistory,
  StoredAlgorithm,
  StoredEntity,
  StoredHistory,
  StoredProjection,
  StoredVersion,
} from './stored.ts'

const ALGORITHM = columnsOf<StoredAlgorithm>({
  algorithm: plain('algorithm'),
  name: plain('name'),
  description: plain('description'),
})

const VERSION = columnsOf<StoredVersion>({
  algorithm: plain('algorithm'),
  version: plain('version'),
  type: plain('type'),
  naaccrVersion: plain('naaccr_version'),
  viewRoles: json('view_roles'),
  editRoles: json('edit_roles'),
  lastModified: plain('last_modified'),
  revision: plain('revision'),
})

const PROJECTION = columnsOf<StoredProjection>({
  id: plain('id'),
  name: plain('name'),
  title: plain('title'),
  schema_num: plain('schema_num'),
})

const HISTORY = columnsOf<StoredHistory>({
  number: plain('number'),
  id: plain('id'),
  type: plain('type'),
  date: plain('date'),
  user: plain('user_name'),
  comment: plain('comment'),
  old: plain('old'),
  new: plain('new'),
})

const PUT_ALGORITHM = upsertInto('staging_algorithms', ALGORITHM.names, ['algorithm'])
const PUT_VERSION = upsertInto('staging_versions', VERSION.names, ['algorithm', 'version'])
const ENTITY_KEY: readonly string[] = ['algorithm', 'version', 'kind', 'id']
const PUT_ENTITY = upsertInto(
  'staging_entities',
  [...ENTITY_KEY, 'name', 'title', 'schema_num', 'last_modified', 'revision', 'document'],
  ENTITY_KEY,
)
const ADD_HISTORY = insertInto('staging_history', [
  'algorithm',
  'version',
  'kind',
  ...HISTORY.names,
])

/**
 * All SQL of staging. Keeps to what SQLite and PostgreSQL have in common, and nothing in memory:
 * other processes may edit. Writing is for inside `transaction`.
 */
export class StagingRepository {
  readonly #statements: Statements

  constructor(state: DatabaseSync) {
    this.#statements = new Statements(state)
  }

  /** Runs `work` in one transaction, durable when this returns; see inTransaction. */
  transaction<Result>(work: () => Result): Result {
    return this.#statements.transaction(work)
  }

  algorithms(): StoredAlgorithm[] {
    return this.#statements
      .all('SELECT * FROM staging_algorithms ORDER BY algorithm')
      .map(ALGORITHM.read)
  }

  algorithm(algorithm: string): StoredAlgorithm | undefined {
    const sql = 'SELECT * FROM staging_algorithms WHERE algorithm = ?'
    return this.#statements.all(sql, algorithm).map(ALGORITHM.read)[0]
  }

  putAlgorithm(stored: StoredAlgorithm): void {
    this.#statements.run(PUT_ALGORITHM, ...ALGORITHM.values(stored))
  }

  deleteAlgorithm(algorithm: string): void {
    this.#statements.run('DELETE FROM staging_algorithms WHERE algorithm = ?', algorithm)
  }

  versions(algorithm: string): StoredVersion[] {
    const sql = 'SELECT * FROM staging_versions WHERE algorithm = ? ORDER BY version'
    return this.#statements.all(sql, algorithm).map(VERSION.read)
  }

  version({ algorithm, version }: VersionName): StoredVersion | undefined {
    const sql = 'SELECT * FROM staging_versions WHERE algorithm = ? AND version = ?'
    return this.#statements.all(sql, algorithm, version).map(VERSION.read)[0]
  }

  /** Adds a version, or changes what is said of it, under a new revision. */
  putVersion(given: Omit<StoredVersion, 'revision'>): StoredVersion {
    const stored = { ...given, revision: this.#nextRevision() }
    this.#statements.run(PUT_VERSION, ...VERSION.values(stored))
    return stored
  }

  /** Deletes a version and all that it holds, its history included. */
  deleteVersion({ algorithm, version }: VersionName): void {
    this.#statements.run(
      'DELETE FROM staging_versions WHERE algorithm = ? AND version = ?',
      ...[algorithm, version],
    )
  }

  /** Puts all that one version holds, but not its history, into another one that is empty. */
  copyEntities(from: VersionName, to: StoredVersion): void {
    this.#statements.run(
      `INSERT INTO staging_entities (algorithm, version, kind, id, name, title, schema_num,
         last_modified, revision, document)
       SELECT ?, ?, kind, id, name, title, schema_num, last_modified, ?, document
       FROM staging_entities WHERE algorithm = ? AND version = ?`,
      ...[to.algorithm, to.version, to.revision, from.algorithm, from.version],
    )
  }

  /** What there is, and when it was last changed. */
  revisions({ algorithm, version }: VersionName): { kind: Kind; id: string; revision: number }[] {
    return this.#statements.all(
      'SELECT kind, id, revision FROM staging_entities WHERE algorithm = ? AND version = ?',
      ...[algorithm, version],
    ) as { kind: Kind; id: string; revision: number }[]
  }

  /** Schemas or tables as lists have them, without reading their documents. */
  projections({ algorithm, version }: VersionName, kind: Kind): StoredProjection[] {
    return this.#statements
      .all(
        `SELECT id, name, title, schema_num FROM staging_entities
       WHERE algorithm = ? AND version = ? AND kind = ? ORDER BY id`,
        ...[algorithm, version, kind],
      )
      .map(PROJECTION.read)
  }

  /** An entity without the members that follow from other entities. */
  entity<K extends Kind>(
    { algorithm, version }: VersionName,
    kind: K,
    id: string,
  ): StoredEntity<K> | undefined {
    const [row] = this.#statements.all(
      `SELECT revision, last_modified, document FROM staging_entities
       WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?`,
      ...[algorithm, version, kind, id],
    )
    if (!row) return undefined
    const own = JSON.parse(row.document as string) as Partial<EntityOf[K]>
    const { last_modified } = row
    const of = kind === 'glossary' ? {} : { algorithm, version }
    const entity = { id, ...of, ...own, last_modified } as unknown as EntityOf[K]
    return { revision: row.revision as number, entity }
  }

  putEntity({ algorithm, version, revision }: StoredVersion, kind: Kind, entity: Entity): void {
    const { id, name, last_modified } = entity
    const { title, schema_num } = entity as { title?: string; schema_num?: number }
    this.#statements.run(
      PUT_ENTITY,
      ...[algorithm, version, kind, id, name ?? null, title ?? null, schema_num ?? null],
      ...[last_modified ?? '', revision, documentOf(entity)],
    )
  }

  deleteEntity({ algorithm, version }: VersionName, kind: Kind, id: string): void {
    this.#statements.run(
      `DELETE FROM staging_entities WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?`,
      ...[algorithm, version, kind, id],
    )
  }

  /** Adds entries in their order, numbered on from the last one. */
  addHistory({ algorithm, version }: VersionName, entries: Iterable<NewHistory>): void {
    const [last] = this.#statements.all(
      'SELECT max(number) AS number FROM staging_history WHERE algorithm = ? AND version = ?',
      ...[algorithm, version],
    )
    let number = Number(last?.number ?? 0)
    for (const { kind, id, date, user, comment = null, old, new: after } of entries) {
      number++
      const type: StoredHistory['type'] = !old ? 'ADD' : after ? 'MOD' : 'DEL'
      const entry = { number, id, type, date, user, comment, old: jsonOf(old), new: jsonOf(after) }
      this.#statements.run(ADD_HISTORY, algorithm, version, kind, ...HISTORY.values(entry))
    }
  }

  /** Entries of the history, read one by one as they are asked for. */
  *history({ algorithm, version }: VersionName, span: HistorySpan): Generator<StoredHistory> {
    const { kind, id, order, limit, offset } = span
    const one = id === undefined ? '' : 'AND id = ?'
    const rows = this.#statements
      .prepare(
        `SELECT * FROM staging_history
       WHERE algorithm = ? AND version = ? AND kind = ? ${one}
       ORDER BY number ${order} LIMIT ? OFFSET ?`,
      )
      .iterate(...[algorithm, version, kind, ...(id === undefined ? [] : [id]), limit, offset])
    for (const row of rows) yield HISTORY.read(row)
  }

  /** Whether there is, or was, such an entity. */
  knows({ algorithm, version }: VersionName, kind: Kind, id: string): boolean {
    // What was copied has no history.
    const rows = this.#statements.all(
      `SELECT id FROM staging_entities
       WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?
       UNION SELECT id FROM staging_history
       WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?`,
      ...[algorithm, version, kind, id, algorithm, version, kind, id],
    )
    return rows.length > 0
  }

  /** One entry of an entity's history. */
  historyEntry(
    { algorithm, version }: VersionName,
    { kind, id, number }: { readonly kind: Kind; readonly id: string; readonly number: number },
  ): StoredHistory | undefined {
    return this.#statements
      .all(
        `SELECT * FROM staging_history
       WHERE algorithm = ? AND version = ? AND number = ? AND kind = ? AND id = ?`,
        ...[algorithm, version, number, kind, id],
      )
      .map(HISTORY.read)[0]
  }

  #nextRevision(): number {
    const sql = 'UPDATE staging_revisions SET last_given = last_given + 1 RETURNING last_given'
    return Number(this.#statements.all(sql)[0]?.last_given)
  }
}

function jsonOf(entity: Entity | undefined): string | null {
  return entity ? JSON.stringify(entity) : null
}
