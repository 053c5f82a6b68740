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

/**
 * Result of a probe of the server:
 *
 * - `answers`: the server accepted a connection and answered a query.
 * - `refuses`: the server answered with an error, such as too many connections, or this process cannot open a
 *   connection. Existing connections may still work.
 * - `away`: the connection failed, or the server is starting or stopping. Existing connections are useless.
 * - `silent`: there was no response in time.
 */
type ProbeResult = 'answers' | 'refuses' | 'away' | 'silent'

/**
 * Distinguishes a hanging server from a slow statement. If a statement is not answered for a while, the server
 * is probed over a separate connection. If it is away or silent, all waiting statements fail. While the server
 * is silent, new statements are rejected at once. While it is away, they are sent and fail by themselves.
 */
export class ServerWatch {
  readonly #settings: pg.ClientConfig
  readonly #times: DatabaseTimes
  readonly #closed = new AbortController()
  #probing: Promise<ProbeResult> | undefined
  #isSilent = false
  #isFull = false

  constructor(settings: pg.ClientConfig, times: DatabaseTimes) {
    this.#settings = settings
    this.#times = times
  }

  /**
   * Runs an operation that waits for the server.
   * @param giveUp makes the operation fail; called if a probe finds the server away or silent
   * @throws EngineError `unavailable` at once while the server is silent; the error of `act`
   */
  async during<Result>(act: () => Promise<Result>, giveUp: () => unknown): Promise<Result> {
    this.#rejectIfSilent()
    let isOver = false
    const timer = setTimeout(async () => {
      const result = await this.#probe()
      const isThere = result === 'answers' || result === 'refuses'
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
    if ((await this.#probe()) !== 'answers') return 'away'
    return this.#isFull ? 'full' : 'available'
  }

  close(): void {
    this.#closed.abort()
  }

  #rejectIfSilent(): void {
    if (!this.#isSilent) return
    throw new EngineError('unavailable', 'the database does not answer; try again', {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  #probe(): Promise<ProbeResult> {
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  async #probeOnce(): Promise<ProbeResult> {
    const trying = this.#connectAndQuery()
    const result = await Promise.race([trying, silentAfter(this.#times.answer, trying)])
    const wasSilent = this.#isSilent
    this.#isSilent = result === 'silent'
    if (this.#isSilent && !wasSilent) void this.#probeUntilAnswered()
    return result
  }

  /** Probes a silent server until it answers. No statements are sent meanwhile, so they cannot show it. */
  async #probeUntilAnswered(): Promise<void> {
    const pause = { signal: this.#closed.signal, ref: false }
    try {
      while (this.#isSilent) {
        await sleep(this.#times.doubt / 2, undefined, pause)
        await this.#probe()
      }
    } catch {
      // The sleep was aborted because the database was closed.
    }
  }

  async #connectAndQuery(): Promise<ProbeResult> {
    const { answer } = this.#times
    // Callers stop waiting after `answer`. The longer limits here close the connection of an abandoned probe.
    const limits = { connectionTimeoutMillis: 2 * answer, query_timeout: 2 * answer }
    const client = new pg.Client({ ...this.#settings, ...limits })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      return 'answers'
    } catch (error) {
      return resultOf(error)
    } finally {
      void client.end()
    }
  }
}

function resultOf(error: unknown): ProbeResult {
  if (error instanceof pg.DatabaseError) {
    // Codes 57P are for a server that is starting or stopping, so existing connections are useless.
    return error.code?.startsWith('57P') ? 'away' : 'refuses'
  }
  // If this process has no free file descriptor, the probe says nothing about the server.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EMFILE' || code === 'ENFILE' ? 'refuses' : 'away'
}

/** Number of steps in which silentAfter waits. */
const CHUNKS = 10

/**
 * Waits in steps until the time is over or `answer` has settled. If this process is suspended meanwhile, only
 * the current step expires, and a response that has arrived is processed during the next steps.
 */
async function silentAfter(milliseconds: number, answer: Promise<unknown>): Promise<'silent'> {
  const answered = new AbortController()
  answer.then(() => answered.abort())
  for (let chunk = 0; chunk < CHUNKS && !answered.signal.aborted; chunk++) {
    await sleep(milliseconds / CHUNKS, undefined, { signal: answered.signal }).catch(() => {})
  }
  return 'silent'
}
