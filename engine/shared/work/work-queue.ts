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

interface WorkQueueOptions {
  readonly database: Database
  readonly clock: () => Date
  readonly report: Report
  /** Returns the name of this process's place, for tasks that only some processes can run. */
  readonly place?: () => Promise<string>
  readonly times?: Partial<WorkTimes> | undefined
}

interface WantOptions {
  /** Key of the task. There is at most one task of a kind, place and key. */
  readonly key: string
  /** Whether only processes with the same data folder can run the task. */
  readonly isLocal: boolean
}

interface EnqueueOptions {
  /** Key of the task. There is at most one task of a kind, place and key. */
  readonly key: string
  /** Place where the task can run. By default anywhere. */
  readonly place?: string
  /** Lower values run first. Defaults to 0. */
  readonly priority?: number
}

/** Maximum length of an input as JSON, in characters. An input refers to data instead of containing it. */
const MAX_INPUT_CHARACTERS = 8192

/**
 * Background tasks, run by this process or by others with the same database. The queue is a table. A task waits,
 * runs, and is removed when it is done. If its worker dies, it runs again, so running a task twice must be
 * harmless. Tasks are not jobs: a job runs on a worker thread for some milliseconds, and most tasks run many
 * jobs.
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
   * Enqueues a task within a transaction on the queue's database, so that the task exists exactly if the
   * transaction commits. Call `wake` after the commit to start it at once. An existing task with the same kind,
   * place and key is started again if it has failed and had another input.
   * @returns whether a task was added or started again
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
   * Requests a task whose result is not needed at once. Returns immediately. If the task cannot be enqueued,
   * that is reported. `onGone` is called when any process has finished the task, but not if the task fails.
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

  /** Registers the function that runs the tasks of a kind. Call it before `start`. */
  work(kind: string, run: Run): void {
    this.#runs.set(kind, run)
  }

  /** Starts to run tasks of these kinds, by default of all registered kinds. */
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

  /** Looks for tasks now, instead of within seconds. */
  wake(): void {
    this.#worker?.wake()
  }

  /** Resolves when this process has no task left to run. For tests. */
  async idle(): Promise<void> {
    await Promise.all(this.#asking.values())
    await this.#worker?.idle()
    await this.#followed.look()
  }

  /** Lists waiting, running and failed tasks, ordered by kind and state. */
  list(most: number): Promise<ListedTask[]> {
    return this.#options.database.read((rows) => listTasks(rows, most))
  }

  /** Returns the numbers of tasks for each kind that has any. */
  loads(): Promise<KindLoad[]> {
    return this.#options.database.ask<KindLoad>(KIND_LOADS)
  }

  /** Makes all failed tasks of a kind run again. Resolves to the number of these tasks. */
  async retry(kind: string): Promise<number> {
    const { database } = this.#options
    const count = await database.write((transaction) => retryTasks(transaction, kind))
    this.wake()
    return count
  }

  async #place(): Promise<string> {
    return (await this.#options.place?.()) ?? ''
  }

  #now(): string {
    return this.#options.clock().toISOString()
  }

  /** Stops running tasks. Tasks in progress are aborted, and other processes continue them. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.close()
    await Promise.all(this.#asking.values())
    await this.#followed.close()
  }
}
