import type { StoredFile } from '../catalogue/files.ts'
import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import type { Parameters } from '../database/values.ts'

/** Result of checking all bytes of a file. */
export interface Verdict {
  readonly file: Pick<StoredFile, 'id' | 'md5'>
  /** CRC32 of the intact bytes. `undefined` if it was not computed. */
  readonly checksum?: number | undefined
  /** SHA-256 of the intact bytes in hex. `undefined` if it was not computed. */
  readonly sha256?: string | undefined
  /** Description of the damage, or `undefined` if the bytes are intact. */
  readonly problem?: string | undefined
}

interface FoundDamage {
  readonly id: string
  readonly problem: string
  readonly checkedAt: string
}

// The update does nothing for a file that was removed or replaced meanwhile. Checksums belong to the intact
// bytes, so they are kept when damage is found.
const cachedSum = (name: string) => `${name} = CASE WHEN content_checks.md5 = excluded.md5
      THEN COALESCE(excluded.${name}, content_checks.${name}) ELSE excluded.${name} END`

const RECORD = `
  INSERT INTO content_checks (id, md5, crc32, sha256, problem, checked_at)
    SELECT id, md5, ?, ?, ?, ? FROM files WHERE id = ? AND md5 = ?
  ON CONFLICT (id) DO UPDATE SET problem = excluded.problem, checked_at = excluded.checked_at,
    ${cachedSum('crc32')},
    ${cachedSum('sha256')},
    md5 = excluded.md5`

const CHECKSUM = 'SELECT crc32 FROM content_checks WHERE id = ? AND md5 = ? AND crc32 IS NOT NULL'

const DIGESTS = keyedStatements(
  (places) =>
    `SELECT id, md5, sha256 FROM content_checks WHERE sha256 IS NOT NULL AND id IN (${places})`,
)

const OF_DIGEST = `
  SELECT files.id FROM content_checks JOIN files ON files.id = content_checks.id
  WHERE content_checks.sha256 = ? AND files.md5 = content_checks.md5 ORDER BY files.id LIMIT ?`

const PROBLEM = 'SELECT 1 FROM content_checks WHERE id = ? AND md5 = ? AND problem IS NOT NULL'

const DAMAGED = `
  SELECT content_checks.id, content_checks.problem, content_checks.checked_at AS "checkedAt"
  FROM content_checks JOIN files ON files.id = content_checks.id
  WHERE content_checks.problem IS NOT NULL AND files.md5 = content_checks.md5
  ORDER BY content_checks.id`

const REPAIRED = 'UPDATE content_checks SET problem = NULL WHERE id = ? AND problem IS NOT NULL'

/** Stores the results of content checks. */
export class CheckStore {
  readonly #database: Database
  readonly #clock: () => Date

  constructor(database: Database, clock: () => Date) {
    this.#database = database
    this.#clock = clock
  }

  /** Returns the CRC32 of a file's intact bytes. Undefined if it is not known. */
  async checksum({ id, md5 }: Verdict['file']): Promise<number | undefined> {
    const [row] = await this.#database.ask<{ crc32: number }>(CHECKSUM, [id, md5])
    return row?.crc32
  }

  /** Returns the SHA-256 in hex of the files' intact bytes, keyed by id. Files without one are left out. */
  async digests(files: readonly Verdict['file'][]): Promise<ReadonlyMap<string, string>> {
    const md5s = new Map(files.map(({ id, md5 }) => [id, md5]))
    const ask = (sql: string, ids: Parameters) => this.#database.ask<DigestRow>(sql, ids)
    const rows = await rowsByKeys(ask, DIGESTS, [...md5s.keys()])
    return new Map(
      rows.flatMap(({ id, md5, sha256 }) => (md5s.get(id) === md5 ? [[id, sha256] as const] : [])),
    )
  }

  /** Returns up to `limit` ids of files with this SHA-256 (lower-case hex). */
  async filesOfDigest(sha256: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.ask<{ readonly id: string }>(OF_DIGEST, [sha256, limit])
    return rows.map(({ id }) => id)
  }

  /** Returns whether the last check of a file found damage. */
  async isDamaged({ id, md5 }: Verdict['file']): Promise<boolean> {
    return (await this.#database.ask(PROBLEM, [id, md5])).length > 0
  }

  /** Returns the files that are currently known to be damaged, in id order. */
  damaged(): Promise<readonly FoundDamage[]> {
    return this.#database.ask<FoundDamage>(DAMAGED)
  }

  /** Clears the damage of files whose bytes have been stored again with the right md5. */
  async repaired(ids: readonly string[]): Promise<void> {
    // Damaged files are read first, because hardly any file is damaged and most writes can be avoided.
    const damaged = new Set((await this.damaged()).map(({ id }) => id))
    const rows = ids.filter((id) => damaged.has(id)).map((id) => [id])
    if (rows.length === 0) return
    await this.#database.write((transaction) => transaction.runEach(REPAIRED, rows))
  }

  async record(verdicts: readonly Verdict[]): Promise<void> {
    if (verdicts.length === 0) return
    await this.#database.write((transaction) => transaction.runEach(RECORD, this.#rowsOf(verdicts)))
  }

  #rowsOf(verdicts: readonly Verdict[]): Parameters[] {
    const now = this.#clock().toISOString()
    return verdicts.map(({ file, checksum = null, sha256 = null, problem = null }) => [
      checksum,
      sha256,
      problem,
      now,
      file.id,
      file.md5,
    ])
  }
}

interface DigestRow {
  readonly id: string
  readonly md5: string
  readonly sha256: string
}
