import { setTimeout as pause } from 'node:timers/promises'
import { Pace } from './pace.ts'
import { type PassContext, ScrubPass } from './scrub-pass.ts'
import type { ScrubState } from './scrub-store.ts'

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** Whether no other server can be running a pass. */
  readonly isAlone: boolean
  /** Interval between checks for a pass to run. Defaults to 5 minutes. */
  readonly lookMilliseconds?: number
}

/** Time between the end of a pass and the start of the next. */
const PASS_INTERVAL_MILLISECONDS = 24 * 3600 * 1000
/** Must exceed the interval in which a running pass saves its progress. */
const LOOK_MILLISECONDS = 5 * 60 * 1000

/**
 * Continuously reads all stored files at a limited rate and compares their bytes with the recorded md5. A
 * pass resumes after the last saved file, whichever process saved it. Of several servers with one database,
 * one runs it.
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

  /** Starts in the background. Further calls do nothing. */
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

  /** Runs a pass, or the rest of one, if it is due and no other server is running it. */
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
    // Its turn number has not changed since the last look, so its server is gone.
    const isLeft = this.#isAlone || state.turn === before?.turn
    if (isLeft) await this.#pass(await store.advance(state, {}))
  }

  /** @param taken state written by this server, or undefined if another one was faster */
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

  /** Stops. The next pass repeats checks that were not saved. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

function isDue({ finishedAt }: ScrubState, now: Date): boolean {
  return finishedAt === null || now.getTime() - Date.parse(finishedAt) >= PASS_INTERVAL_MILLISECONDS
}
