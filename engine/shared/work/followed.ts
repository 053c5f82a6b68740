import { FIND_TASK, type TaskState } from './task-store.ts'

export interface WantedTask {
  readonly kind: string
  /** Key of the task. There is at most one task of a kind, place and key. */
  readonly key: string
  /** Whether only processes with the same data folder can run the task. */
  readonly isLocal: boolean
  /** Called when the task no longer exists because it was finished. Not called for a failed task. */
  readonly onGone: () => void
}

interface FollowedTask extends WantedTask {
  /** Place of the task, empty if any process can run it: see NewTask. */
  readonly place: string
}

type Ask = (
  sql: string,
  parameters: readonly string[],
) => Promise<readonly { readonly state: TaskState }[]>

/** Maximum number of followed tasks, because each takes a query. `onGone` is not called for others. */
const MAX_FOLLOWED = 1000

/** Tasks that this process has requested, with callbacks for when any process has completed them. */
export class Followed {
  readonly #ask: Ask
  readonly #milliseconds: number
  readonly #all = new Map<string, FollowedTask>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(ask: Ask, milliseconds: number) {
    this.#ask = ask
    this.#milliseconds = milliseconds
  }

  has(name: string): boolean {
    return this.#all.has(name)
  }

  add(task: FollowedTask): void {
    if (this.#all.size >= MAX_FOLLOWED) return
    this.#all.set(nameOf(task), task)
    this.#wait()
  }

  /** Checks the tasks now. Checks run one after another and never reject: a later check catches up. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look()).catch(() => {})
    return this.#looking
  }

  async #look(): Promise<void> {
    for (const [name, task] of [...this.#all]) {
      if (this.#isClosed) return
      const { kind, place, key, onGone } = task
      const [found] = await this.#ask(FIND_TASK, [kind, place, key])
      if (found && found.state !== 'failed') continue
      this.#all.delete(name)
      if (!found) onGone()
    }
  }

  #wait(): void {
    if (this.#isClosed || this.#timer) return
    this.#timer = setTimeout(async () => {
      await this.look()
      this.#timer = undefined
      if (this.#all.size > 0) this.#wait()
    }, this.#milliseconds)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking
  }
}

export const nameOf = ({ kind, key, isLocal }: Omit<WantedTask, 'onGone'>) =>
  `${kind}\0${key}\0${isLocal}`
