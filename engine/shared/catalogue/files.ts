import type { StorageKind } from '../blobs/blob.ts'
import { checkId, checkName, isId } from '../blobs/blob-key.ts'
import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import { notify } from '../database/news.ts'
import type { Parameters } from '../database/values.ts'
import { EngineError } from '../errors.ts'
import { CachedFiles } from './cached-files.ts'
import { FileOwners, IMPORT, RECORD_OWNER } from './file-owners.ts'
import type { StateCache } from './state-cache.ts'

/** Formats of files that can be sliced: sorted, with valid blocks. `TSV` is any other table with a tabix index. */
export const SLICEABLE_FORMATS = Object.freeze(['BAM', 'VCF', 'BCF', 'BED', 'GFF', 'TSV'] as const)

export type SliceableFormat = (typeof SLICEABLE_FORMATS)[number]

/** Formats that an import verifies. CRAM can only be sliced into whole containers. */
export type ProvedFormat = SliceableFormat | 'CRAM'

/** A file whose bytes are stored here. They were verified against this size and md5. */
export interface StoredFile {
  /** UUID in lower case. */
  readonly id: string
  readonly fileName: string
  readonly size: number
  readonly md5: string
  /** Verified format, which decides how the file is sliced. Null for files that can only be downloaded whole. */
  readonly dataFormat: ProvedFormat | null
  /** Access to the bytes if the served release has no record of them. */
  readonly access: 'open' | 'controlled'
  /** Project ids or `acl` names whose members may read the file if it is controlled. */
  readonly acl: readonly string[]
  /** Id of the main file, if this file is, for example, an index. The access rules of the main file apply. */
  readonly partOf: string | null
  /** Name of the index stored beside the bytes, under the same id. */
  readonly indexName: string | null
  readonly storage: StorageKind
  /** Modification time in nanoseconds at the time of import, for a file that is linked instead of copied. */
  readonly linkedModified: string | null
  readonly createdAt: string
}

interface FileTotals {
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

/** Number of rows per page. */
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

/** The catalogue of stored files. Only `served` caches anything, because other processes may change the table. */
export class FileCatalogue {
  readonly owners: FileOwners
  /** Cached view for read requests. */
  readonly served: CachedFiles<StoredFile>
  readonly #database: Database
  readonly #cache: StateCache | undefined

  constructor(database: Database, cache?: StateCache) {
    this.#database = database
    this.#cache = cache
    this.owners = new FileOwners(database, cache)
    this.served = new CachedFiles(this, cache)
  }

  /** Returns the file with this id. Accepts any text. */
  async find(id: string): Promise<StoredFile | undefined> {
    // Only a well-formed id is passed to the database.
    if (!isId(id)) return undefined
    const [row] = await this.#database.ask<FileRow>(FIND, [id])
    return row && fileFromRow(row)
  }

  /**
   * Returns the ids of files with this exact name. The number is limited per owner, so that one project
   * cannot hide the files of others. Accepts any text.
   */
  async named(fileName: string, mostOfOwner: number): Promise<readonly string[]> {
    const found = await this.#database.ask<{ readonly id: string }>(NAMED, [fileName, mostOfOwner])
    return found.map(({ id }) => id)
  }

  /** Returns the files with these ids, with one statement per some hundred ids. Unknown ids are left out. */
  async findAll(ids: Iterable<string>): Promise<ReadonlyMap<string, StoredFile>> {
    const keys = [...ids].filter(isId)
    if (keys.length === 0) return new Map()
    const ask = (sql: string, ids: Parameters) => this.#database.ask<FileRow>(sql, ids)
    const found = await rowsByKeys(ask, BY_IDS, keys)
    return new Map(found.map((row) => [row.id, fileFromRow(row)]))
  }

  /** Yields all files in id order, page by page, starting after the given id. */
  each(after = ''): AsyncGenerator<StoredFile, void, undefined> {
    return this.#each('', after)
  }

  /** Yields the files without a recorded owner, which were stored before owners were recorded. */
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
   * Records a file. If the id is already recorded with the same md5, the description is replaced and the
   * creation time kept. If nobody has claimed the id, the import becomes its owner.
   * @throws EngineError `bad_input` for an invalid id, name, size or md5, `already_exists` if the id has other
   *   bytes
   */
  add(file: StoredFile): Promise<void> {
    return this.addAll([file])
  }

  /**
   * Records several files, all of them or none.
   * @throws EngineError like `add`
   */
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
        requireSameMd5(id, md5s.get(id), md5)
        md5s.set(id, md5)
      }
      await transaction.runEach(
        RECORD_OWNER,
        fresh.map((id) => [id, IMPORT]),
      )
      await transaction.runEach(PUT, files.map(rowOf))
      await notify(transaction, this.#database.dialect, { topic: 'files', ids })
    })
    this.#cache?.drop({ topic: 'files', ids: files.map(({ id }) => id) })
  }

  /** Removes a file's record but not its bytes. An unknown id is no error. */
  async remove(id: string): Promise<void> {
    if (!isId(id)) return
    const sql = 'DELETE FROM files WHERE id = ?'
    const changed = { topic: 'files', ids: [id] } as const
    await this.#database.write(async (transaction) => {
      await notify(transaction, this.#database.dialect, changed)
      await transaction.run(sql, [id])
    })
    this.#cache?.drop(changed)
  }
}

function requireSameMd5(id: string, known: string | undefined, given: string): void {
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
    file.linkedModified,
    file.createdAt,
    file.dataFormat === 'BAM' ? null : file.dataFormat,
  ]
}

/** A row of the table. The unions match its CHECK constraints. */
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
  /** Formats other than BAM have a separate column, because the CHECK constraint of data_format allows only BAM. */
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
