import { isId } from '../blobs/blob-key.ts'
import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import { notify } from '../database/news.ts'
import type { Parameters } from '../database/values.ts'
import { EngineError } from '../errors.ts'
import type { StateCache } from './state-cache.ts'

/** Owner of files that an operator imported. All other owners are project ids, which contain a hyphen. */
export const IMPORT = 'import'

/** Bytes that a caller wants to store under an id. */
interface Claim {
  readonly id: string
  readonly md5: string
}

/** A file with its owner. */
export interface FileOwner {
  readonly id: string
  readonly owner: string
}

const OWNERS = keyedStatements(
  (places) => `SELECT id, owner FROM file_owners WHERE id IN (${places})`,
)
const STORED = keyedStatements((places) => `SELECT id, md5 FROM files WHERE id IN (${places})`)
export const RECORD_OWNER =
  'INSERT INTO file_owners (id, owner) VALUES (?, ?) ON CONFLICT (id) DO NOTHING'

/**
 * Records the owner of each file: an import, or the project whose entity has the file's id. Only the owner
 * may replace or remove a file.
 */
export class FileOwners {
  readonly #database: Database

  readonly #cache: StateCache | undefined

  constructor(database: Database, cache?: StateCache) {
    this.#database = database
    this.#cache = cache
  }

  /** Returns owners keyed by file id. Files without an owner are left out. */
  async of(ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const ask = (sql: string, keys: Parameters) => this.#database.ask<FileOwner>(sql, keys)
    return ownersBy(ask, [...ids].filter(isId))
  }

  /**
   * Reserves ids for an owner before any bytes are stored. Imports may also restore bytes that are recorded,
   * whoever their owner is.
   * @throws EngineError `already_exists` if an id has other bytes or another owner
   */
  async claim(claims: readonly Claim[], owner: string): Promise<void> {
    if (claims.length === 0) return
    await this.#database.write(async (transaction) => {
      const ids = claims.map(({ id }) => id)
      const ask = <Row>(sql: string, keys: Parameters) => transaction.all<Row>(sql, keys)
      const owners = await ownersBy(ask<FileOwner>, ids)
      const stored = new Map(
        (await rowsByKeys(ask<Claim>, STORED, ids)).map(({ id, md5 }) => [id, md5]),
      )
      const free: FileOwner[] = []
      for (const claim of claims) {
        const { id } = claim
        const known = { owner: owners.get(id), md5: stored.get(id) }
        if (!mayStore(claim, owner, known)) throw notTheirs(id, owner)
        if (known.owner === undefined && known.md5 === undefined) free.push({ id, owner })
      }
      await transaction.runEach(RECORD_OWNER, free.map(rowOf))
    })
  }

  /** Records the owners of files that have no recorded owner. */
  async record(found: readonly FileOwner[]): Promise<void> {
    if (found.length === 0) return
    await this.#database.write((transaction) => transaction.runEach(RECORD_OWNER, found.map(rowOf)))
  }

  /** Releases an id after its bytes were removed. */
  async giveUp({ id, owner }: FileOwner): Promise<void> {
    const sql = 'DELETE FROM file_owners WHERE id = ? AND owner = ?'
    const changed = { topic: 'files', ids: [id] } as const
    await this.#database.write(async (transaction) => {
      await notify(transaction, this.#database.dialect, changed)
      await transaction.run(sql, [id, owner])
    })
    this.#cache?.drop(changed)
  }
}

async function ownersBy(
  ask: (sql: string, keys: Parameters) => Promise<FileOwner[]>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await rowsByKeys(ask, OWNERS, ids)
  return new Map(found.map(({ id, owner }) => [id, owner]))
}

function mayStore(
  { md5 }: Claim,
  owner: string,
  known: { readonly owner: string | undefined; readonly md5: string | undefined },
): boolean {
  if (known.md5 !== undefined && known.md5 !== md5) return false
  if (known.md5 !== undefined && owner === IMPORT) return true
  return known.owner === undefined ? known.md5 === undefined : known.owner === owner
}

function notTheirs(id: string, owner: string): EngineError {
  const by = owner === IMPORT ? 'an import' : `project ${owner}`
  return new EngineError(
    'already_exists',
    `file ${id} is stored already, with another md5 or not by ${by}; give these bytes another id`,
    { at: 'id' },
  )
}

const rowOf = ({ id, owner }: FileOwner): Parameters => [id, owner]
