import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { StorageKind } from '../blobs/blob.ts'
import { checkId, checkName } from '../blobs/blob-key.ts'
import { EngineError } from '../errors.ts'
import { inTransaction } from './state.ts'

/** A file whose bytes this service holds and has proved to have this size and md5. */
export interface StoredFile {
  /** A UUID, lower case. */
  readonly id: string
  readonly fileName: string
  readonly size: number
  readonly md5: string
  /** `BAM` says that it can be sliced: sorted, every block sound. Others are only handed out. */
  readonly dataFormat: 'BAM' | null
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
] as const

/** Rows that are read together. */
const PAGE_ROWS = 1000

/** The stored files. Keeps nothing in memory: other processes may add. */
export class FileCatalogue {
  readonly #state: DatabaseSync
  readonly #find: StatementSync
  readonly #page: StatementSync
  readonly #totals: StatementSync
  readonly #put: StatementSync

  constructor(state: DatabaseSync) {
    this.#state = state
    const columns = COLUMNS.join(', ')
    this.#find = state.prepare(`SELECT ${columns} FROM files WHERE id = ?`)
    this.#page = state.prepare(
      `SELECT ${columns} FROM files WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`,
    )
    this.#totals = state.prepare(
      `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes,
         count(data_format) AS alignments FROM files`,
    )
    const replaced = COLUMNS.filter((name) => name !== 'id' && name !== 'created_at')
    this.#put = state.prepare(
      `INSERT INTO files (${columns}) VALUES (${COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET
         ${replaced.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  }

  /** The file with exactly this id; any text may be asked for. */
  find(id: string): StoredFile | undefined {
    const row = this.#find.get(id)
    return row && fileFromRow(row)
  }

  /** All files in the order of their ids, read as they are asked for. */
  *each(): Generator<StoredFile> {
    for (let last = ''; ; ) {
      const files = this.#page.all(last).map(fileFromRow)
      yield* files
      if (files.length < PAGE_ROWS) return
      last = files.at(-1)?.id ?? ''
    }
  }

  totals(): { readonly files: number; readonly bytes: number; readonly alignments: number } {
    const { files, bytes, alignments } = this.#totals.get() ?? {}
    return { files: Number(files), bytes: Number(bytes), alignments: Number(alignments) }
  }

  /**
   * Records a file. A second call with the same id and md5 replaces the description and keeps the
   * time of the first.
   * @throws EngineError `bad_input` for an impossible id, name, size or md5, `already_exists` when
   *   the id belongs to other bytes
   */
  add(file: StoredFile): void {
    this.addAll([file])
  }

  /** As add, for several: all of them or none. */
  addAll(files: readonly StoredFile[]): void {
    for (const file of files) checkFile(file)
    inTransaction(this.#state, () => {
      for (const file of files) this.#add(file)
    })
  }

  /** Forgets a file; its bytes are another matter. One that is not known is no error. */
  remove(id: string): void {
    this.#state.prepare('DELETE FROM files WHERE id = ?').run(id)
  }

  #add(file: StoredFile): void {
    const known = this.find(file.id)
    if (known && known.md5 !== file.md5) {
      throw new EngineError(
        'already_exists',
        `file ${file.id} is stored with md5 ${known.md5}, given was ${file.md5}; give these bytes another id`,
        { at: 'md5' },
      )
    }
    this.#put.run(
      ...[file.id, file.fileName, file.size, file.md5, file.dataFormat, file.access],
      ...[JSON.stringify(file.acl), file.partOf, file.indexName, file.storage],
      ...[file.linkedModified, file.createdAt],
    )
  }
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

// The table's CHECK constraints are what makes these assertions true.
function fileFromRow(row: Record<string, SQLOutputValue>): StoredFile {
  return Object.freeze({
    id: row.id as string,
    fileName: row.file_name as string,
    size: row.size as number,
    md5: row.md5 as string,
    dataFormat: row.data_format as StoredFile['dataFormat'],
    access: row.access as StoredFile['access'],
    acl: JSON.parse(row.acl as string) as string[],
    partOf: row.part_of as string | null,
    indexName: row.index_name as string | null,
    storage: row.storage as StorageKind,
    linkedModified: row.linked_modified as string | null,
    createdAt: row.created_at as string,
  })
}
