import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Availability } from '../../availability.ts'
import { EngineError } from '../../errors.ts'
import { isFullDisk, RETRY_SECONDS } from './errors.ts'

/** Time limits for detecting a server that does not answer. */
export interface DatabaseTimes {
  /** Milliseconds without an answer to a statement, after which the server is probed. */
  readonly doubt: number
  /** Milliseconds in which a healthy server accepts a connection and answers `SELECT 1`. */
  readonly answer: number
}

export const DATABASE_TIMES: DatabaseTimes = Object.freeze({ doubt: 5000, answer: 5000 })

/** Result of a probe of the server. */
type Sign = 'answers' | 'refuses' | 'away' | 'silent'

/**
 * Distinguishes a hanging server from a slow statement. If a statement is not answered for a while, the
 * server is probed over a separate connection. If the probe fails too, all waiting statements fail, and new
 * ones are rejected at once until the server answers again.
 */
export class ServerWatch {
  readonly #settings: pg.ClientConfig
  readonly #times: DatabaseTimes
  readonly #closed = new AbortController()
  #asking: Promise<Sign> | undefined
  #isSilent = false
  #isFull = false

  constructor(settings: pg.ClientConfig, times: DatabaseTimes) {
    this.#settings = settings
    this.#times = times
  }

  /**
   * Runs an operation that waits for the server.
   * @param giveUp makes the operation fail; called if the server does not answer a probe
   * @throws EngineError `unavailable` at once while the server is silent; the error of `act`
   */
  async during<Result>(act: () => Promise<Result>, giveUp: () => unknown): Promise<Result> {
    this.#requireVoice()
    let isOver = false
    const timer = setTimeout(async () => {
      const isThere = /answers|refuses/.test(await this.#sign())
      if (isOver) return
      if (isThere) timer.refresh()
      else giveUp()
    }, this.#times.doubt)
    try {
      return await act()
    } catch (error) {
      this.#isFull ||= isFullDisk(error)
      throw error
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  /** Records a committed write, which proves that the server's disk is not full. */
  noteCommit(): void {
    this.#isFull = false
  }

  async availability(): Promise<Availability> {
    if ((await this.#sign()) !== 'answers') return 'away'
    return this.#isFull ? 'full' : 'available'
  }

  close(): void {
    this.#closed.abort()
  }

  #requireVoice(): void {
    if (!this.#isSilent) return
    throw new EngineError('unavailable', 'the database does not answer; try again', {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  #sign(): Promise<Sign> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<Sign> {
    const knocking = this.#knock()
    const sign = await Promise.race([knocking, silenceAfter(this.#times.answer, knocking)])
    const wasSilent = this.#isSilent
    this.#isSilent = sign === 'silent'
    if (this.#isSilent && !wasSilent) void this.#listen()
    return sign
  }

  /** Probes a silent server until it answers. No statement would do so, because they are rejected. */
  async #listen(): Promise<void> {
    const pause = { signal: this.#closed.signal, ref: false }
    try {
      while (this.#isSilent) {
        await sleep(this.#times.doubt / 2, undefined, pause)
        await this.#sign()
      }
    } catch {
      // The sleep was aborted because the database was closed.
    }
  }

  async #knock(): Promise<Sign> {
    const { answer } = this.#times
    // These limits close the connection after nobody waits for it any more.
    const limits = { connectionTimeoutMillis: 2 * answer, query_timeout: 2 * answer }
    const client = new pg.Client({ ...this.#settings, ...limits })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      return 'answers'
    } catch (error) {
      return signOf(error)
    } finally {
      void client.end()
    }
  }
}

function signOf(error: unknown): Sign {
  if (error instanceof pg.DatabaseError) {
    // The server is starting or stopping, so existing connections are useless.
    return error.code?.startsWith('57P') ? 'away' : 'refuses'
  }
  // This process has no free file descriptors, which says nothing about the server.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EMFILE' || code === 'ENFILE' ? 'refuses' : 'away'
}

/** Number of steps in which silenceAfter waits. */
const CHUNKS = 10

/**
 * Waits in steps. If this process was suspended, only one step has expired, so an answer that arrived
 * meanwhile is processed before the wait ends.
 */
async function silenceAfter(milliseconds: number, answer: Promise<unknown>): Promise<'silent'> {
  const heard = new AbortController()
  answer.then(() => heard.abort())
  for (let chunk = 0; chunk < CHUNKS && !heard.signal.aborted; chunk++) {
    await sleep(milliseconds / CHUNKS, undefined, { signal: heard.signal }).catch(() => {})
  }
  return 'silent'
}
