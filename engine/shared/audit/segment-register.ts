import type { Database } from '../database/database.ts'
import type { SegmentMark } from './record-line.ts'

/** A segment as the database knows it. */
export interface RegisteredSegment extends SegmentMark {
  readonly node: string
  readonly openedAt: string
  readonly closedAt: string | null
  readonly sweptAt: string | null
}

interface Row {
  readonly node: string
  readonly segment: string
  readonly opened_at: string
  readonly lines: number
  readonly sha256: string
  readonly closed_at: string | null
  readonly swept_at: string | null
}

/** The segments of all nodes in the state database, apart from their files. */
export class SegmentRegister {
  readonly #database: Database
  readonly #clock: () => Date

  /** @param clock returns the current time */
  constructor(database: Database, clock: () => Date) {
    this.#database = database
    this.#clock = clock
  }

  /** Registers a segment before its first line. Does nothing if it is registered. */
  async open(node: string, { segment, lines, sha256 }: SegmentMark): Promise<void> {
    const sql = `INSERT INTO audit_segments (node, segment, opened_at, lines, sha256)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT (node, segment) DO NOTHING`
    const row = [node, segment, this.#clock().toISOString(), lines, sha256]
    await this.#database.write((transaction) => transaction.run(sql, row))
  }

  /**
   * Notes how far a segment is durable.
   * @param isClosed whether no line will follow
   */
  async mark(node: string, { segment, lines, sha256 }: SegmentMark, isClosed: boolean) {
    const sql = `UPDATE audit_segments SET lines = ?, sha256 = ?, closed_at = ?
      WHERE node = ? AND segment = ? AND lines <= ? AND swept_at IS NULL`
    const closedAt = isClosed ? this.#clock().toISOString() : null
    const row = [lines, sha256, closedAt, node, segment, lines]
    await this.#database.write((transaction) => transaction.run(sql, row))
  }

  /** Notes that the files of segments are deleted because they are old, and how they ended. */
  async sweep(node: string, segments: readonly SegmentMark[]): Promise<void> {
    const sql = `UPDATE audit_segments SET lines = ?, sha256 = ?, swept_at = ?
      WHERE node = ? AND segment = ?`
    const now = this.#clock().toISOString()
    await this.#database.write((transaction) =>
      transaction.runEach(
        sql,
        segments.map(({ segment, lines, sha256 }) => [lines, sha256, now, node, segment]),
      ),
    )
  }

  /** Returns the segment of a node that was opened last, if any. */
  async last(node: string): Promise<SegmentMark | undefined> {
    const sql = `SELECT segment, lines, sha256 FROM audit_segments
      WHERE node = ? AND lines > 0 ORDER BY opened_at DESC, segment DESC LIMIT 1`
    return (await this.#database.ask<SegmentMark>(sql, [node]))[0]
  }

  /** Returns the nodes whose records have lines that were not deleted. */
  async nodes(): Promise<readonly string[]> {
    const sql = `SELECT DISTINCT node FROM audit_segments
      WHERE lines > 0 AND swept_at IS NULL ORDER BY node`
    const rows = await this.#database.ask<{ readonly node: string }>(sql)
    return rows.map(({ node }) => node)
  }

  /** Returns all segments of all nodes, by node and name. */
  async all(): Promise<readonly RegisteredSegment[]> {
    const sql = `SELECT node, segment, opened_at, lines, sha256, closed_at, swept_at
      FROM audit_segments ORDER BY node, segment`
    const rows = await this.#database.ask<Row>(sql)
    return rows.map(({ opened_at, closed_at, swept_at, ...row }) => ({
      ...row,
      openedAt: opened_at,
      closedAt: closed_at,
      sweptAt: swept_at,
    }))
  }
}
