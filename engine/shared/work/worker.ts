import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { EngineError, type ErrorCode } from '../errors.ts'
import type { Report } from '../events.ts'
import {
  beatTask,
  type HeldTask,
  NEXT_TASK,
  type Outcome,
  RUNNING_TASKS,
  type RunningTask,
  releaseTask,
  removeTask,
  type TaskInput,
  takeTask,
} from './task-store.ts'

export interface TaskRun {
  /** Aborts when this process stops, or when another process has taken the task from this worker. */
  readonly signal: AbortSignal
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Reports progress, from 0 to 1. */
  readonly progress: (share: number) => void
}

/** Runs a task. A task may run more than once, even concurrently, so it must publish its result atomically. */
export type Run = (input: TaskInput, run: TaskRun) => Promise<void>

export interface WorkTimes {
  /** Milliseconds between looks for tasks that other processes have enqueued. */
  readonly lookMilliseconds: number
  /** Interval between heartbeats of a worker. */
  readonly beatMilliseconds: number
  /** Time without a heartbeat after which a worker counts as dead. */
  readonly lostMilliseconds: number
  /** Milliseconds to wait before the second attempt. Doubled for each further attempt. */
  readonly retryMilliseconds: number
  readonly maxAttempts: number
}

export const DEFAULT_TIMES: WorkTimes = Object.freeze({
  lookMilliseconds: 5000,
  beatMilliseconds: 10_000,
  lostMilliseconds: 35_000,
  retryMilliseconds: 10_000,
  maxAttempts: 5,
})

const MAX_RETRY_MILLISECONDS = 3600_000

/** Codes of errors that are caused by the bytes or the input, so that another attempt would also fail. */
const FINAL: readonly ErrorCode[] = ['bad_input', 'corrupt_source', 'not_supported', 'too_large']

interface WorkerContext {
  readonly database: Database
  readonly clock: () => Date
  readonly report: Report
  /** Returns the name of this process's place, for tasks that only some processes can run. */
  readonly place: () => Promise<string>
  readonly times: WorkTimes
  /** Called when this process has finished or released a task. */
  readonly onEnd: () => Promise<void>
}

/** Last heartbeat of a worker, with the time on this process's clock at which it was first seen. */
interface Seen {
  readonly holder: string
  readonly beats: number
  /** Time on the `performance` clock, in milliseconds. */
  readonly at: number
}

/** Runs tasks, one of each kind at a time. Takes over the tasks of dead workers. */
export class Worker {
  readonly #runs: ReadonlyMap<string, Run>
  readonly #context: WorkerContext
  readonly #stop = new AbortController()
  readonly #loops: Promise<void>[] = []
  readonly #seen = new Map<number, Seen>()
  #awake = Promise.withResolvers<void>()
  #resting = 0

  constructor(runs: ReadonlyMap<string, Run>, context: WorkerContext) {
    this.#runs = runs
    this.#context = context
  }

  start(): void {
    for (const [kind, run] of this.#runs) this.#loops.push(this.#loop(() => this.#next(kind, run)))
    this.#loops.push(this.#loop(() => this.#takeOver()))
  }

  /** Makes all loops look for tasks at once. */
  wake(): void {
    this.#awake.resolve()
    this.#awake = Promise.withResolvers()
  }

  /** Resolves when this worker has no task left to run. For tests. */
  async idle(): Promise<void> {
    this.wake()
    do await pause(1)
    while (this.#resting < this.#loops.length && !this.#stop.signal.aborted)
  }

  /** Aborts and releases the tasks in progress. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.wake()
    await Promise.all(this.#loops)
  }

  /** @param act runs one step. Returns false if there was nothing to do. */
  async #loop(act: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#stop
    const { report, times } = this.#context
    let isAway = false
    while (!signal.aborted) {
      const awake = this.#awake.promise
      let hasDone = false
      try {
        hasDone = await act()
        isAway = false
      } catch (cause) {
        const message = 'background work cannot be looked for now'
        // Reported once, because the database may be away for hours.
        if (!isAway) report({ level: 'warn', message, cause })
        isAway = true
      }
      if (hasDone) continue
      this.#resting++
      const rested = new AbortController()
      const rest = pause(times.lookMilliseconds, undefined, { signal: rested.signal, ref: false })
      await Promise.race([awake, rest.catch(() => {})])
      rested.abort()
      this.#resting--
    }
  }

  async #next(kind: string, run: Run): Promise<boolean> {
    const { database } = this.#context
    const place = await this.#context.place()
    const now = this.#now().toISOString()
    // The database is read before it is written, because most looks find nothing, and writers wait for each other.
    if ((await database.ask(NEXT_TASK, [kind, place, now])).length === 0) return false
    const holder = randomUUID()
    const task = await database.write((transaction) =>
      takeTask(transaction, { kind, place, now, holder }),
    )
    if (task) await this.#carryOut(kind, task, run)
    return task !== undefined
  }

  async #carryOut(kind: string, task: HeldTask, run: Run): Promise<void> {
    const { database, onEnd } = this.#context
    const life = new Life(task, this.#context, this.#stop.signal)
    try {
      const { signal } = life
      const progress = (share: number) => {
        life.progress = share
      }
      signal.throwIfAborted()
      await run(task.input, { signal, attempt: task.attempts, progress })
      await life.end()
      await database.write((transaction) => removeTask(transaction, task))
    } catch (error) {
      await life.end()
      if (life.isLost) return
      const outcome = this.#outcomeOf(kind, task, error)
      await database.write((transaction) => releaseTask(transaction, task, outcome))
    }
    await onEnd()
  }

  #outcomeOf(kind: string, { attempts }: HeldTask, error: unknown): Outcome {
    if (this.#stop.signal.aborted) {
      return { state: 'waiting', attempts: attempts - 1, dueAt: null, error: null }
    }
    const { times, report } = this.#context
    const isFinal = error instanceof EngineError && FINAL.includes(error.code)
    const isLast = isFinal || attempts >= times.maxAttempts
    const message = isLast ? 'has failed for good' : 'has failed and will be tried again'
    report({ level: isLast ? 'error' : 'warn', message: `a ${kind} ${message}`, cause: error })
    const wait = Math.min(times.retryMilliseconds * 2 ** (attempts - 1), MAX_RETRY_MILLISECONDS)
    const dueAt = new Date(this.#now().getTime() + wait).toISOString()
    return { state: isLast ? 'failed' : 'waiting', attempts, dueAt, error: codeOf(error) }
  }

  /** Releases tasks whose workers have sent no heartbeat for too long. */
  async #takeOver(): Promise<boolean> {
    const { database, times } = this.#context
    const running = await database.ask<RunningTask>(RUNNING_TASKS)
    const now = performance.now()
    const numbers = new Set(running.map(({ number }) => number))
    for (const number of this.#seen.keys()) if (!numbers.has(number)) this.#seen.delete(number)
    for (const task of running) {
      const { number, holder, beats } = task
      const seen = this.#seen.get(number)
      if (seen?.holder !== holder || seen.beats !== beats) {
        this.#seen.set(number, { holder, beats, at: now })
      } else if (now - seen.at >= times.lostMilliseconds) {
        await this.#lose(task)
        this.#seen.delete(number)
      }
    }
    return false
  }

  async #lose(task: RunningTask): Promise<void> {
    const { database, times, report } = this.#context
    const { attempts } = task
    const state = attempts >= times.maxAttempts ? 'failed' : 'waiting'
    const outcome = { state, attempts, dueAt: null, error: 'lost' } as const
    const isLost = await database.write((transaction) => releaseTask(transaction, task, outcome))
    if (!isLost) return
    const message = 'who did a task of background work is gone; another one takes it over'
    report({ level: 'warn', message })
    this.wake()
  }

  #now(): Date {
    return this.#context.clock()
  }
}

/** Sends heartbeats for a task until the task has ended. */
class Life {
  /** Signal of the task: see TaskRun. */
  readonly signal: AbortSignal
  progress: number | undefined
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #beating: Promise<void> = Promise.resolve()

  constructor(task: HeldTask, { database, times }: WorkerContext, stop: AbortSignal) {
    this.signal = AbortSignal.any([stop, this.#lost.signal])
    const beat = async () => {
      const isHeld = await database.write((transaction) =>
        beatTask(transaction, task, this.progress),
      )
      if (!isHeld) this.#lost.abort(new Error('somebody else has the task'))
    }
    this.#timer = setInterval(() => {
      // Failures are ignored, because while the database cannot be reached, no other worker can take the task.
      this.#beating = this.#beating.then(beat).catch(() => {})
    }, times.beatMilliseconds)
    this.#timer.unref()
  }

  /** Whether another process has taken the task from this worker. */
  get isLost(): boolean {
    return this.#lost.signal.aborted
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
  }
}

/** Returns the code of a failure for display. Its message may contain names of processed data. */
function codeOf(error: unknown): string {
  if (error instanceof EngineError) return error.code
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
