import { mkdir, statfs } from 'node:fs/promises'
import { EngineError } from './errors.ts'

/** Retry-After in seconds for a full disk. */
const RETRY_AFTER_SECONDS = 30
/** Interval in which the disk is checked during a long write. */
const WATCH_MILLISECONDS = 200
/** Matches messages for a full disk: error codes of the system, and texts of SQLite, DuckDB and this module. */
const FULL = /ENOSPC|EDQUOT|no space left on device|disk is full|fit on (its|the) disk/i

/** State of the disk of a data folder. Sizes are in bytes. */
export interface DiskState {
  readonly freeBytes: number
  /** Space that uploads, submissions and imports must leave free. */
  readonly reserveBytes: number
  /** Whether uploads, submissions and imports are accepted now. */
  readonly hasSpace: boolean
}

/** Free space on the disk of a folder, with a reserve to keep free. */
export class DiskSpace {
  readonly #folder: string
  /** Number of bytes to keep free. */
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
   * Checks that a write leaves the reserve free.
   * @param bytes size of the write
   * @throws EngineError `unavailable` if it does not
   */
  async require(bytes: number): Promise<void> {
    const { freeBytes, reserveBytes } = await this.state()
    if (freeBytes - bytes >= reserveBytes) return
    const message = `${bytes} bytes do not fit on the disk of the service: ${freeBytes} are free and ${reserveBytes} are kept free; make room, or lower the reserve, and try again`
    throw new EngineError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  /**
   * Runs a write of unknown size. Its signal aborts when the reserve is reached.
   * @throws EngineError `unavailable` in that case, and if the disk is full; the reason of the given signal
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

/** Returns the number of bytes available to this user. Infinity if the file system does not report it. */
async function freeBytesOf(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  const { bavail, bsize, blocks } = await statfs(folder)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

/** Returns whether an error means a full disk or an exceeded quota, also if it comes from a worker thread. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error === 'string') return FULL.test(error)
  if (!(error instanceof Error)) return false
  return FULL.test(error.message) || isDiskFull(error.cause)
}

/**
 * Creates the error for a full disk.
 * @param subject name of what was to be written
 */
export function diskFull(subject: string, cause: unknown): EngineError {
  const message = `${subject} does not fit: its disk is full; make room and try again`
  const retryAfterSeconds = RETRY_AFTER_SECONDS
  return new EngineError('unavailable', message, { cause, retryAfterSeconds })
}
