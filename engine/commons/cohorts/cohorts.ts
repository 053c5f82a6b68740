import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { writeJson } from '../../shared/concurrency/write-json.ts'
import { ConstraintError, type Database, type Transaction } from '../../shared/database/database.ts'
import type { Parameters } from '../../shared/database/values.ts'
import { EngineError } from '../../shared/errors.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolver.ts'
import { readRecordFilter } from '../search/record-filter.ts'
import { fairBytes } from '../sets/fair-room.ts'
import { isSetId, namedSets } from '../sets/pin.ts'

/** Limits on saved cohorts: per context (which is one browser), per client address, in total, and per cohort. */
export const COHORT_LIMITS = Object.freeze({
  perContext: 500,
  perClient: 5000,
  /** Maximum size of the cohorts in a context in bytes. A list response contains all of them. */
  contextBytes: 8 << 20,
  clientBytes: 64 << 20,
  bytes: 2 ** 30,
  /** Bytes that each cohort counts besides its filters, as in the migration that created cohort_room. */
  rowBytes: 8 << 10,
  filterBytes: 4 << 20,
  nameLength: 255,
})

/** A saved cohort. */
export interface StoredCohort {
  readonly id: string
  readonly name: string
  /** JSON text of the filters as saved. */
  readonly filters: string
  readonly type: string
  /** Data release that was current when the cohort was saved. */
  readonly release: string
  readonly createdAt: string
  readonly modifiedAt: string
}

export interface GivenCohort {
  readonly name: unknown
  readonly filters: unknown
  readonly type?: unknown
}

/** The owner of cohorts. */
export interface CohortOwner {
  /** Secret that identifies a browser, from its cookie. Created by `newContext`. */
  readonly context: string
  /** Network address whose limits apply. */
  readonly client: string
}

interface CohortsContext {
  readonly database: Database
  readonly clock: () => Date
  /** Returns filters with references to sets replaced by the sets' current versions (see Sets.pin). */
  readonly pin: (filters: unknown) => Promise<unknown>
  /** Returns the name of the current data release. */
  readonly release: () => string
  readonly turns?: LoopTurns | undefined
}

interface Row {
  readonly id: string
  readonly name: string
  readonly filters: string
  readonly type: string
  readonly release: string
  readonly created_at: string
  readonly modified_at: string
}

const DAY = 86_400_000
/** Milliseconds after which a cohort that nobody reads is removed. Use is recorded at most once a day. */
const LIFETIME = 400 * DAY
/** Maximum number of expired cohorts to remove when a cohort is created. */
const SWEPT_AT_ONCE = 16
const SELECT = 'SELECT id, name, filters, type, release, created_at, modified_at FROM cohorts'
/** Maximum bytes of filters that one query of a list reads. A larger cohort is read by a query of its own. */
const READ_BYTES = 256 << 10
const CONTEXT = /^[0-9a-f]{32}$/
/** The portal recognises this message and offers to replace the other cohort. */
const NAME_TAKEN = 'Bad Request: Name must be unique (case-insensitive)'

/** Cohorts saved by the portal. Anyone with the id of a context can use its cohorts (docs/reference/sets.md). */
export class Cohorts {
  readonly #context: CohortsContext
  readonly #turns: LoopTurns
  readonly #resolver = createResolver(datasetOf('cases'))
  #sweptAt = 0

  constructor(context: CohortsContext) {
    this.#context = context
    this.#turns = context.turns ?? new LoopTurns()
  }

  /** Returns a new random context. */
  newContext(): string {
    return randomBytes(16).toString('hex')
  }

  /** Returns whether a text has the form of a context. */
  isContext(text: string): boolean {
    return CONTEXT.test(text)
  }

  /**
   * Yields all cohorts of a context by name: a few small ones or a single large one at a time. A cohort that is
   * renamed during the call may be missing.
   */
  async *list({ context }: Pick<CohortOwner, 'context'>): AsyncGenerator<readonly StoredCohort[]> {
    const owner = hashOf(context)
    const { database } = this.#context
    const sql = `SELECT name_key, octet_length(filters) AS bytes FROM cohorts
      WHERE context_sha256 = ? ORDER BY name_key`
    const places = await database.ask<Place>(sql, [owner])
    if (places.length > 0) await this.#touch(owner)
    const some = `${SELECT} WHERE context_sha256 = ? AND name_key BETWEEN ? AND ? ORDER BY name_key`
    for (const [first, last] of rangesOf(places)) {
      await this.#turns.pause()
      yield (await database.ask<Row>(some, [owner, first, last])).map(cohortOf)
    }
  }

  /**
   * Returns one cohort.
   * @throws EngineError not_found, also for a cohort of another context
   */
  async get({ context }: Pick<CohortOwner, 'context'>, id: string): Promise<StoredCohort> {
    await this.#turns.pause()
    const sql = `${SELECT} WHERE context_sha256 = ? AND id = ?`
    const [row] = await this.#context.database.ask<Row>(sql, [hashOf(context), id])
    if (row) return cohortOf(row)
    throw unknownCohort()
  }

  /**
   * Saves a cohort. Names are unique within a context, ignoring case.
   * @param replaces whether to remove a cohort with the same name first
   * @throws EngineError bad_input for an empty or existing name, or for filters, naming the place; too_large;
   * too_many; busy
   */
  async create(owner: CohortOwner, given: GivenCohort, replaces = false): Promise<StoredCohort> {
    await this.#sweep()
    const made = await this.#read(given)
    const context = hashOf(owner.context)
    const now = this.#context.clock().toISOString()
    const id = randomUUID()
    await this.#save(async (transaction) => {
      if (replaces) {
        await remove(transaction, 'context_sha256 = ? AND name_key = ?', [
          context,
          keyOf(made.name),
        ])
      }
      await requireRoom(transaction, { id, context, client: owner.client, filters: made.filters })
      await requireFree(transaction, context, made.name, id)
      const sql = `INSERT INTO cohorts (id, context_sha256, owner, name, name_key, filters, type, release,
        created_at, modified_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
      const { name, filters, type, release } = made
      const values = [id, context, owner.client, name, keyOf(name), filters, type, release]
      await transaction.run(sql, [...values, now, now, now])
      await addRoom(transaction, bytesOf(filters))
      await nameSets(transaction, id, made.sets)
    })
    return cohortOf({ id, ...made, created_at: now, modified_at: now })
  }

  /**
   * Replaces the name and filters of a cohort.
   * @throws EngineError as create; not_found
   */
  async replace(owner: CohortOwner, id: string, given: GivenCohort): Promise<StoredCohort> {
    const made = await this.#read(given)
    const context = hashOf(owner.context)
    const now = this.#context.clock().toISOString()
    let created = now
    await this.#save(async (transaction) => {
      const { filters: text } = made
      const former = await transaction.get<Former>(
        `SELECT created_at, octet_length(filters) AS bytes FROM cohorts
          WHERE context_sha256 = ? AND id = ?`,
        [context, id],
      )
      if (!former) throw unknownCohort()
      created = former.created_at
      await requireRoom(transaction, { id, context, client: owner.client, filters: text })
      await requireFree(transaction, context, made.name, id)
      const sql = `UPDATE cohorts SET name = ?, name_key = ?, filters = ?, type = ?, release = ?,
        modified_at = ?, used_at = ? WHERE context_sha256 = ? AND id = ?`
      const { name, filters, type, release } = made
      const values = [name, keyOf(name), filters, type, release, now, now, context, id]
      await transaction.run(sql, values)
      await addRoom(transaction, Buffer.byteLength(filters) - former.bytes)
      await transaction.run('DELETE FROM cohort_sets WHERE cohort_id = ?', [id])
      await nameSets(transaction, id, made.sets)
    })
    return cohortOf({ id, ...made, created_at: created, modified_at: now })
  }

  /** Runs a write transaction. If another request has just saved the same name, the database rejects the write. */
  async #save(write: (transaction: Transaction) => Promise<void>): Promise<void> {
    try {
      await this.#context.database.write(write)
    } catch (error) {
      throw error instanceof ConstraintError ? nameTaken() : error
    }
  }

  /**
   * Removes a cohort.
   * @throws EngineError not_found if the context has no cohort with this id
   */
  async delete({ context }: Pick<CohortOwner, 'context'>, id: string): Promise<void> {
    const removed = await this.#context.database.write((transaction) =>
      remove(transaction, 'context_sha256 = ? AND id = ?', [hashOf(context), id]),
    )
    if (removed === 0) throw unknownCohort()
  }

  async #read({ name, filters, type = 'dynamic' }: GivenCohort) {
    const { release, pin } = this.#context
    const turns = this.#turns
    const read = nameOf(name)
    if (typeof type !== 'string' || type.length > 40) {
      throw new EngineError('bad_input', 'type must be a short text, such as dynamic', {
        at: 'type',
      })
    }
    const text = await writeJson(filters ?? {}, turns)
    if (text.length > COHORT_LIMITS.filterBytes) {
      const message = `filters have ${text.length} characters; the limit is ${COHORT_LIMITS.filterBytes}`
      throw new EngineError('too_large', message, { at: 'filters' })
    }
    await readRecordFilter('cases', { filters: await pin(filters) }, this.#resolver, { turns })
    const sets = await turns.run(namedSets(filters))
    return { name: read, filters: text, type, release: release(), sets }
  }

  async #touch(context: string): Promise<void> {
    const now = this.#context.clock().getTime()
    const before = new Date(now - DAY).toISOString()
    const stale = 'SELECT 1 AS one FROM cohorts WHERE context_sha256 = ? AND used_at < ? LIMIT 1'
    const { database } = this.#context
    if ((await database.ask(stale, [context, before])).length === 0) return
    const sql = 'UPDATE cohorts SET used_at = ? WHERE context_sha256 = ?'
    await database.write((transaction) =>
      transaction.run(sql, [new Date(now).toISOString(), context]),
    )
  }

  async #sweep(): Promise<void> {
    const now = this.#context.clock().getTime()
    if (now - this.#sweptAt < DAY) return
    const { database } = this.#context
    const before = new Date(now - LIFETIME).toISOString()
    const sql = 'SELECT id FROM cohorts WHERE used_at < ? ORDER BY used_at LIMIT ?'
    const old = await database.ask<Pick<Row, 'id'>>(sql, [before, SWEPT_AT_ONCE])
    // If there are more old cohorts, the next creation continues to remove them.
    if (old.length < SWEPT_AT_ONCE) this.#sweptAt = now
    // Each removal is a separate transaction, so that other writers can run in between.
    for (const { id } of old) {
      await database.write((transaction) =>
        remove(transaction, 'id = ? AND used_at < ?', [id, before]),
      )
    }
  }
}

interface Place {
  readonly name_key: string
  readonly bytes: number
}

type Former = Pick<Row, 'created_at'> & Pick<Place, 'bytes'>

/** Yields the first and last name of each range of cohorts that one query reads. */
function* rangesOf(places: readonly Place[]): Generator<readonly [string, string]> {
  let first: Place | undefined
  let last: Place | undefined
  let bytes = 0
  for (const place of places) {
    if (first && last && bytes + place.bytes > READ_BYTES) {
      yield [first.name_key, last.name_key]
      first = undefined
      bytes = 0
    }
    first ??= place
    last = place
    bytes += place.bytes
  }
  if (first && last) yield [first.name_key, last.name_key]
}

/** Returns the hash of a context. The database has only the hash, because the context is a secret. */
const hashOf = (context: string) => createHash('sha256').update(context).digest('hex')

const keyOf = (name: string) => name.toLowerCase()

function nameOf(given: unknown): string {
  const name = typeof given === 'string' ? given.trim() : ''
  if (name !== '' && name.length <= COHORT_LIMITS.nameLength) return name
  const message = `name must be a text of 1 to ${COHORT_LIMITS.nameLength} characters`
  throw new EngineError('bad_input', message, { at: 'name' })
}

async function requireFree(
  transaction: Transaction,
  context: string,
  name: string,
  id: string,
): Promise<void> {
  const sql = `SELECT 1 AS one FROM cohorts
    WHERE context_sha256 = ? AND name_key = ? AND id <> ?`
  if (await transaction.get(sql, [context, keyOf(name), id])) throw nameTaken()
}

/** A cohort about to be saved. */
interface Saved {
  readonly id: string
  readonly context: string
  readonly client: string
  readonly filters: string
}

/**
 * Checks the limits of COHORT_LIMITS.
 * @throws EngineError too_many for the context or the client; busy if cohorts of other clients leave too little
 * space
 */
async function requireRoom(transaction: Transaction, saved: Saved): Promise<void> {
  const { id, context, client, filters } = saved
  const { perContext, perClient, contextBytes, clientBytes } = COHORT_LIMITS
  const added = bytesOf(filters)
  const kept = async (where: string, values: Parameters) => {
    const sql = `SELECT count(*) AS cohorts, ${TAKEN} AS bytes FROM cohorts WHERE ${where}`
    return (await transaction.get<Kept>(sql, values)) ?? { cohorts: 0, bytes: 0 }
  }
  const room = await transaction.get<Pick<Kept, 'bytes'>>('SELECT bytes FROM cohort_room')
  const others = (room?.bytes ?? 0) - (await kept('owner = ?', [client])).bytes
  const fair = fairBytes(COHORT_LIMITS, others)
  for (const [who, { cohorts, bytes }, most, mostBytes] of [
    [
      'browser',
      await kept('context_sha256 = ? AND id <> ?', [context, id]),
      perContext,
      contextBytes,
    ],
    ['address', await kept('owner = ? AND id <> ?', [client, id]), perClient, fair],
  ] as const) {
    if (cohorts < most && bytes + added <= mostBytes) continue
    const message = `${cohorts} cohorts of this ${who} are kept, of at most ${most}, and they would take ${bytes + added} bytes of ${mostBytes}; delete some, or name sets in their filters`
    const isScarce = mostBytes === fair && fair < clientBytes && cohorts < most
    throw new EngineError(isScarce ? 'busy' : 'too_many', message)
  }
}

interface Kept {
  readonly cohorts: number
  readonly bytes: number
}

/** SQL expression for the number of bytes that cohorts count. */
const TAKEN = `CAST(coalesce(sum(octet_length(filters) + ${COHORT_LIMITS.rowBytes}), 0) AS BIGINT)`

const bytesOf = (filters: string) => COHORT_LIMITS.rowBytes + Buffer.byteLength(filters)

async function addRoom(transaction: Transaction, bytes: number): Promise<void> {
  await transaction.run('UPDATE cohort_room SET bytes = bytes + ?', [bytes])
}

/** Removes cohorts and returns their number. */
async function remove(
  transaction: Transaction,
  where: string,
  values: Parameters,
): Promise<number> {
  const sql = `SELECT count(*) AS cohorts, ${TAKEN} AS bytes FROM cohorts WHERE ${where}`
  const kept = await transaction.get<Kept>(sql, values)
  if (!kept || kept.cohorts === 0) return 0
  await transaction.run(`DELETE FROM cohorts WHERE ${where}`, values)
  await addRoom(transaction, -kept.bytes)
  return kept.cohorts
}

async function nameSets(transaction: Transaction, id: string, sets: ReadonlySet<string>) {
  const sql = 'INSERT INTO cohort_sets (cohort_id, set_id) VALUES (?, ?)'
  const rows = [...sets].filter(isSetId).map((set) => [id, set])
  if (rows.length > 0) await transaction.runEach(sql, rows)
}

function nameTaken(): EngineError {
  return new EngineError('bad_input', NAME_TAKEN)
}

function unknownCohort(): EngineError {
  const message = 'there is no cohort of that id for this browser; request the list again'
  return new EngineError('not_found', message)
}

function cohortOf(row: Row): StoredCohort {
  const { id, name, filters, type, release } = row
  const dates = { createdAt: row.created_at, modifiedAt: row.modified_at }
  return { id, name, filters, type, release, ...dates }
}
