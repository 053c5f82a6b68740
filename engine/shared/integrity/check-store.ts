import type { StoredFile } from '../catalogue/files.ts'
import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import type { Parameters } from '../database/values.ts'

/** What a look at all bytes of a file has shown. */
export interface Verdict {
  readonly file: Pick<StoredFile, 'id' | 'md5'>
  /** CRC32 of bytes with the right md5; `undefined` where it was not taken. */
  readonly checksum?: number | undefined
  /** SHA-256 of bytes with the right md5, in hex; `undefined` where it was not taken. */
  readonly sha256?: string | undefined
  /** What is wrong with the bytes; `undefined` when nothing is. */
  readonly problem?: string | undefined
}

export interface FoundDamage {
  readonly id: string
  readonly problem: string
  readonly checkedAt: string
}

// A file that was removed or replaced meanwhile has no such row any more, and gets none here. The
// checksum is of the bytes that should be there: it outlasts damage.
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

/** What is remembered of looks at the bytes of stored files. */
export class CheckStore {
  readonly #database: Database
  readonly #clock: () => Date

  constructor(database: Database, clock: () => Date) {
    this.#database = database
    this.#clock = clock
  }

  /** CRC32 of the bytes that a file should have, where it is known. */
  async checksum({ id, md5 }: Verdict['file']): Promise<number | undefined> {
    const [row] = await this.#database.ask<{ crc32: number }>(CHECKSUM, [id, md5])
    return row?.crc32
  }

  /** SHA-256 in hex of the bytes that files should have, by id, where it is known. */
  async digests(files: readonly Verdict['file'][]): Promise<ReadonlyMap<string, string>> {
    const md5s = new Map(files.map(({ id, md5 }) => [id, md5]))
    const ask = (sql: string, ids: Parameters) => this.#database.ask<DigestRow>(sql, ids)
    const rows = await rowsByKeys(ask, DIGESTS, [...md5s.keys()])
    return new Map(
      rows.flatMap(({ id, md5, sha256 }) => (md5s.get(id) === md5 ? [[id, sha256] as const] : [])),
    )
  }

  /** Ids of files whose bytes should have a SHA-256, which is in lower-case hex; some of many. */
  async filesOfDigest(sha256: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.ask<{ readonly id: string }>(OF_DIGEST, [sha256, limit])
    return rows.map(({ id }) => id)
  }

  /** Whether the bytes of a file were found damaged and not found sound since. */
  async isDamaged({ id, md5 }: Verdict['file']): Promise<boolean> {
    return (await this.#database.ask(PROBLEM, [id, md5])).length > 0
  }

  /** Files whose bytes were found damaged and not found sound since, by id. */
  damaged(): Promise<readonly FoundDamage[]> {
    return this.#database.ask<FoundDamage>(DAMAGED)
  }

  /** Forgets damage of files whose bytes were stored anew, having had the right md5. */
  async repaired(ids: readonly string[]): Promise<void> {
    // Reading costs less than writing, and there is hardly ever one.
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
      ...[checksum, sha256, problem, now, file.id, file.md5],
    ])
  }
}

interface DigestRow {
  readonly id: string
  readonly md5: string
  readonly sha256: string
}
