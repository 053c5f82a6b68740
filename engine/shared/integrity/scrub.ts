import { setTimeout as pause } from 'node:timers/promises'
import { Pace } from './pace.ts'
import { type PassContext, ScrubPass } from './scrub-pass.ts'
import type { ScrubState } from './scrub-store.ts'

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** Whether no other server can have a pass under way. */
  readonly isAlone: boolean
  /** How often is looked whether there is a pass to make; 5 minutes. */
  readonly lookMilliseconds?: number
}

/** A pass begins so long after the one before was over. */
const PASS_INTERVAL_MILLISECONDS = 24 * 3600 * 1000
/** Longer than who has a pass under way goes without writing how far it is. */
const LOOK_MILLISECONDS = 5 * 60 * 1000

/**
 * Reads all stored files again and again, slowly, and compares their bytes with the md5 on record. A
 * pass goes on behind the last file that was written down, whichever process did that. Of several
 * servers with one database, one is at it.
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

  /** Begins, in the background. Again does no harm. */
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

  /** Makes a pass, or the rest of one, if there is any to be made and nobody is at it. */
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
    // Nobody has gone on with it for as long as there was between two looks.
    const isLeft = this.#isAlone || state.turn === before?.turn
    if (isLeft) await this.#pass(await store.advance(state, {}))
  }

  /** @param taken what this server has written; without it another one was quicker */
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

  /** Numbers for monitoring. */
  load() {
    const { files = 0, finishedAt = null } = this.#state ?? {}
    return {
      scrubbedBytes: this.#bytes,
      scrubbedFiles: files,
      lastScrubSeconds: finishedAt === null ? 0 : Date.parse(finishedAt) / 1000,
    }
  }

  /** Stops; what was not written down is looked at again by the next pass. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

function isDue({ finishedAt }: ScrubState, now: Date): boolean {
  return finishedAt === null || now.getTime() - Date.parse(finishedAt) >= PASS_INTERVAL_MILLISECONDS
}
