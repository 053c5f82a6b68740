import type { StorageKind } from '../blobs/blob.ts'
import { checkId, checkName, isId } from '../blobs/blob-key.ts'
import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import { tell } from '../database/news.ts'
import type { Parameters } from '../database/values.ts'
import { EngineError } from '../errors.ts'
import { CachedFiles } from './cached-files.ts'
import { FileOwners, IMPORT, RECORD_OWNER } from './file-owners.ts'
import type { StateCache } from './state-cache.ts'

/**
 * Formats whose files can be sliced: sorted, every block sound. `TSV` is any other table that tabix has
 * indexed.
 */
export const SLICEABLE_FORMATS = Object.freeze(['BAM', 'VCF', 'BCF', 'BED', 'GFF', 'TSV'] as const)

export type SliceableFormat = (typeof SLICEABLE_FORMATS)[number]

/** CRAM can be given in whole containers alone. */
export type ProvedFormat = SliceableFormat | 'CRAM'

/** A file whose bytes this service holds and has proved to have this size and md5. */
export interface StoredFile {
  /** A UUID, lower case. */
  readonly id: string
  readonly fileName: string
  readonly size: number
  readonly md5: string
  /** What it was proved to be, and is cut as. Others are only handed out. */
  readonly dataFormat: ProvedFormat | null
  /** What holds for the bytes when no record of the served release speaks of them. */
  readonly access: 'open' | 'controlled'
  /** Who may read it when controlled: ids of projects, or names that records give as `acl`. */
  readonly acl: readonly string[]
  /** Id of the file that it belongs to, as an index does, and whose rights hold for it. */
  readonly partOf: string | null
  /** Name of the index that is kept beside its bytes, under the file's own id. */
  readonly indexName: string | null
  readonly storage: StorageKind
  /** Of a file that was linked and not copied: when it was modified then, in nanoseconds. */
  readonly linkedModified: string | null
  readonly createdAt: string
}

export interface FileTotals {
  readonly files: number
  readonly bytes: number
  readonly alignments: number
}

const MD5 = /^[0-9a-f]{32}$/

const COLUMNS = [
  'id',
  'file_name',
  'size',
  'md5',
  'data_format',
  'access',
  'acl',
  'part_of',
  'index_name',
  'storage',
  'linked_modified',
  'created_at',
  'cut_as',
] as const

/** Rows that are read together. */
const PAGE_ROWS = 1000

const REPLACED = COLUMNS.filter((name) => name !== 'id' && name !== 'created_at')
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM files`
const FIND = `${SELECT} WHERE id = ?`
const BY_IDS = keyedStatements((places) => `${SELECT} WHERE id IN (${places})`)
const NAMED = `
  SELECT id FROM (
    SELECT f.id, row_number() OVER (PARTITION BY COALESCE(o.owner, '${IMPORT}') ORDER BY f.id) AS place
    FROM files f LEFT JOIN file_owners o ON o.id = f.id WHERE f.file_name = ?
  ) AS placed WHERE place <= ? ORDER BY id`
const PUT = `
  INSERT INTO files (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${REPLACED.map((name) => `${name} = excluded.${name}`).join(', ')}`

/** The stored files. Keeps nothing in memory, except `served`: others may add. */
export class FileCatalogue {
  readonly owners: FileOwners
  /** For requests that read: with a cache where there is one. */
  readonly served: CachedFiles<StoredFile>
  readonly #database: Database
  readonly #cache: StateCache | undefined

  constructor(database: Database, cache?: StateCache) {
    this.#database = database
    this.#cache = cache
    this.owners = new FileOwners(database, cache)
    this.served = new CachedFiles(this, cache)
  }

  /** The file with exactly this id; any text may be asked for. */
  async find(id: string): Promise<StoredFile | undefined> {
    // A well-formed id alone is a key; what else is in a text must not matter.
    if (!isId(id)) return undefined
    const [row] = await this.#database.ask<FileRow>(FIND, [id])
    return row && fileFromRow(row)
  }

  /**
   * Ids of files of exactly this name, at most so many of each owner, so that no project hides what others have;
   * any text may be asked for.
   */
  async named(fileName: string, mostOfOwner: number): Promise<readonly string[]> {
    const found = await this.#database.ask<{ readonly id: string }>(NAMED, [fileName, mostOfOwner])
    return found.map(({ id }) => id)
  }

  /** Those of these ids that are known, some hundred by one statement. */
  async findAll(ids: Iterable<string>): Promise<ReadonlyMap<string, StoredFile>> {
    const keys = [...ids].filter(isId)
    if (keys.length === 0) return new Map()
    const ask = (sql: string, ids: Parameters) => this.#database.ask<FileRow>(sql, ids)
    const found = await rowsByKeys(ask, BY_IDS, keys)
    return new Map(found.map((row) => [row.id, fileFromRow(row)]))
  }

  /** All files in the order of their ids, read as they are asked for, from behind an id on. */
  each(after = ''): AsyncGenerator<StoredFile, void, undefined> {
    return this.#each('', after)
  }

  /** As `each`, those that nobody is known to have stored: none that came since that is recorded. */
  eachWithoutOwner(): AsyncGenerator<StoredFile, void, undefined> {
    return this.#each('AND NOT EXISTS (SELECT 1 FROM file_owners o WHERE o.id = files.id)', '')
  }

  async *#each(where: string, after: string): AsyncGenerator<StoredFile, void, undefined> {
    const sql = `${SELECT} WHERE id > ? ${where} ORDER BY id LIMIT ${PAGE_ROWS}`
    for (let last = after; ; ) {
      const page = await this.#database.ask<FileRow>(sql, [last])
      for (const row of page) yield fileFromRow(row)
      if (page.length < PAGE_ROWS) return
      last = page.at(-1)?.id ?? ''
    }
  }

  async totals(): Promise<FileTotals> {
    const sql = `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes,
      count(data_format) AS alignments FROM files`
    const [totals] = await this.#database.ask<FileTotals>(sql)
    return { files: 0, bytes: 0, alignments: 0, ...totals }
  }

  /**
   * Records a file. A second call with the same id and md5 replaces the description and keeps the
   * time of the first. One that nobody has claimed is an import's.
   * @throws EngineError `bad_input` for an impossible id, name, size or md5, `already_exists` when
   *   the id belongs to other bytes
   */
  add(file: StoredFile): Promise<void> {
    return this.addAll([file])
  }

  /** As add, for several: all of them or none. */
  async addAll(files: readonly StoredFile[]): Promise<void> {
    for (const file of files) checkFile(file)
    if (files.length === 0) return
    await this.#database.write(async (transaction) => {
      const ids = files.map(({ id }) => id)
      const ask = (sql: string, ids: Parameters) => transaction.all<FileRow>(sql, ids)
      const known = await rowsByKeys(ask, BY_IDS, ids)
      const md5s = new Map(known.map(({ id, md5 }) => [id, md5]))
      const fresh = ids.filter((id) => !md5s.has(id))
      for (const { id, md5 } of files) {
        mustBeSame(id, md5s.get(id), md5)
        md5s.set(id, md5)
      }
      await transaction.runEach(
        RECORD_OWNER,
        fresh.map((id) => [id, IMPORT]),
      )
      await transaction.runEach(PUT, files.map(rowOf))
      await tell(transaction, this.#database.dialect, { topic: 'files', ids })
    })
    this.#cache?.drop({ topic: 'files', ids: files.map(({ id }) => id) })
  }

  /** Forgets a file; its bytes are another matter. One that is not known is no error. */
  async remove(id: string): Promise<void> {
    if (!isId(id)) return
    const sql = 'DELETE FROM files WHERE id = ?'
    const changed = { topic: 'files', ids: [id] } as const
    await this.#database.write(async (transaction) => {
      await tell(transaction, this.#database.dialect, changed)
      await transaction.run(sql, [id])
    })
    this.#cache?.drop(changed)
  }
}

function mustBeSame(id: string, known: string | undefined, given: string): void {
  if (known === undefined || known === given) return
  throw new EngineError(
    'already_exists',
    `file ${id} is stored with md5 ${known}, given was ${given}; give these bytes another id`,
    { at: 'md5' },
  )
}

function checkFile(file: StoredFile): void {
  checkId(file.id)
  checkName(file.fileName, 'fileName')
  if (file.indexName !== null) checkName(file.indexName, 'indexName')
  if (file.partOf !== null) checkId(file.partOf)
  if (!MD5.test(file.md5)) {
    throw new EngineError('bad_input', `md5 "${file.md5}" is not 32 lower-case hex digits`, {
      at: 'md5',
    })
  }
  if (!Number.isSafeInteger(file.size) || file.size < 0) {
    throw new EngineError('bad_input', `size ${file.size} is no whole number of bytes`, {
      at: 'size',
    })
  }
}

function rowOf(file: StoredFile): Parameters {
  return [
    ...[file.id, file.fileName, file.size, file.md5],
    ...[file.dataFormat === 'BAM' ? file.dataFormat : null, file.access],
    ...[JSON.stringify(file.acl), file.partOf, file.indexName, file.storage],
    ...[file.linkedModified, file.createdAt, file.dataFormat === 'BAM' ? null : file.dataFormat],
  ]
}

/** As the table's CHECK constraints have it. */
interface FileRow {
  readonly id: string
  readonly file_name: string
  readonly size: number
  readonly md5: string
  readonly data_format: 'BAM' | null
  readonly access: StoredFile['access']
  readonly acl: string
  readonly part_of: string | null
  readonly index_name: string | null
  readonly storage: StorageKind
  readonly linked_modified: string | null
  readonly created_at: string
  /** Came later: other formats than BAM. */
  readonly cut_as: Exclude<ProvedFormat, 'BAM'> | null
}

function fileFromRow(row: FileRow): StoredFile {
  return Object.freeze({
    id: row.id,
    fileName: row.file_name,
    size: row.size,
    md5: row.md5,
    dataFormat: row.data_format ?? row.cut_as,
    access: row.access,
    acl: JSON.parse(row.acl) as string[],
    partOf: row.part_of,
    indexName: row.index_name,
    storage: row.storage,
    linkedModified: row.linked_modified,
    createdAt: row.created_at,
  })
}
