import type { Database } from '../database/database.ts'
import { EngineError } from '../errors.ts'
import { nearestOf } from '../input/near-name.ts'

/** Severity of a notification (data-commons-service.md 2.5). */
export const LEVELS = ['INFO', 'WARNING', 'ERROR', 'DEBUG'] as const
export type Level = (typeof LEVELS)[number]

/** Part of the service that a notification concerns (data-commons-service.md 2.5, data-commons.md 4.2). */
export const COMPONENTS = [
  'PORTAL',
  'SUBMISSION',
  'DOCUMENTATION',
  'WEBSITE',
  'SUBMISSION_API',
  'LEGACY_API',
  'PORTAL_V2',
  'API',
  'LOGIN',
] as const
export type Component = (typeof COMPONENTS)[number]

/** A notice to the users of the service. Times are ISO 8601 in UTC. */
export interface Notification {
  readonly id: number
  readonly level: Level
  readonly components: readonly Component[]
  readonly message: string
  /** Whether a reader can dismiss the notification. */
  readonly dismissible: boolean
  readonly startDate: string
  readonly endDate: string | null
}

export interface AddNotification {
  /** Level in any letter case. */
  readonly level: string
  readonly components: readonly string[]
  readonly message: string
  /** Last day (`YYYY-MM-DD`, in UTC, inclusive), or an ISO 8601 time. If undefined, the notification does not end. */
  readonly until?: string
  /** Whether a reader can dismiss the notification. By default true. */
  readonly dismissible?: boolean
}

const MESSAGE = /^[^\p{Cc}\p{Cs}]{1,2000}$/u
const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/
const DAY_MS = 86_400_000

interface NotificationRow {
  readonly id: number
  readonly level: Level
  readonly components: string
  readonly message: string
  readonly dismissible: number
  readonly start_date: string
  readonly end_date: string | null
}

const SELECT =
  'SELECT id, level, components, message, dismissible, start_date, end_date FROM notifications'

/** Notices to users of the service. Every call reads the database, so that others' changes show at once. */
export class NotificationStore {
  readonly #database: Database
  readonly #clock: () => Date

  /** @param clock returns the current time */
  constructor(database: Database, clock: () => Date) {
    this.#database = database
    this.#clock = clock
  }

  /**
   * Adds a notification, which is shown from now on. Ids are never reused, even after removal, because clients
   * remember which ids their users have dismissed.
   * @throws EngineError `bad_input` for an unknown level or component, an unusable message, or an invalid end
   */
  async add(options: AddNotification): Promise<Notification> {
    const { message, until, dismissible = true } = options
    const level = oneOf(LEVELS, options.level, 'level')
    const components = componentsOf(options.components)
    if (!MESSAGE.test(message) || message.trim() === '') {
      const problem = 'the message is not usable; use one line of 1 to 2000 characters'
      throw new EngineError('bad_input', problem, { at: 'message' })
    }
    const now = this.#clock()
    const endDate = until === undefined ? null : endOf(until, now)
    const startDate = now.toISOString()
    const sql = `INSERT INTO notifications
        (level, components, message, dismissible, start_date, end_date)
      VALUES (?, ?, ?, ?, ?, ?) RETURNING id`
    const values = [level, components.join(' '), message, Number(dismissible), startDate, endDate]
    const row = await this.#database.write((transaction) =>
      transaction.get<{ id: number }>(sql, values),
    )
    if (!row) throw new Error('a notification got no id')
    return Object.freeze({
      id: row.id,
      level,
      components,
      message,
      dismissible,
      startDate,
      endDate,
    })
  }

  /** Returns all notifications, oldest first, including expired ones. */
  async list(): Promise<Notification[]> {
    const sql = `${SELECT} ORDER BY id`
    const found = await this.#database.ask<NotificationRow>(sql)
    return found.map(notificationOf)
  }

  /** Returns the notifications that are shown now, oldest first. */
  async active(): Promise<Notification[]> {
    // ISO 8601 texts of the same form sort in the order of the times that they denote.
    const sql = `${SELECT} WHERE end_date IS NULL OR end_date > ? ORDER BY id`
    const now = this.#clock().toISOString()
    const found = await this.#database.ask<NotificationRow>(sql, [now])
    return found.map(notificationOf)
  }

  /**
   * Removes a notification.
   * @throws EngineError `not_found` if there is none with this id
   */
  async remove(id: number): Promise<void> {
    if (Number.isSafeInteger(id) && (await this.#remove(id)) > 0) return
    throw new EngineError(
      'not_found',
      `no notification has the id ${id}; the ids are those that list gives`,
    )
  }

  async #remove(id: number): Promise<number> {
    const sql = 'DELETE FROM notifications WHERE id = ?'
    const { changes } = await this.#database.write((transaction) => transaction.run(sql, [id]))
    return changes
  }
}

function notificationOf(row: NotificationRow): Notification {
  return Object.freeze({
    id: row.id,
    level: row.level,
    components: row.components.split(' ') as Component[],
    message: row.message,
    dismissible: row.dismissible === 1,
    startDate: row.start_date,
    endDate: row.end_date,
  })
}

function componentsOf(given: readonly string[]): readonly Component[] {
  const components = new Set(given.map((text, i) => oneOf(COMPONENTS, text, `components[${i}]`)))
  if (components.size > 0) return [...components]
  const problem = `a notification needs a component; use one or more of ${COMPONENTS.join(', ')}`
  throw new EngineError('bad_input', problem, { at: 'components' })
}

function oneOf<Word extends string>(words: readonly Word[], given: string, at: string): Word {
  const found = words.find((word) => word === given.toUpperCase())
  if (found) return found
  throw new EngineError(
    'bad_input',
    `${at} ${JSON.stringify(given)} is unknown; use one of ${words.join(', ')}${nearestOf(given, words)}`,
    { at },
  )
}

function endOf(until: string, now: Date): string {
  const isDate = DATE.test(until)
  const time = isDate || TIME.test(until) ? Date.parse(until) : Number.NaN
  // Date.parse turns 30 February into 2 March.
  const day = until.slice(0, 10)
  const isReal = new Date(Date.parse(day) || 0).toISOString().startsWith(day)
  const end = time + (isDate ? DAY_MS : 0)
  if (isReal && end > now.getTime()) return new Date(end).toISOString()
  const problem = end <= now.getTime() ? 'is over already' : 'is no date'
  throw new EngineError(
    'bad_input',
    `the end ${JSON.stringify(until)} ${problem}; use YYYY-MM-DD or a time such as 2030-01-31T18:00Z to come`,
    { at: 'until' },
  )
}
