import { mkdir, statfs } from 'node:fs/promises'
import { EngineError } from './errors.ts'

/** After which a client may try again what a full disk refused. */
const RETRY_AFTER_SECONDS = 30
/** How often something that writes for long looks at the disk. */
const WATCH_MILLISECONDS = 200
/** Names of the system's errors, and the words of SQLite, DuckDB and this file for them. */
const FULL = /ENOSPC|EDQUOT|no space left on device|disk is full|fit on (its|the) disk/i

/** What is known of the disk of a data folder. Sizes are in bytes. */
export interface DiskState {
  readonly freeBytes: number
  /** What uploads, submissions and imports leave free. */
  readonly reserveBytes: number
  /** Whether these are taken now. */
  readonly hasSpace: boolean
}

/** The free space on the disk of a folder, and how much of it stays free. */
export class DiskSpace {
  readonly #folder: string
  /** What stays free. */
  readonly reserveBytes: number

  constructor(folder: string, reserveBytes = 0) {
    this.#folder = folder
    this.reserveBytes = reserveBytes
  }

  async state(): Promise<DiskState> {
    const freeBytes = await freeBytesOf(this.#folder)
    const { reserveBytes } = this
    return { freeBytes, reserveBytes, hasSpace: freeBytes > reserveBytes }
  }

  /**
   * Lets pass what leaves the reserve free.
   * @param bytes that are about to be written
   * @throws EngineError `unavailable`
   */
  async require(bytes: number): Promise<void> {
    const { freeBytes, reserveBytes } = await this.state()
    if (freeBytes - bytes >= reserveBytes) return
    const message = `${bytes} bytes do not fit on the disk of the service: ${freeBytes} are free and ${reserveBytes} are kept free; make room, or lower the reserve, and try again`
    throw new EngineError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  /**
   * Runs what writes an amount that is not known beforehand; its signal aborts when it has taken of
   * the reserve.
   * @throws EngineError `unavailable` then, and when the disk is full; the reason of the given signal
   */
  async guard<Result>(
    given: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    await this.require(0)
    const low = new AbortController()
    const look = () => this.require(0).catch((error) => low.abort(error))
    const timer = setInterval(look, WATCH_MILLISECONDS)
    try {
      return await run(given ? AbortSignal.any([given, low.signal]) : low.signal)
    } catch (error) {
      if (low.signal.aborted) throw low.signal.reason
      throw isDiskFull(error) ? diskFull('what was to be written', error) : error
    } finally {
      clearInterval(timer)
    }
  }
}

/** What this user may still write; no end where the system does not say how much there is. */
async function freeBytesOf(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  const { bavail, bsize, blocks } = await statfs(folder)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

/** Whether something failed because the disk, or a quota, is full; also when a thread reported it. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error === 'string') return FULL.test(error)
  if (!(error instanceof Error)) return false
  return FULL.test(error.message) || isDiskFull(error.cause)
}

/** @param subject what was to be written */
export function diskFull(subject: string, cause: unknown): EngineError {
  const message = `${subject} does not fit: its disk is full; make room and try again`
  const retryAfterSeconds = RETRY_AFTER_SECONDS
  return new EngineError('unavailable', message, { cause, retryAfterSeconds })
}
