import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../shared/catalogue/state.ts'
import { type Row, Statements } from '../../../shared/catalogue/statements.ts'
import { documentOf, type Entity, type EntityOf, type Kind, type VersionName } from './entities.ts'
import type { Role } from './roles.ts'

export interface StoredAlgorithm {
  readonly algorithm: string
  readonly name: string | null
  readonly description: string | null
}

export const VERSION_TYPES = ['PRODUCTION', 'BETA', 'DEVELOPMENT'] as const
export type VersionType = (typeof VERSION_TYPES)[number]

export interface StoredVersion extends VersionName {
  readonly type: VersionType
  readonly naaccrVersion: string | null
  /** Empty: all. */
  readonly viewRoles: readonly Role[]
  readonly editRoles: readonly Role[]
  readonly lastModified: string
  /** Another one after every edit of the version or of what it holds. */
  readonly revision: number
}

/** What lists tell of a schema or table. */
export interface StoredProjection {
  readonly id: string
  readonly name: string | null
  readonly title: string | null
  readonly schema_num: number | null
}

export interface StoredEntity<K extends Kind = Kind> {
  readonly revision: number
  readonly entity: EntityOf[K]
}

export interface NewHistory {
  readonly kind: Kind
  readonly id: string
  readonly date: string
  readonly user: string
  readonly comment?: string | undefined
  readonly old?: Entity | undefined
  readonly new?: Entity | undefined
}

/** An entry of the history; `old` and `new` are JSON. */
export interface StoredHistory {
  readonly number: number
  readonly id: string
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly date: string
  readonly user: string
  readonly comment: string | null
  readonly old: string | null
  readonly new: string | null
}

export interface HistorySpan {
  readonly kind: Kind
  readonly id?: string | undefined
  readonly order: 'ASC' | 'DESC'
  readonly limit: number
  readonly offset: number
}

/**
 * All SQL of staging. Keeps to what SQLite and PostgreSQL have in common, and nothing in memory:
 * other processes may edit. Writing is for inside `transaction`.
 */
export class StagingRepository {
  readonly #state: DatabaseSync
  readonly #statements: Statements

  constructor(state: DatabaseSync) {
    this.#state = state
    this.#statements = new Statements(state)
  }

  /** Runs `work` in one transaction, durable when this returns; see inTransaction. */
  transaction<Result>(work: () => Result): Result {
    return inTransaction(this.#state, work)
  }

  algorithms(): StoredAlgorithm[] {
    return this.#statements
      .all('SELECT * FROM staging_algorithms ORDER BY algorithm')
      .map(algorithmOf)
  }

  algorithm(algorithm: string): StoredAlgorithm | undefined {
    const sql = 'SELECT * FROM staging_algorithms WHERE algorithm = ?'
    return this.#statements.all(sql, algorithm).map(algorithmOf)[0]
  }

  putAlgorithm({ algorithm, name, description }: StoredAlgorithm): void {
    this.#statements.run(
      `INSERT INTO staging_algorithms (algorithm, name, description) VALUES (?, ?, ?)
       ON CONFLICT (algorithm) DO UPDATE
       SET name = excluded.name, description = excluded.description`,
      ...[algorithm, name, description],
    )
  }

  deleteAlgorithm(algorithm: string): void {
    this.#statements.run('DELETE FROM staging_algorithms WHERE algorithm = ?', algorithm)
  }

  versions(algorithm: string): StoredVersion[] {
    const sql = 'SELECT * FROM staging_versions WHERE algorithm = ? ORDER BY version'
    return this.#statements.all(sql, algorithm).map(versionOf)
  }

  version({ algorithm, version }: VersionName): StoredVersion | undefined {
    const sql = 'SELECT * FROM staging_versions WHERE algorithm = ? AND version = ?'
    return this.#statements.all(sql, algorithm, version).map(versionOf)[0]
  }

  /** Adds a version, or changes what is told of it, under a new revision. */
  putVersion(stored: Omit<StoredVersion, 'revision'>): StoredVersion {
    const { algorithm, version, type, naaccrVersion, viewRoles, editRoles, lastModified } = stored
    const revision = this.#nextRevision()
    this.#statements.run(
      `INSERT INTO staging_versions (algorithm, version, type, naaccr_version, view_roles,
         edit_roles, last_modified, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (algorithm, version) DO UPDATE
       SET type = excluded.type, naaccr_version = excluded.naaccr_version,
         view_roles = excluded.view_roles, edit_roles = excluded.edit_roles,
         last_modified = excluded.last_modified, revision = excluded.revision`,
      ...[algorithm, version, type, naaccrVersion],
      ...[JSON.stringify(viewRoles), JSON.stringify(editRoles), lastModified, revision],
    )
    return { ...stored, revision }
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
      .map((row) => ({
        id: row.id as string,
        name: row.name as string | null,
        title: row.title as string | null,
        schema_num: row.schema_num as number | null,
      }))
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
      `INSERT INTO staging_entities (algorithm, version, kind, id, name, title, schema_num,
         last_modified, revision, document)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (algorithm, version, kind, id) DO UPDATE
       SET name = excluded.name, title = excluded.title, schema_num = excluded.schema_num,
         last_modified = excluded.last_modified, revision = excluded.revision,
         document = excluded.document`,
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
    for (const entry of entries) {
      number++
      const { kind, id, date, user, comment } = entry
      const type = !entry.old ? 'ADD' : entry.new ? 'MOD' : 'DEL'
      this.#statements.run(
        `INSERT INTO staging_history (algorithm, version, number, kind, id, type, date, user_name,
           comment, old, new)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[algorithm, version, number, kind, id, type, date, user, comment ?? null],
        ...[jsonOf(entry.old), jsonOf(entry.new)],
      )
    }
  }

  /** Entries of the history, read one by one as they are asked for. */
  *history({ algorithm, version }: VersionName, span: HistorySpan): Generator<StoredHistory> {
    const { kind, id, order, limit, offset } = span
    const one = id === undefined ? '' : 'AND id = ?'
    const rows = this.#statements
      .prepare(
        `SELECT number, id, type, date, user_name, comment, old, new FROM staging_history
       WHERE algorithm = ? AND version = ? AND kind = ? ${one}
       ORDER BY number ${order} LIMIT ? OFFSET ?`,
      )
      .iterate(...[algorithm, version, kind, ...(id === undefined ? [] : [id]), limit, offset])
    for (const row of rows) yield historyOf(row)
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
        `SELECT number, id, type, date, user_name, comment, old, new FROM staging_history
       WHERE algorithm = ? AND version = ? AND number = ? AND kind = ? AND id = ?`,
        ...[algorithm, version, number, kind, id],
      )
      .map(historyOf)[0]
  }

  #nextRevision(): number {
    const sql = 'UPDATE staging_revisions SET last_given = last_given + 1 RETURNING last_given'
    return Number(this.#statements.all(sql)[0]?.last_given)
  }
}

function algorithmOf(row: Row): StoredAlgorithm {
  return {
    algorithm: row.algorithm as string,
    name: row.name as string | null,
    description: row.description as string | null,
  }
}

function versionOf(row: Row): StoredVersion {
  return {
    algorithm: row.algorithm as string,
    version: row.version as string,
    type: row.type as VersionType,
    naaccrVersion: row.naaccr_version as string | null,
    viewRoles: JSON.parse(row.view_roles as string) as Role[],
    editRoles: JSON.parse(row.edit_roles as string) as Role[],
    lastModified: row.last_modified as string,
    revision: row.revision as number,
  }
}

function historyOf(row: Row): StoredHistory {
  return {
    number: row.number as number,
    id: row.id as string,
    type: row.type as StoredHistory['type'],
    date: row.date as string,
    user: row.user_name as string,
    comment: row.comment as string | null,
    old: row.old as string | null,
    new: row.new as string | null,
  }
}

function jsonOf(entity: Entity | undefined): string | null {
  return entity ? JSON.stringify(entity) : null
}
