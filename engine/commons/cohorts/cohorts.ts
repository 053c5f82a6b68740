import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { ConstraintError, type Database, type Transaction } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolver.ts'
import { readRecordFilter } from '../search/record-filter.ts'
import { fairBytes } from '../sets/fair-room.ts'
import { isSetId, namedSets } from '../sets/pin.ts'

/** Cohorts, and their bytes with `rowBytes` for each: of one context, of one client, of all; of one cohort. */
export const COHORT_LIMITS = Object.freeze({
  perContext: 500,
  perClient: 5000,
  /** All of a context are in one answer. */
  contextBytes: 8 << 20,
  clientBytes: 64 << 20,
  bytes: 2 ** 30,
  /** They bound the number of all cohorts, whose bytes are added up for each new one. */
  rowBytes: 8 << 10,
  filterBytes: 4 << 20,
  nameLength: 255,
})

/** A cohort as its client sees it. */
export interface StoredCohort {
  readonly id: string
  readonly name: string
  /** JSON text of what was given, whatever it names. */
  readonly filters: string
  readonly type: string
  /** Of the data release when it was saved. */
  readonly release: string
  readonly createdAt: string
  readonly modifiedAt: string
}

export interface GivenCohort {
  readonly name: unknown
  readonly filters: unknown
  readonly type?: unknown
}

/** Whose cohorts: what the browser's cookie says, and whose limits count. */
export interface CohortOwner {
  /** Made by `newContext`. */
  readonly context: string
  readonly client: string
}

interface CohortsContext {
  readonly database: Database
  readonly clock: () => Date
  /** Filters with the sets that they name (Sets.pin). */
  readonly pin: (filters: unknown) => Promise<unknown>
  /** Name of the data release that is served. */
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
/** Cohorts that nobody has asked for so long are removed; a use is written down once a day. */
const LIFETIME = 400 * DAY
const SELECT = 'SELECT id, name, filters, type, release, created_at, modified_at FROM cohorts'
const CONTEXT = /^[0-9a-f]{32}$/
/** By these words the portal asks whether the other cohort is to be replaced. */
const NAME_TAKEN = 'Bad Request: Name must be unique (case-insensitive)'

/** Cohorts that browsers keep here: each belongs to who bears its context (docs/reference/sets.md). */
export class Cohorts {
  readonly #context: CohortsContext
  readonly #resolver = createResolver(datasetOf('cases'))
  #sweptAt = 0

  constructor(context: CohortsContext) {
    this.#context = context
  }

  /** A context that nobody else knows. */
  newContext(): string {
    return randomBytes(16).toString('hex')
  }

  /** Whether a text can be a context. */
  isContext(text: string): boolean {
    return CONTEXT.test(text)
  }

  /** All of a context, by their names. */
  async list({ context }: Pick<CohortOwner, 'context'>): Promise<readonly StoredCohort[]> {
    const owner = hashOf(context)
    const sql = `${SELECT} WHERE context_sha256 = ? ORDER BY name_key`
    const rows = await this.#context.database.ask<Row>(sql, [owner])
    if (rows.length > 0) await this.#touch(owner)
    return rows.map(cohortOf)
  }

  /** @throws EngineError not_found, also for one of another context */
  async get({ context }: Pick<CohortOwner, 'context'>, id: string): Promise<StoredCohort> {
    const sql = `${SELECT} WHERE context_sha256 = ? AND id = ?`
    const [row] = await this.#context.database.ask<Row>(sql, [hashOf(context), id])
    if (row) return cohortOf(row)
    throw unknownCohort()
  }

  /**
   * Saves a cohort under a name that no other of the context has, in any case.
   * @param replaces removes another one of that name
   * @throws EngineError bad_input for a name that is taken or none, and naming the place in the filters;
   *   too_many
   */
  async create(owner: CohortOwner, given: GivenCohort, replaces = false): Promise<StoredCohort> {
    await this.#sweep()
    const made = await this.#read(given)
    const context = hashOf(owner.context)
    const now = this.#context.clock().toISOString()
    const id = randomUUID()
    await this.#save(async (transaction) => {
      if (replaces) {
        const sql = 'DELETE FROM cohorts WHERE context_sha256 = ? AND name_key = ?'
        await transaction.run(sql, [context, keyOf(made.name)])
      }
      await requireRoom(transaction, { id, context, client: owner.client, filters: made.filters })
      await requireFree(transaction, context, made.name, id)
      const sql = `INSERT INTO cohorts (id, context_sha256, owner, name, name_key, filters, type, release,
        created_at, modified_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
      const { name, filters, type, release } = made
      const values = [id, context, owner.client, name, keyOf(name), filters, type, release]
      await transaction.run(sql, [...values, now, now, now])
      await nameSets(transaction, id, made.sets)
    })
    return cohortOf({ id, ...made, created_at: now, modified_at: now })
  }

  /** @throws EngineError as create; not_found */
  async replace(owner: CohortOwner, id: string, given: GivenCohort): Promise<StoredCohort> {
    const made = await this.#read(given)
    const context = hashOf(owner.context)
    const now = this.#context.clock().toISOString()
    await this.#save(async (transaction) => {
      const { filters: text } = made
      await requireRoom(transaction, { id, context, client: owner.client, filters: text })
      await requireFree(transaction, context, made.name, id)
      const sql = `UPDATE cohorts SET name = ?, name_key = ?, filters = ?, type = ?, release = ?,
        modified_at = ?, used_at = ? WHERE context_sha256 = ? AND id = ?`
      const { name, filters, type, release } = made
      const values = [name, keyOf(name), filters, type, release, now, now, context, id]
      if ((await transaction.run(sql, values)).changes === 0) throw unknownCohort()
      await transaction.run('DELETE FROM cohort_sets WHERE cohort_id = ?', [id])
      await nameSets(transaction, id, made.sets)
    })
    return this.get(owner, id)
  }

  /** Writes a cohort. Of two of one name that are saved at the same time, the second is refused. */
  async #save(write: (transaction: Transaction) => Promise<void>): Promise<void> {
    try {
      await this.#context.database.write(write)
    } catch (error) {
      throw error instanceof ConstraintError ? nameTaken() : error
    }
  }

  /** @throws EngineError not_found */
  async delete({ context }: Pick<CohortOwner, 'context'>, id: string): Promise<void> {
    const sql = 'DELETE FROM cohorts WHERE context_sha256 = ? AND id = ?'
    const { changes } = await this.#context.database.write((transaction) =>
      transaction.run(sql, [hashOf(context), id]),
    )
    if (changes === 0) throw unknownCohort()
  }

  async #read({ name, filters, type = 'dynamic' }: GivenCohort) {
    const { release, pin, turns = new LoopTurns() } = this.#context
    const read = nameOf(name)
    if (typeof type !== 'string' || type.length > 40) {
      throw new EngineError('bad_input', 'type must be a short text, such as dynamic', {
        at: 'type',
      })
    }
    // To parse what was sent has taken as long.
    await turns.next()
    const text = JSON.stringify(filters ?? {})
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
    this.#sweptAt = now
    const before = new Date(now - LIFETIME).toISOString()
    await this.#context.database.write((transaction) =>
      transaction.run('DELETE FROM cohorts WHERE used_at < ?', [before]),
    )
  }
}

/** A context lets whoever has it in: the database holds its hash alone. */
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

/** A cohort that is to be saved. */
interface Saved {
  readonly id: string
  readonly context: string
  readonly client: string
  readonly filters: string
}

/** @throws EngineError too_many for the context or the client, busy where other clients leave little space */
async function requireRoom(transaction: Transaction, saved: Saved): Promise<void> {
  const { id, context, client, filters } = saved
  const { perContext, perClient, contextBytes, clientBytes, rowBytes } = COHORT_LIMITS
  const added = rowBytes + Buffer.byteLength(filters)
  const kept = async (where: string, value: string) => {
    const sql = `SELECT count(*) AS cohorts,
      CAST(coalesce(sum(octet_length(filters) + ${rowBytes}), 0) AS BIGINT) AS bytes
      FROM cohorts WHERE id <> ? AND ${where}`
    return (await transaction.get<Kept>(sql, [id, value])) ?? { cohorts: 0, bytes: 0 }
  }
  const fair = fairBytes(COHORT_LIMITS, (await kept('owner <> ?', client)).bytes)
  for (const [who, { cohorts, bytes }, most, mostBytes] of [
    ['browser', await kept('context_sha256 = ?', context), perContext, contextBytes],
    ['address', await kept('owner = ?', client), perClient, fair],
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

async function nameSets(transaction: Transaction, id: string, sets: ReadonlySet<string>) {
  const sql = 'INSERT INTO cohort_sets (cohort_id, set_id) VALUES (?, ?)'
  const rows = [...sets].filter(isSetId).map((set) => [id, set])
  if (rows.length > 0) await transaction.runEach(sql, rows)
}

function nameTaken(): EngineError {
  return new EngineError('bad_input', NAME_TAKEN)
}

function unknownCohort(): EngineError {
  const message = 'there is no cohort of that id for this browser; ask for the list again'
  return new EngineError('not_found', message)
}

function cohortOf(row: Row): StoredCohort {
  const { id, name, filters, type, release } = row
  const dates = { createdAt: row.created_at, modifiedAt: row.modified_at }
  return { id, name, filters, type, release, ...dates }
}
