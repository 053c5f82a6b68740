import { setTimeout as pause } from 'node:timers/promises'
import { Pace } from './pace.ts'
import { type PassContext, ScrubPass } from './scrub-pass.ts'
import type { ScrubState } from './scrub-store.ts'

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** Whether no other server uses the database. A pass in progress then belongs to this server. */
  readonly isAlone: boolean
  /** Interval between checks for a pass to run. Defaults to 5 minutes. */
  readonly lookMilliseconds?: number
}

/** Minimum time between the end of a pass and the start of the next. */
const PASS_INTERVAL_MILLISECONDS = 24 * 3600 * 1000
/** Must exceed the interval at which a running pass saves its progress. */
const LOOK_MILLISECONDS = 5 * 60 * 1000

/**
 * Reads all stored files again and again at a limited rate, and compares their bytes with the recorded md5. Any
 * process can continue a pass after the last file that was saved as checked. If several servers share a
 * database, one of them runs the pass.
 */
export class Scrub {
  readonly #context: PassContext
  readonly #pace: Pace
  readonly #isAlone: boolean
  readonly #lookMilliseconds: number
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #state: ScrubState | undefined
  #bytes = 0

  constructor(context: PassContext, options: ScrubOptions) {
    this.#context = context
    this.#pace = new Pace(options.bytesPerSecond)
    this.#isAlone = options.isAlone
    this.#lookMilliseconds = options.lookMilliseconds ?? LOOK_MILLISECONDS
  }

  /** Starts the checks in the background. Further calls do nothing. */
  start(): void {
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#look()
      } catch (error) {
        if (!signal.aborted) this.#context.onError(error)
      }
      await pause(this.#lookMilliseconds, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /**
   * Starts a pass if one is due, or continues a pass whose server has stopped. Does nothing while another server
   * is running a pass. Resolves at the end of the pass.
   */
  async #look(): Promise<void> {
    const { store, clock } = this.#context
    const before = this.#state
    const state = await store.read()
    this.#state = state
    const now = clock()
    if (state.startedAt === null) {
      if (!isDue(state, now)) return
      const fresh = { startedAt: now.toISOString(), lastId: '', files: 0 }
      return this.#pass(await store.advance(state, fresh))
    }
    // A running pass increases the turn between two looks. If it has not changed, the pass's server is gone.
    const isLeft = this.#isAlone || state.turn === before?.turn
    if (isLeft) await this.#pass(await store.advance(state, {}))
  }

  /**
   * Runs a pass to its end.
   * @param taken state that this server has written to take the pass; undefined if another server was faster
   */
  async #pass(taken: ScrubState | undefined): Promise<void> {
    if (!taken) return
    this.#state = taken
    await new ScrubPass(taken, this.#context, {
      pace: this.#pace,
      signal: this.#stop.signal,
      onBytes: (bytes) => {
        this.#bytes += bytes
      },
      onState: (state) => {
        this.#state = state
      },
    }).finish()
  }

  /** Returns figures for monitoring. */
  load() {
    const { files = 0, finishedAt = null } = this.#state ?? {}
    return {
      scrubbedBytes: this.#bytes,
      scrubbedFiles: files,
      lastScrubSeconds: finishedAt === null ? 0 : Date.parse(finishedAt) / 1000,
    }
  }

  /** Stops a running pass. The next pass repeats the checks whose results were not saved. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

function isDue({ finishedAt }: ScrubState, now: Date): boolean {
  return finishedAt === null || now.getTime() - Date.parse(finishedAt) >= PASS_INTERVAL_MILLISECONDS
}
