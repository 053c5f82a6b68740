import type { Database, Dialect } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'

/**
 * A release, with the size and hash of its file list (contents.ts). The list is an object in the bucket, like the
 * files. It is not the release's `manifest.json`.
 */
export interface ListedRelease {
  readonly id: string
  readonly manifestSha256: string
  readonly manifestBytes: number
}

/** A release whose files are all in the bucket. */
export interface OfferedRelease extends ListedRelease {
  /** Total bytes of its files. */
  readonly bytes: number
  readonly dataRelease: string
  readonly offeredAt: string
}

/** The release that all nodes are to serve. */
export interface ReleasePointer {
  /** Number that increases with each switch. */
  readonly epoch: number
  readonly id: string | undefined
  /** Id of the previous release. */
  readonly beforeId: string | undefined
  /** Id of the release that a pending switch wants on all nodes. */
  readonly nextId: string | undefined
  /** Id of the most recently offered release. */
  readonly newestId: string | undefined
}

/** State that a node reports. */
export interface NodeState {
  readonly node: string
  readonly serves: string | undefined
  /** Ids of releases that the node has completely, so that it can switch to them immediately. */
  readonly ready: readonly string[]
  /** Why the node cannot prepare a release. */
  readonly problem: string | undefined
}

/** State of a node as other nodes see it. */
export interface SeenNode extends NodeState {
  readonly secondsAgo: number
}

/** State of the withdrawals. */
interface Withdrawals {
  /** Number of withdrawals so far. */
  readonly number: number
  /** Id of a release whose objects are being removed, or whose removal was interrupted. */
  readonly underWay: string | undefined
}

/** Seconds without a report after which a node counts as gone. */
const LIVE_SECONDS = 60

/** Current time by the database's clock, because the clocks of nodes may differ. */
const NOW: Readonly<Record<Dialect, string>> = {
  sqlite: 'unixepoch()',
  postgresql: 'CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)',
}

const POINTER = `
  SELECT epoch, id, before_id AS "beforeId", next_id AS "nextId",
    (SELECT id FROM offered_releases ORDER BY place DESC LIMIT 1) AS "newestId"
  FROM release_pointer`

const OFFERS = `
  SELECT id, manifest_sha256 AS "manifestSha256", manifest_bytes AS "manifestBytes", bytes,
    data_release AS "dataRelease", offered_at AS "offeredAt"
  FROM offered_releases`

const WITHDRAWALS = `
  SELECT coalesce(max(number), 0) AS number,
    min(CASE WHEN removed_at IS NULL THEN id END) AS "underWay"
  FROM withdrawn_releases`

const WITHDRAWN = `
  SELECT id, manifest_sha256 AS "manifestSha256", manifest_bytes AS "manifestBytes"
  FROM withdrawn_releases`

/**
 * Selects the file list that an id stands for. An id may be offered again after a withdrawal, but only with the
 * same list.
 */
const MEANT = `
  SELECT id, manifest_sha256 AS "manifestSha256", manifest_bytes AS "manifestBytes"
  FROM (
    SELECT id, manifest_sha256, manifest_bytes FROM offered_releases
    UNION SELECT id, manifest_sha256, manifest_bytes FROM withdrawn_releases
  ) AS meant WHERE id = ?`

interface NodeRow {
  readonly node: string
  readonly serves: string | null
  readonly ready: string
  readonly problem: string | null
  readonly secondsAgo: number
}

type Nulls<Row> = { readonly [Key in keyof Row]: Exclude<Row[Key], undefined> | null }

/** Queries on the tables of tables.ts. */
export class Offers {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the pointer to the current release. Nodes poll it every second, so it is a single small query. */
  async pointer(): Promise<ReleasePointer> {
    const [row] = await this.#database.ask<Nulls<ReleasePointer>>(POINTER)
    return {
      epoch: row?.epoch ?? 0,
      id: row?.id ?? undefined,
      beforeId: row?.beforeId ?? undefined,
      nextId: row?.nextId ?? undefined,
      newestId: row?.newestId ?? undefined,
    }
  }

  async find(id: string): Promise<OfferedRelease | undefined> {
    return (await this.#database.ask<OfferedRelease>(`${OFFERS} WHERE id = ?`, [id]))[0]
  }

  /** Lists all offers, oldest first. */
  list(): Promise<OfferedRelease[]> {
    return this.#database.ask<OfferedRelease>(`${OFFERS} ORDER BY place`)
  }

  /**
   * Offers a release to all nodes. Repeating the offer changes nothing.
   * @param number number of withdrawals at the time when the bucket was checked for the release's files
   * @returns false if a release has been withdrawn since, which may have removed some of these files
   * @throws EngineError already_exists if the id belongs to another release
   */
  offer(release: OfferedRelease, number: number): Promise<boolean> {
    const { id, manifestSha256, manifestBytes, bytes, dataRelease, offeredAt } = release
    return this.#database.write(async (transaction) => {
      requireSameManifest(await transaction.get<ListedRelease>(MEANT, [id]), release)
      if (await transaction.get(`${OFFERS} WHERE id = ?`, [id])) return true
      const since = await transaction.get<Nulls<Withdrawals>>(WITHDRAWALS)
      if (since?.number !== number || since.underWay !== null) return false
      await transaction.run(
        `INSERT INTO offered_releases (id, place, manifest_sha256, manifest_bytes, bytes, data_release, offered_at, state)
         SELECT ?, coalesce(max(place), 0) + 1, ?, ?, ?, ?, ?, 'offered' FROM offered_releases`,
        [id, manifestSha256, manifestBytes, bytes, dataRelease, offeredAt],
      )
      return true
    })
  }

  /**
   * Checks that the id of a release is free or stands for the same files.
   * @throws EngineError already_exists if the id is or was used for another release
   */
  async requireSameManifest(release: ListedRelease): Promise<void> {
    requireSameManifest((await this.#database.ask<ListedRelease>(MEANT, [release.id]))[0], release)
  }

  async withdrawals(): Promise<Withdrawals> {
    const [row] = await this.#database.ask<Nulls<Withdrawals>>(WITHDRAWALS)
    return { number: row?.number ?? 0, underWay: row?.underWay ?? undefined }
  }

  /**
   * Withdraws an offer. Afterwards, the caller removes the release's objects and calls `endWithdrawal`. If an
   * earlier withdrawal was interrupted, returns the release again.
   * @returns the release, or undefined if no release with that id is offered
   * @throws EngineError conflict if it is current or a node serves it
   */
  withdraw(id: string, withdrawnAt: string): Promise<ListedRelease | undefined> {
    return this.#database.write(async (transaction) => {
      const offer = await transaction.get<OfferedRelease>(`${OFFERS} WHERE id = ?`, [id])
      if (!offer) {
        const isLeft = `${WITHDRAWN} WHERE id = ? AND removed_at IS NULL`
        return transaction.get<ListedRelease>(isLeft, [id])
      }
      const current = await transaction.get(`${POINTER} WHERE id = ?`, [id])
      if (current) throw isCurrent(id)
      const serving = await transaction.all<{ readonly node: string }>(
        `SELECT node FROM release_nodes WHERE serves = ? AND ${this.#isLive} ORDER BY node`,
        [id],
      )
      if (serving.length > 0) throw isServed(id, serving)
      await transaction.run('UPDATE release_pointer SET before_id = NULL WHERE before_id = ?', [id])
      await transaction.run('UPDATE release_pointer SET next_id = NULL WHERE next_id = ?', [id])
      await transaction.run('DELETE FROM offered_releases WHERE id = ?', [id])
      // SQLite needs the WHERE, because it would read ON CONFLICT as the start of a join condition.
      await transaction.run(
        `INSERT INTO withdrawn_releases (id, number, manifest_sha256, manifest_bytes, withdrawn_at)
         SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ? FROM withdrawn_releases WHERE true
         ON CONFLICT (id) DO UPDATE SET number = excluded.number,
           withdrawn_at = excluded.withdrawn_at, removed_at = NULL`,
        [id, offer.manifestSha256, offer.manifestBytes, withdrawnAt],
      )
      return offer
    })
  }

  /** Records that the objects that only a withdrawn release had are gone from the bucket. */
  async endWithdrawal(id: string, removedAt: string): Promise<void> {
    await this.#database.write((transaction) =>
      transaction.run('UPDATE withdrawn_releases SET removed_at = ? WHERE id = ?', [removedAt, id]),
    )
  }

  /** Asks all nodes to prepare a release for a switch. Undefined asks for none. */
  async want(id: string | undefined): Promise<void> {
    await this.#database.write((transaction) =>
      transaction.run('UPDATE release_pointer SET next_id = ?', [id ?? null]),
    )
  }

  /**
   * Makes a release the current one of all nodes.
   * @param epoch epoch of the pointer that the decision was based on
   * @throws EngineError conflict if there has been another switch since, or the release was withdrawn
   */
  async moveTo(id: string, epoch: number): Promise<void> {
    const { changes } = await this.#database.write((transaction) =>
      transaction.run(
        `UPDATE release_pointer SET epoch = epoch + 1, before_id = id, id = ?, next_id = NULL
         WHERE epoch = ? AND EXISTS (SELECT 1 FROM offered_releases WHERE id = ?)`,
        [id, epoch, id],
      ),
    )
    if (changes > 0) return
    const message = `release "${id}" is not the current one: it was switched or withdrawn by another command in the meantime; see casemill release list`
    throw new EngineError('conflict', message)
  }

  /** Stores the report of a node about its state. */
  async say({ node, serves, ready, problem }: NodeState): Promise<void> {
    const now = NOW[this.#database.dialect]
    await this.#database.write((transaction) =>
      transaction.run(
        `INSERT INTO release_nodes (node, serves, ready, problem, seen_at) VALUES (?, ?, ?, ?, ${now})
         ON CONFLICT (node) DO UPDATE SET serves = excluded.serves, ready = excluded.ready,
           problem = excluded.problem, seen_at = excluded.seen_at`,
        [node, serves ?? null, JSON.stringify(ready), problem ?? null],
      ),
    )
  }

  /** Removes a node that is stopping, so that switches do not wait for it. */
  async leave(node: string): Promise<void> {
    await this.#database.write((transaction) =>
      transaction.run('DELETE FROM release_nodes WHERE node = ?', [node]),
    )
  }

  get #isLive(): string {
    return `seen_at > ${NOW[this.#database.dialect]} - ${LIVE_SECONDS}`
  }

  /** Lists nodes that reported recently. */
  async liveNodes(): Promise<SeenNode[]> {
    const now = NOW[this.#database.dialect]
    const rows = await this.#database.ask<NodeRow>(
      `SELECT node, serves, ready, problem, ${now} - seen_at AS "secondsAgo" FROM release_nodes
       WHERE ${this.#isLive} ORDER BY node`,
    )
    return rows.map(({ node, serves, ready, problem, secondsAgo }) => ({
      node,
      serves: serves ?? undefined,
      ready: JSON.parse(ready) as string[],
      problem: problem ?? undefined,
      secondsAgo,
    }))
  }
}

function requireSameManifest(
  before: ListedRelease | undefined,
  { id, manifestSha256 }: ListedRelease,
): void {
  if (!before || before.manifestSha256 === manifestSha256) return
  const message = `a release "${id}" with other files is or was offered; give this one another id`
  throw new EngineError('already_exists', message, { at: 'id' })
}

function isCurrent(id: string): EngineError {
  const message = `release "${id}" is the current one; switch to another one with casemill release switch, then withdraw it`
  return new EngineError('conflict', message, { at: 'id' })
}

function isServed(id: string, nodes: readonly { readonly node: string }[]): EngineError {
  const names = nodes.map(({ node }) => node).join(', ')
  const message = `release "${id}" is still served by ${names}; wait until casemill release list shows that they have switched, or stop them, then withdraw it`
  return new EngineError('conflict', message, { at: 'id' })
}
