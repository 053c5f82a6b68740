import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Availability } from '../../availability.ts'
import { EngineError } from '../../errors.ts'
import { isFullDisk, RETRY_SECONDS } from './errors.ts'

/** How long a server is trusted without an answer. */
export interface DatabaseTimes {
  /** Milliseconds until a statement without an answer makes it doubtful whether the server is there. */
  readonly doubt: number
  /** Milliseconds in which a server that is there lets a client in and answers `SELECT 1`. */
  readonly answer: number
}

export const DATABASE_TIMES: DatabaseTimes = Object.freeze({ doubt: 5000, answer: 5000 })

/** What a server did when it was asked for nothing but an answer. */
type Sign = 'answers' | 'refuses' | 'away' | 'silent'

/**
 * Distinguishes a server that hangs from a statement that takes long. A statement which is not answered for a
 * while has the server asked for a sign of life, by a connection of its own; without one, everything
 * that waits fails, and what comes later is refused at once until the server answers again.
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
   * Does what waits for the server's answer.
   * @param giveUp makes it fail, when the server gives no sign of life
   * @throws EngineError `unavailable` at once while the server is silent; what `act` throws
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

  /** A write was kept. */
  cached(): void {
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

  /** Asks again and again until there is an answer: nobody else does. */
  async #listen(): Promise<void> {
    const pause = { signal: this.#closed.signal, ref: false }
    try {
      while (this.#isSilent) {
        await sleep(this.#times.doubt / 2, undefined, pause)
        await this.#sign()
      }
    } catch {
      // The database was closed.
    }
  }

  async #knock(): Promise<Sign> {
    const { answer } = this.#times
    // Limits of its own, so that no connection is left behind that nobody waits for.
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
    // Being stopped or started: connections from before are of no use.
    return error.code?.startsWith('57P') ? 'away' : 'refuses'
  }
  // It is this process that can open no more connections, which says nothing of the server.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EMFILE' || code === 'ENFILE' ? 'refuses' : 'away'
}

/** Chunks of a wait. */
const CHUNKS = 10

/**
 * Waits in chunks: when this process stood still, only one of them is over, and an answer that came
 * meanwhile is heard before the next.
 */
async function silenceAfter(milliseconds: number, answer: Promise<unknown>): Promise<'silent'> {
  const heard = new AbortController()
  answer.then(() => heard.abort())
  for (let chunk = 0; chunk < CHUNKS && !heard.signal.aborted; chunk++) {
    await sleep(milliseconds / CHUNKS, undefined, { signal: heard.signal }).catch(() => {})
  }
  return 'silent'
}
