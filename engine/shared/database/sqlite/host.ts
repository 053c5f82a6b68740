import { statementError } from './errors.ts'
import { type Lane, openLane } from './lane.ts'
import {
  type Command,
  errorRecordOf,
  type Replies,
  type Reply,
  type Request,
  type ThreadTask,
} from './protocol.ts'

/** Runs in a database thread. Owns the connections and answers requests. */
export class SqliteHost {
  readonly #task: ThreadTask
  readonly #lanes = new Map<number, Lane>()

  constructor(task: ThreadTask) {
    this.#task = task
  }

  answer({ id, lane, begins, ask }: Request): Reply {
    try {
      if (ask.kind === 'close') return { id, value: this.#close() }
      return { id, value: this.#do(this.#lane(lane), begins, ask) }
    } catch (error) {
      return { id, failure: errorRecordOf(statementError(error)) }
    }
  }

  #do(lane: Lane, begins: boolean, ask: Command): Replies[keyof Replies] {
    if (begins) lane.begin(this.#task.role === 'writer' ? 'IMMEDIATE' : 'DEFERRED')
    switch (ask.kind) {
      case 'query':
        return lane.query(ask)
      case 'queryEach':
        return lane.queryEach(ask) as undefined
      case 'script':
        return lane.script(ask) as undefined
      case 'page':
        return lane.page(ask)
      case 'closeCursor':
        return lane.closeCursor(ask) as undefined
      case 'commit':
        return lane.commit() as undefined
      case 'rollback':
        return lane.rollback() as undefined
    }
  }

  #lane(number: number): Lane {
    const open = this.#lanes.get(number)
    if (open) return open
    const lane = openLane(this.#task)
    this.#lanes.set(number, lane)
    return lane
  }

  #close(): undefined {
    for (const lane of this.#lanes.values()) lane.close()
    this.#lanes.clear()
  }
}
