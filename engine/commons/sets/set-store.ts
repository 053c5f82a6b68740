import { randomInt } from 'node:crypto'
import { keyedStatements, rowsByKeys } from '../../shared/database/by-keys.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { fairBytes } from './fair-room.ts'

/** Types of the members of a set. */
export const SET_TYPES = ['case', 'gene', 'ssm', 'file'] as const
export type SetType = (typeof SET_TYPES)[number]

/** Kinds of sets. They differ in lifetime and in whether a set can be changed. */
export const SET_KINDS = ['instant', 'ephemeral', 'mutable', 'frozen'] as const
export type SetKind = (typeof SET_KINDS)[number]

const HOUR = 3_600_000
/** Time in milliseconds for which a set is kept after its last use. */
const LIFETIMES: Readonly<Record<SetKind, number>> = Object.freeze({
  instant: HOUR,
  ephemeral: 24 * HOUR,
  mutable: 90 * 24 * HOUR,
  frozen: 90 * 24 * HOUR,
})
/** Share of the lifetime after which a further use is recorded. */
const TOUCHED = 1 / 24

/**
 * Number of bytes that each set counts in addition to its members. This limits the number of sets, because for
 * each new set the sizes of all others are added up.
 */
export const SET_ROW_BYTES = 32 << 10

/** Upper bound of version numbers. Each write takes a random number, so that no two writes get the same. */
const MAX_VERSION = 2 ** 48 - 1

/** A set as stored in the database. */
export interface SetRecord {
  readonly id: string
  readonly type: SetType
  readonly kind: SetKind
  readonly intent: string | null
  readonly version: number
  /** Number of members when the set was last changed, including those that the current release lacks. */
  readonly members: number
  readonly release: string
  readonly created_at: string
  readonly used_at: string
}

type NewSet = Pick<SetRecord, 'id' | 'type' | 'kind' | 'intent' | 'release'> & {
  readonly owner: string
}

/** Members of a certain version of a set. */
interface VersionContent {
  readonly release: string
  readonly members: number
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Bitmap of the members' rows in the release. */
  readonly rowBits: Uint8Array
}

interface Kept {
  readonly sets: number
  readonly bytes: number
}

/** Limits on stored sets. */
interface Room {
  /** Maximum number of sets of one client. `clientBytes` limits their size. */
  readonly sets: number
  readonly clientBytes: number
  /** Maximum size of the sets of all clients in bytes. */
  readonly bytes: number
}

/** A client that has reached its limits, with the number and size of its sets. */
export interface Shortage extends Kept {
  readonly owner: string
  /** Size that its sets may have at present, in bytes. */
  readonly mostBytes: number
}

const COLUMNS = 'id, type, kind, intent, version, members, release, created_at, used_at'
const BY_ID = keyedStatements(
  (places) => `SELECT ${COLUMNS} FROM sets WHERE version > 0 AND id IN (${places})`,
)
const EXPIRED = SET_KINDS.map(() => '(kind = ? AND used_at < ?)').join(' OR ')
/** SQL condition that no stored cohort refers to the set. Sets of cohorts are kept as long as the cohort. */
const UNNAMED = 'NOT EXISTS (SELECT 1 FROM cohort_sets c WHERE c.set_id = sets.id)'
/** SQL condition for sets that the portal creates temporarily. It creates them again if they are gone. */
const PASSING = "kind IN ('instant', 'ephemeral')"

/** Stored sets. Members are written in chunks, and become visible when all are written. */
export class SetStore {
  readonly #database: Database
  readonly #clock: () => Date

  constructor(database: Database, clock: () => Date) {
    this.#database = database
    this.#clock = clock
  }

  /** Returns the records of those sets that exist. Records this as a use of the sets. */
  async use(ids: readonly string[]): Promise<ReadonlyMap<string, SetRecord>> {
    if (ids.length === 0) return new Map()
    const ask = (sql: string, keys: readonly (string | null | number | Uint8Array)[]) =>
      this.#database.ask<SetRecord>(sql, keys)
    const now = this.#clock()
    const age = ({ used_at: used }: SetRecord) => now.getTime() - Date.parse(used)
    const found = await rowsByKeys<SetRecord>(ask, BY_ID, ids)
    const alive: SetRecord[] = []
    for (const record of found) {
      const isAlive = age(record) <= LIFETIMES[record.kind] || (await this.#isNamed(record.id))
      if (isAlive) alive.push(record)
    }
    const stale = alive.filter((record) => age(record) > LIFETIMES[record.kind] * TOUCHED)
    if (stale.length > 0) {
      await this.#database.write((transaction) =>
        transaction.runEach(
          'UPDATE sets SET used_at = ? WHERE id = ?',
          stale.map(({ id }) => [now.toISOString(), id]),
        ),
      )
    }
    return new Map(alive.map((record) => [record.id, record]))
  }

  async #isNamed(id: string): Promise<boolean> {
    const sql = 'SELECT 1 AS one FROM cohort_sets WHERE set_id = ? LIMIT 1'
    return (await this.#database.ask(sql, [id])).length > 0
  }

  /** Returns a client's instant and ephemeral sets, least recently used first. They may be removed to free space. */
  passing(
    owner: string,
    count: number,
  ): Promise<{ readonly id: string; readonly bytes: number }[]> {
    const sql = `SELECT id, bytes FROM sets
      WHERE owner = ? AND version > 0 AND ${PASSING} AND ${UNNAMED} ORDER BY used_at LIMIT ?`
    return this.#database.ask(sql, [owner, count])
  }

  /**
   * Makes the record of a set that has no members yet. The bytes of its future members already count, so that
   * sets that are made at the same time cannot exceed the limits.
   * @returns which client has no space left; `undefined` if the record was made
   */
  async add(set: NewSet, bytes: number, room: Room): Promise<Shortage | undefined> {
    const { id, type, kind, intent, release, owner } = set
    const now = this.#clock().toISOString()
    const sql = `INSERT INTO sets
      (id, type, kind, intent, owner, version, members, bytes, release, created_at, used_at)
      VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?)`
    return this.#database.write(async (transaction) => {
      const shortage = await shortageIn(transaction, owner, { sets: 1, bytes }, room)
      if (shortage) return shortage
      await transaction.run(sql, [id, type, kind, intent, owner, bytes, release, now, now])
      return undefined
    })
  }

  /**
   * Reserves bytes for the next version of a set, if it is larger than the current one.
   * @returns like add
   */
  async grow(id: string, bytes: number, room: Room): Promise<Shortage | undefined> {
    return this.#database.write(async (transaction) => {
      const sql = 'SELECT owner, bytes FROM sets WHERE id = ? AND bytes < ?'
      const set = await transaction.get<{ readonly owner: string; readonly bytes: number }>(sql, [
        id,
        bytes,
      ])
      if (!set) return undefined
      const more = { sets: 0, bytes: bytes - set.bytes }
      const shortage = await shortageIn(transaction, set.owner, more, room)
      if (shortage) return shortage
      await transaction.run('UPDATE sets SET bytes = ? WHERE id = ?', [bytes, id])
      return undefined
    })
  }

  /**
   * Writes the next version of a set, which becomes visible when it is complete. Its random number keeps
   * concurrent writes from changing each other's members.
   * @returns version number; undefined if the set was changed or removed meanwhile
   */
  async replace(id: string, before: number, content: VersionContent): Promise<number | undefined> {
    const version = randomInt(1, MAX_VERSION)
    try {
      if (await this.#write(id, { before, version }, content)) return version
    } catch (error) {
      await this.#drop(id, version).catch(() => {})
      throw error
    }
    await this.#drop(id, version)
    return undefined
  }

  async #write(
    id: string,
    { before, version }: { readonly before: number; readonly version: number },
    { release, members, chunks, rowBits }: VersionContent,
  ): Promise<boolean> {
    let bytes = SET_ROW_BYTES + rowBits.length
    let number = 0
    const insert = `INSERT INTO set_members (set_id, version, chunk, ids)
      SELECT id, ?, ?, ? FROM sets WHERE id = ? AND version = ?`
    for await (const ids of chunks) {
      bytes += ids.length
      const row = [version, number++, ids, id, before]
      // Each chunk has a transaction of its own, so that other writers need not wait for all chunks.
      const { changes } = await this.#database.write((transaction) => transaction.run(insert, row))
      if (changes === 0) return false
    }
    return this.#database.write(async (transaction) => {
      const now = this.#clock().toISOString()
      const sql = `UPDATE sets SET version = ?, members = ?, bytes = ?, release = ?, used_at = ?
        WHERE id = ? AND version = ?`
      const values = [version, members, bytes, release, now, id, before]
      if ((await transaction.run(sql, values)).changes === 0) return false
      // A concurrent writer then finds that its version is no longer wanted.
      const rest = 'DELETE FROM set_members WHERE set_id = ? AND version <> ?'
      await transaction.run(rest, [id, version])
      await transaction.run('DELETE FROM set_rows WHERE set_id = ?', [id])
      const rows = 'INSERT INTO set_rows (set_id, release, version, row_bits) VALUES (?, ?, ?, ?)'
      await transaction.run(rows, [id, release, version, rowBits])
      return true
    })
  }

  /** Removes the members of a version that is not visible. The next change removes those of a killed process. */
  async #drop(id: string, version: number): Promise<void> {
    // A commit that was not confirmed may have succeeded.
    const sql = `DELETE FROM set_members WHERE set_id = ? AND version = ?
      AND NOT EXISTS (SELECT 1 FROM sets WHERE id = ? AND version = ?)`
    await this.#database.write((transaction) => transaction.run(sql, [id, version, id, version]))
  }

  /** Returns the stored bitmap of a version's rows in a release. Undefined if there is none. */
  async rowBits(id: string, version: number, release: string): Promise<Uint8Array | undefined> {
    const sql = 'SELECT row_bits FROM set_rows WHERE set_id = ? AND release = ? AND version = ?'
    const [row] = await this.#database.ask<{ readonly row_bits: Uint8Array }>(sql, [
      id,
      release,
      version,
    ])
    return row?.row_bits
  }

  /** Stores the bitmap of a version's rows in a release, and removes the oldest bitmaps of the set. */
  async keepRowBits(id: string, version: number, release: string, bits: Uint8Array): Promise<void> {
    await this.#database.write(async (transaction) => {
      const isThere = 'SELECT 1 AS one FROM sets WHERE id = ? AND version = ?'
      if (!(await transaction.get(isThere, [id, version]))) return
      const others = 'DELETE FROM set_rows WHERE set_id = ? AND (version <> ? OR release <> ?)'
      await transaction.run(others, [id, version, release])
      const sql = `INSERT INTO set_rows (set_id, release, version, row_bits) VALUES (?, ?, ?, ?)
        ON CONFLICT (set_id, release) DO UPDATE
        SET version = excluded.version, row_bits = excluded.row_bits`
      await transaction.run(sql, [id, release, version, bits])
    })
  }

  /** Returns a chunk of a version. Undefined after the last chunk. */
  async chunk(id: string, version: number, number: number): Promise<Uint8Array | undefined> {
    const sql = 'SELECT ids FROM set_members WHERE set_id = ? AND version = ? AND chunk = ?'
    const [row] = await this.#database.ask<{ readonly ids: Uint8Array }>(sql, [id, version, number])
    return row?.ids
  }

  /** @returns whether the set existed */
  async remove(id: string): Promise<boolean> {
    const sql = 'DELETE FROM sets WHERE id = ?'
    const { changes } = await this.#database.write((transaction) => transaction.run(sql, [id]))
    return changes > 0
  }

  /** Removes expired sets and sets that were never completed. */
  async sweep(): Promise<void> {
    const now = this.#clock().getTime()
    const before = (milliseconds: number) => new Date(now - milliseconds).toISOString()
    const limits = SET_KINDS.flatMap((kind) => [kind, before(LIFETIMES[kind])])
    const sql = `DELETE FROM sets WHERE ((${EXPIRED}) AND ${UNNAMED})
      OR (version = 0 AND created_at < ?)`
    await this.#database.write((transaction) => transaction.run(sql, [...limits, before(HOUR)]))
  }
}

/** Returns the client if it has no space for more. Otherwise returns undefined. */
async function shortageIn(
  transaction: Transaction,
  owner: string,
  more: Kept,
  room: Room,
): Promise<Shortage | undefined> {
  const sql = (where: string) =>
    `SELECT count(*) AS sets, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes FROM sets WHERE ${where}`
  const kept = async (where: string) =>
    (await transaction.get<Kept>(sql(where), [owner])) ?? { sets: 0, bytes: 0 }
  const own = await kept('owner = ?')
  const mostBytes = fairBytes(room, (await kept('owner <> ?')).bytes)
  const isFull = own.sets + more.sets > room.sets || own.bytes + more.bytes > mostBytes
  return isFull ? { owner, mostBytes, ...own } : undefined
}
