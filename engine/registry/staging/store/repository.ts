import { keyedStatements } from '../../../shared/database/by-keys.ts'
import type { Database, Rows, Transaction } from '../../../shared/database/database.ts'
import type { Parameters } from '../../../shared/database/values.ts'
import { HISTORY_ROWS_AT_ONCE } from '../../history-size.ts'
import { columnsOf, json, plain } from '../../sql/columns.ts'
import { Questions, type Row } from '../../sql/questions.ts'
import { insertInto, upsertInto } from '../../sql/statements.ts'
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

/** Selects entities by id within a version and kind. */
const ENTITIES = keyedStatements(
  (places) => `SELECT id, revision, last_modified, document FROM staging_entities
    WHERE algorithm = ? AND version = ? AND kind = ? AND id IN (${places})`,
)

/**
 * Reads the staging data. All SQL for staging is in this file and uses only features that SQLite and PostgreSQL
 * share. Nothing is cached, because other processes may edit the data.
 */
export class StagingReads {
  readonly #questions: Questions

  constructor(source: Database | Rows) {
    this.#questions = new Questions(source)
  }

  async algorithms(): Promise<StoredAlgorithm[]> {
    const sql = 'SELECT * FROM staging_algorithms ORDER BY algorithm'
    return (await this.#questions.all(sql)).map(ALGORITHM.read)
  }

  async algorithm(algorithm: string): Promise<StoredAlgorithm | undefined> {
    const sql = 'SELECT * FROM staging_algorithms WHERE algorithm = ?'
    const row = await this.#questions.first(sql, algorithm)
    return row && ALGORITHM.read(row)
  }

  async versions(algorithm: string): Promise<StoredVersion[]> {
    const sql = 'SELECT * FROM staging_versions WHERE algorithm = ? ORDER BY version'
    return (await this.#questions.all(sql, algorithm)).map(VERSION.read)
  }

  async version({ algorithm, version }: VersionName): Promise<StoredVersion | undefined> {
    const sql = 'SELECT * FROM staging_versions WHERE algorithm = ? AND version = ?'
    const row = await this.#questions.first(sql, algorithm, version)
    return row && VERSION.read(row)
  }

  /** Returns the revision of the last change of every entity, by kind and id. */
  async revisions({
    algorithm,
    version,
  }: VersionName): Promise<{ kind: Kind; id: string; revision: number }[]> {
    const sql = `SELECT kind, id, revision FROM staging_entities
      WHERE algorithm = ? AND version = ? ORDER BY kind, id`
    const rows = await this.#questions.all(sql, algorithm, version)
    return rows as unknown as { kind: Kind; id: string; revision: number }[]
  }

  /** Returns the list members of schemas or tables without reading their documents. */
  async projections({ algorithm, version }: VersionName, kind: Kind): Promise<StoredProjection[]> {
    const sql = `SELECT id, name, title, schema_num FROM staging_entities
      WHERE algorithm = ? AND version = ? AND kind = ? ORDER BY id`
    return (await this.#questions.all(sql, algorithm, version, kind)).map(PROJECTION.read)
  }

  /** Returns entities keyed by id, without derived members. */
  async entities<K extends Kind>(
    name: VersionName,
    kind: K,
    ids: readonly string[],
  ): Promise<Map<string, StoredEntity<K>>> {
    const values = [name.algorithm, name.version, kind]
    const rows = await this.#questions.byKeys(ENTITIES, values, ids)
    return new Map(rows.map((row) => [row.id as string, entityOf(name, kind, row)]))
  }

  /** Returns whether an entity exists or has ever existed. */
  async knows({ algorithm, version }: VersionName, kind: Kind, id: string): Promise<boolean> {
    // Both tables are queried, because copied entities have no history.
    const found = await this.#questions.first(
      `SELECT id FROM staging_entities
       WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?
       UNION SELECT id FROM staging_history
       WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?`,
      algorithm,
      version,
      kind,
      id,
      algorithm,
      version,
      kind,
      id,
    )
    return found !== undefined
  }

  /** Counts the history entries of a kind, or of one entity. */
  async countHistory(
    { algorithm, version }: VersionName,
    { kind, id }: Pick<HistorySpan, 'kind' | 'id'>,
  ): Promise<number> {
    const one = id === undefined ? '' : 'AND id = ?'
    const sql = `SELECT count(*) AS entries FROM staging_history
      WHERE algorithm = ? AND version = ? AND kind = ? ${one}`
    const ids = id === undefined ? [] : [id]
    return Number((await this.#questions.first(sql, algorithm, version, kind, ...ids))?.entries)
  }

  /** Returns one history entry of an entity. */
  async historyEntry(
    { algorithm, version }: VersionName,
    { kind, id, number }: { readonly kind: Kind; readonly id: string; readonly number: number },
  ): Promise<StoredHistory | undefined> {
    const row = await this.#questions.first(
      `SELECT * FROM staging_history
       WHERE algorithm = ? AND version = ? AND number = ? AND kind = ? AND id = ?`,
      algorithm,
      version,
      number,
      kind,
      id,
    )
    return row && HISTORY.read(row)
  }
}

/** Reads from one consistent snapshot. */
export class StagingSnapshot extends StagingReads {
  readonly #rows: Rows

  constructor(rows: Rows) {
    super(rows)
    this.#rows = rows
  }

  /** Yields history entries. */
  async *history(
    { algorithm, version }: VersionName,
    { kind, id, order, limit, offset }: HistorySpan,
  ): AsyncIterable<StoredHistory> {
    const one = id === undefined ? '' : 'AND id = ?'
    const sql = `SELECT * FROM staging_history
      WHERE algorithm = ? AND version = ? AND kind = ? ${one}
      ORDER BY number ${order} LIMIT ? OFFSET ?`
    const ids = id === undefined ? [] : [id]
    const values = [algorithm, version, kind, ...ids, limit, offset]
    for await (const row of this.#rows.each<Row>(sql, values, HISTORY_ROWS_AT_ONCE)) {
      yield HISTORY.read(row)
    }
  }
}

/** Reads and writes within one transaction. */
export class StagingEdits extends StagingSnapshot {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    super(transaction)
    this.#transaction = transaction
  }

  async putAlgorithm(stored: StoredAlgorithm): Promise<void> {
    await this.#transaction.run(PUT_ALGORITHM, ALGORITHM.values(stored))
  }

  async deleteAlgorithm(algorithm: string): Promise<void> {
    const sql = 'DELETE FROM staging_algorithms WHERE algorithm = ?'
    await this.#transaction.run(sql, [algorithm])
  }

  /** Adds or updates a version under a new revision. */
  async putVersion(given: Omit<StoredVersion, 'revision'>): Promise<StoredVersion> {
    const stored = { ...given, revision: await this.#nextRevision() }
    await this.#transaction.run(PUT_VERSION, VERSION.values(stored))
    return stored
  }

  /** Deletes a version with all of its content and history. */
  async deleteVersion({ algorithm, version }: VersionName): Promise<void> {
    const sql = 'DELETE FROM staging_versions WHERE algorithm = ? AND version = ?'
    await this.#transaction.run(sql, [algorithm, version])
  }

  /** Copies the content of a version into another, empty version. The history is not copied. */
  async copyEntities(from: VersionName, to: StoredVersion): Promise<void> {
    await this.#transaction.run(
      `INSERT INTO staging_entities (algorithm, version, kind, id, name, title, schema_num,
         last_modified, revision, document)
       SELECT ?, ?, kind, id, name, title, schema_num, last_modified, ?, document
       FROM staging_entities WHERE algorithm = ? AND version = ?`,
      [to.algorithm, to.version, to.revision, from.algorithm, from.version],
    )
  }

  /**
   * Stores entities.
   * @param entities consumed while they are stored
   */
  async putEntities(
    { algorithm, version, revision }: StoredVersion,
    entities: Iterable<{ readonly kind: Kind; readonly entity: Entity }>,
  ): Promise<void> {
    function* rows(): Generator<Parameters> {
      for (const { kind, entity } of entities) {
        const { id, name, last_modified } = entity
        const { title, schema_num } = entity as { title?: string; schema_num?: number }
        yield [
          algorithm,
          version,
          kind,
          id,
          name ?? null,
          title ?? null,
          schema_num ?? null,
          last_modified ?? '',
          revision,
          documentOf(entity),
        ]
      }
    }
    await this.#transaction.runEach(PUT_ENTITY, rows())
  }

  async deleteEntities(
    { algorithm, version }: VersionName,
    entities: Iterable<{ readonly kind: Kind; readonly id: string }>,
  ): Promise<void> {
    function* rows(): Generator<Parameters> {
      for (const { kind, id } of entities) yield [algorithm, version, kind, id]
    }
    const sql = `DELETE FROM staging_entities
      WHERE algorithm = ? AND version = ? AND kind = ? AND id = ?`
    await this.#transaction.runEach(sql, rows())
  }

  /** Appends history entries in order, with consecutive numbers. */
  async addHistory(
    { algorithm, version }: VersionName,
    entries: Iterable<NewHistory>,
  ): Promise<void> {
    const last = await this.#transaction.get<{ number: number | null }>(
      'SELECT max(number) AS number FROM staging_history WHERE algorithm = ? AND version = ?',
      [algorithm, version],
    )
    function* rows(): Generator<Parameters> {
      let number = last?.number ?? 0
      for (const { kind, id, date, user, comment = null, old, new: after } of entries) {
        number++
        const type: StoredHistory['type'] = !old ? 'ADD' : after ? 'MOD' : 'DEL'
        const of = { number, id, type, date, user, comment }
        const entry = { ...of, old: jsonOf(old), new: jsonOf(after) }
        yield [algorithm, version, kind, ...HISTORY.values(entry)]
      }
    }
    await this.#transaction.runEach(ADD_HISTORY, rows())
  }

  async #nextRevision(): Promise<number> {
    const sql = 'UPDATE staging_revisions SET last_given = last_given + 1 RETURNING last_given'
    const row = await this.#transaction.get<{ last_given: number }>(sql)
    return Number(row?.last_given)
  }
}

/** Reads the staging data from the current state of the database. */
export class StagingRepository extends StagingReads {
  readonly #database: Database

  constructor(database: Database) {
    super(database)
    this.#database = database
  }

  /** Reads from one consistent snapshot. */
  snapshot<Result>(read: (at: StagingSnapshot) => Promise<Result>): Promise<Result> {
    return this.#database.read((rows) => read(new StagingSnapshot(rows)))
  }

  /** Runs `work` in one transaction, like Database.write. */
  transaction<Result>(work: (edits: StagingEdits) => Promise<Result>): Promise<Result> {
    return this.#database.write((transaction) => work(new StagingEdits(transaction)))
  }
}

function entityOf<K extends Kind>(
  { algorithm, version }: VersionName,
  kind: K,
  row: Row,
): StoredEntity<K> {
  const own = JSON.parse(row.document as string) as Partial<EntityOf[K]>
  const of = kind === 'glossary' ? {} : { algorithm, version }
  const { id, last_modified } = row
  const entity = { id, ...of, ...own, last_modified } as unknown as EntityOf[K]
  return { revision: row.revision as number, entity }
}

function jsonOf(entity: Entity | undefined): string | null {
  return entity ? JSON.stringify(entity) : null
}
