import type { Transaction } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'

// Space that strangers share. Nobody who fills it may keep it from others: clients that keep more give room to those
// that keep less.

/** Rows that take space, in SQL. */
interface KeptRows {
  readonly table: 'cohorts' | 'sets'
  /** Bytes that a row counts. */
  readonly bytes: string
  /** Rank by which rows go, the lowest first. Within a rank, the least recently used go first. */
  readonly rank: string
  /** Condition of the rows that may go. */
  readonly mayGo: string
}

interface NeededRoom {
  readonly owner: string
  /** Bytes that the owner will have more. */
  readonly bytes: number
  /** Most bytes of all owners. */
  readonly most: number
}

/** Owners whose rows may go for one new row. */
const MAX_YIELDING = 16

/**
 * Makes room for more bytes of an owner. If there is none, rows of the owners that keep the most are removed, as long
 * as they keep more than this owner will.
 * @returns number of rows that were removed
 * @throws EngineError `busy` when the others do not keep more; nothing is removed then
 */
export async function makeFairRoom(
  transaction: Transaction,
  { table, bytes, rank, mayGo }: KeptRows,
  needed: NeededRoom,
): Promise<number> {
  const { owner, most } = needed
  const sum = `CAST(coalesce(sum(${bytes}), 0) AS BIGINT) AS bytes`
  const kept = async (where: string, values: readonly string[]) => {
    const sql = `SELECT ${sum} FROM ${table} ${where}`
    return (await transaction.get<{ readonly bytes: number }>(sql, values))?.bytes ?? 0
  }
  const largest = `SELECT owner, ${sum} FROM ${table} GROUP BY owner ORDER BY bytes DESC, owner LIMIT 1`
  const going = `SELECT id FROM (
    SELECT id, sum(bytes) OVER (ORDER BY place, used_at, id ROWS UNBOUNDED PRECEDING) - bytes AS before
    FROM (SELECT id, used_at, ${bytes} AS bytes, ${rank} AS place FROM ${table} WHERE owner = ? AND ${mayGo}) AS own
  ) AS ordered WHERE before < ?`
  let removed = 0
  for (let owners = 0; ; owners++) {
    const missing = (await kept('', [])) + needed.bytes - most
    if (missing <= 0) return removed
    const other = await transaction.get<{ readonly owner: string; readonly bytes: number }>(largest)
    const own = (await kept('WHERE owner = ?', [owner])) + needed.bytes
    const yielded = Math.min(missing, (other?.bytes ?? 0) - own)
    const changes =
      other && yielded > 0 && owners < MAX_YIELDING
        ? (
            await transaction.run(`DELETE FROM ${table} WHERE id IN (${going})`, [
              other.owner,
              yielded,
            ])
          ).changes
        : 0
    if (changes === 0) {
      throw new EngineError(
        'busy',
        `the ${table} of all clients take all of their space; try again later`,
      )
    }
    removed += changes
  }
}

/** Returns what operators are told of rows that were removed. */
export const yieldedMessage = (removed: number, { table }: Pick<KeptRows, 'table'>): string =>
  `the ${table} of all clients take all of their space: ${removed} ${table} of the clients that keep the most were removed for others`
