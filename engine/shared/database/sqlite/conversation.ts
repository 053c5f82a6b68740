import { EngineError } from '../../errors.ts'
import {
  type Command,
  type Commands,
  errorOf,
  type Replies,
  type Reply,
  type Thread,
} from './protocol.ts'

interface Waiting {
  readonly resolve: (value: Replies[keyof Replies]) => void
  readonly reject: (error: Error) => void
}

/** Sends requests to a database thread and matches the replies. */
export class Conversation {
  readonly #thread: Thread
  readonly #waiting = new Map<number, Waiting>()
  readonly #end: Promise<void>
  #lastId = 0
  #hasEnded = false

  constructor(thread: Thread) {
    this.#thread = thread
    thread.onReply((reply) => this.#settle(reply))
    this.#end = new Promise((resolve) => {
      thread.onEnd((cause) => {
        this.#hasEnded = true
        for (const { reject } of this.#waiting.values()) reject(ended(cause))
        this.#waiting.clear()
        resolve()
      })
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Sends a request.
   * @throws EngineError `unavailable` if the thread has ended; the error of the statement
   */
  ask<Kind extends keyof Commands>(
    lane: number,
    begins: boolean,
    ask: Command & { readonly kind: Kind },
  ): Promise<Replies[Kind]> {
    if (this.#hasEnded) return Promise.reject(ended(undefined))
    const id = ++this.#lastId
    return new Promise<Replies[keyof Replies]>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#thread.post({ id, lane, begins, ask })
      // The kind of request determines the type of the reply, which TypeScript cannot infer.
    }) as Promise<Replies[Kind]>
  }

  /** Closes all connections. Resolves when the thread has ended. */
  async close(): Promise<void> {
    if (!this.#hasEnded) await this.ask(0, false, { kind: 'close' }).catch(() => {})
    await this.#end
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('failure' in reply) waiting?.reject(errorOf(reply.failure))
    else waiting?.resolve(reply.value)
  }
}

function ended(cause: unknown): EngineError {
  const message =
    'the thread of the database ended; what was not confirmed may or may not have been kept'
  return new EngineError('unavailable', message, { cause })
}
