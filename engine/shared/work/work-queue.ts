import type { Database, Transaction } from '../database/database.ts'
import type { Report } from '../events.ts'
import { Followed, nameOf, type WantedTask } from './followed.ts'
import {
  addTask,
  FIND_TASK,
  KIND_LOADS,
  type KindLoad,
  type ListedTask,
  listTasks,
  retryTasks,
  type TaskInput,
  type TaskState,
} from './task-store.ts'
import { DEFAULT_TIMES, type Run, Worker, type WorkTimes } from './worker.ts'

export interface WorkQueueOptions {
  readonly database: Database
  readonly clock: () => Date
  readonly report: Report
  /** The name of the place of this process, for tasks that cannot be done anywhere. */
  readonly place?: () => Promise<string>
  readonly times?: Partial<WorkTimes> | undefined
}

export interface WantOptions {
  /** Of one kind, nothing is waiting or running twice under a key. */
  readonly key: string
  /** Whether it can be done only by processes that have the same data folder. */
  readonly isLocal: boolean
}

export interface EnqueueOptions {
  /** Of one kind and place, nothing is waiting or running twice under a key. */
  readonly key: string
  /** Where it can be done; left out, anywhere. */
  readonly place?: string
  /** Less comes first; 0 by default. */
  readonly priority?: number
}

/** Of the JSON of an input: a task says what it is about, and does not bring it along. */
const MAX_INPUT_CHARACTERS = 8192

/**
 * Work that is done in the background, by this process or by another one with the same database. The
 * queue is a table: a task waits, runs, and is gone when it is done. It is done once while nothing
 * fails, and again when who had it died, so doing it twice must do no harm. A task is not a job,
 * which is what a thread runs for some milliseconds (engine/jobs.ts); most tasks run many jobs.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #runs = new Map<string, Run>()
  readonly #followed: Followed
  readonly #asking = new Map<string, Promise<void>>()
  readonly #times: WorkTimes
  #worker: Worker | undefined
  #isClosed = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
    this.#times = { ...DEFAULT_TIMES, ...options.times }
    const ask = (sql: string, parameters: readonly string[]) =>
      options.database.ask<{ state: TaskState }>(sql, parameters)
    this.#followed = new Followed(ask, this.#times.lookMilliseconds)
  }

  /**
   * Enqueues a task as a part of `transaction`, of the database that the queue is in: it is there when
   * that is committed, and never without it. `wake` after the commit has it begun at once. One that
   * has failed begins again when `input` is another than then.
   * @returns whether there is something new to do
   */
  async enqueue(
    transaction: Transaction,
    kind: string,
    input: TaskInput,
    { key, place = '', priority = 0 }: EnqueueOptions,
  ): Promise<boolean> {
    const text = JSON.stringify(input)
    if (text.length > MAX_INPUT_CHARACTERS) {
      throw new Error(`the input of a ${kind} has ${text.length} characters as JSON`)
    }
    return addTask(transaction, { kind, place, key, priority, input: text, now: this.#now() })
  }

  /**
   * Has something made that can be done without for a while. Returns at once; what fails is reported.
   * `onGone` is called once nobody is at it any more, here or elsewhere.
   */
  want(kind: string, input: TaskInput, { key, isLocal }: WantOptions, onGone: () => void): void {
    const name = nameOf({ kind, isLocal, key })
    if (this.#isClosed || this.#asking.has(name) || this.#followed.has(name)) return
    const asking = this.#want({ kind, isLocal, key, onGone }, input)
      .catch((cause: unknown) => {
        const message = 'background work cannot be enqueued'
        this.#options.report({ level: 'warn', message, cause })
      })
      .finally(() => this.#asking.delete(name))
    this.#asking.set(name, asking)
  }

  async #want(wanted: WantedTask, input: TaskInput): Promise<void> {
    const { database } = this.#options
    const { kind, key, isLocal } = wanted
    const place = isLocal ? await this.#place() : ''
    type Known = { state: TaskState; input: string }
    const [known] = await database.ask<Known>(FIND_TASK, [kind, place, key])
    const text = JSON.stringify(input)
    if (known?.state === 'failed' && known.input === text) return
    if (!known || known.state === 'failed') {
      await database.write((transaction) => this.enqueue(transaction, kind, input, { key, place }))
    }
    this.#followed.add({ ...wanted, place })
    this.wake()
  }

  /** Says how tasks of a kind are done; before `start`. */
  work(kind: string, run: Run): void {
    this.#runs.set(kind, run)
  }

  /** Begins to do tasks of these kinds; by default of all that `work` was called for. */
  start(kinds: readonly string[] = [...this.#runs.keys()]): void {
    if (this.#isClosed || this.#worker || kinds.length === 0) return
    const { database, clock, report } = this.#options
    const place = () => this.#place()
    const runs = kinds.flatMap((kind) => {
      const run = this.#runs.get(kind)
      return run ? [[kind, run] as const] : []
    })
    const onEnd = () => this.#followed.look()
    const context = { database, clock, report, place, onEnd, times: this.#times }
    this.#worker = new Worker(new Map(runs), context)
    this.#worker.start()
  }

  /** Has looked for work at once, which would be done within seconds. */
  wake(): void {
    this.#worker?.wake()
  }

  /** Resolves when nothing is left that can be done here now. For tests. */
  async idle(): Promise<void> {
    await Promise.all(this.#asking.values())
    await this.#worker?.idle()
    await this.#followed.look()
  }

  /** Tasks that wait, run or have failed, by kind and state. */
  list(most: number): Promise<ListedTask[]> {
    return this.#options.database.read((rows) => listTasks(rows, most))
  }

  /** How many tasks there are, of the kinds that have some. */
  loads(): Promise<KindLoad[]> {
    return this.#options.database.ask<KindLoad>(KIND_LOADS)
  }

  /** Has all that failed of a kind tried again; resolves to how many these are. */
  async retry(kind: string): Promise<number> {
    const { database } = this.#options
    const count = await database.write((transaction) => retryTasks(transaction, kind, this.#now()))
    this.wake()
    return count
  }

  async #place(): Promise<string> {
    return (await this.#options.place?.()) ?? ''
  }

  #now(): string {
    return this.#options.clock().toISOString()
  }

  /** Breaks off what is under way here, which others go on with. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.close()
    await Promise.all(this.#asking.values())
    await this.#followed.close()
  }
}
