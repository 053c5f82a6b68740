import { join, resolve } from 'node:path'
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { inTransaction } from './state.ts'

/** A file whose bytes this process holds. Its folder is named by its id. */
export interface StoredFile {
  readonly id: string
  readonly fileName: string
  readonly size: number
  readonly md5: string
  readonly dataFormat: 'BAM'
  readonly access: 'open' | 'controlled'
  /** The project whose members may read a controlled file; without one only administrators may. */
  readonly project: string | null
  readonly indexName: string | null
  readonly createdAt: string
}

// Any version and variant: ids that came with a release are kept as they are (contract 11.6).
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MD5 = /^[0-9a-f]{32}$/
// Separators of every platform, NUL and the other control characters.
const UNSAFE_IN_NAME = /[/\\\p{Cc}]/u
/** What common file systems allow for one name. */
const MAX_NAME_BYTES = 255

const COLUMNS = 'id, file_name, size, md5, data_format, access, project, index_name, created_at'

/** The stored files and where their bytes lie. Keeps nothing in memory: other processes may add. */
export class FileCatalogue {
  readonly #state: DatabaseSync
  readonly #root: string
  readonly #find: StatementSync
  readonly #list: StatementSync
  readonly #put: StatementSync

  /** @param root the folder that holds one folder per file id */
  constructor(state: DatabaseSync, root: string) {
    this.#state = state
    this.#root = resolve(root)
    this.#find = state.prepare(`SELECT ${COLUMNS} FROM files WHERE id = ?`)
    this.#list = state.prepare(`SELECT ${COLUMNS} FROM files ORDER BY created_at, id`)
    this.#put = state.prepare(
      `INSERT INTO files (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET file_name = excluded.file_name, size = excluded.size,
         data_format = excluded.data_format, access = excluded.access,
         project = excluded.project, index_name = excluded.index_name`,
    )
  }

  /** The file with exactly this id; any text may be asked for. */
  find(id: string): StoredFile | undefined {
    const row = this.#find.get(id)
    return row && fileFromRow(row)
  }

  /** All files, oldest first. */
  list(): StoredFile[] {
    return this.#list.all().map(fileFromRow)
  }

  /**
   * Records a file. A second call with the same id and md5 replaces the description and keeps the
   * time of the first.
   * @throws EngineError `bad_input` for an impossible id, name, size or md5, `already_exists` when
   *   the id belongs to other bytes
   */
  add(file: StoredFile): void {
    checkFile(file)
    inTransaction(this.#state, () => {
      const known = this.find(file.id)
      if (known && known.md5 !== file.md5) {
        throw new EngineError(
          'already_exists',
          `file ${file.id} is stored with md5 ${known.md5}, given was ${file.md5}; give these bytes another id`,
          { at: 'md5' },
        )
      }
      this.#put.run(
        ...[file.id, file.fileName, file.size, file.md5, file.dataFormat],
        ...[file.access, file.project, file.indexName, file.createdAt],
      )
    })
  }

  /**
   * Absolute path of a file's bytes, or of something stored beside them, always directly inside
   * the file's own folder.
   * @throws EngineError `bad_input` when the id is no UUID or the name is no plain file name
   */
  path(file: StoredFile, name: string = file.fileName): string {
    checkId(file.id)
    checkName(name, 'name')
    return join(this.#root, file.id, name)
  }
}

function checkFile(file: StoredFile): void {
  checkId(file.id)
  checkName(file.fileName, 'fileName')
  if (file.indexName !== null) checkName(file.indexName, 'indexName')
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

function checkId(id: string): void {
  if (!UUID.test(id)) {
    throw new EngineError('bad_input', `file id ${JSON.stringify(id)} is not a UUID`, { at: 'id' })
  }
}

function checkName(name: string, at: string): void {
  const isSafe = name !== '' && name !== '.' && name !== '..' && !UNSAFE_IN_NAME.test(name)
  if (!isSafe || Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new EngineError(
      'bad_input',
      `name ${JSON.stringify(name)} is no plain file name; use 1 to 255 bytes without "/", "\\" and control characters, and not "." or ".."`,
      { at },
    )
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
    project: row.project as string | null,
    indexName: row.index_name as string | null,
    createdAt: row.created_at as string,
  })
}
