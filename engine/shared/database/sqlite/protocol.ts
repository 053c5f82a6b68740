import type { Packed } from '../../arrays/packed.ts'
import { EngineError, type ErrorCode } from '../../errors.ts'
import { ConstraintError } from '../database.ts'
import type { Answer, Page, Wanted } from '../session.ts'
import type { Parameters } from '../values.ts'

/** Options of a database thread. */
export interface ThreadTask {
  readonly path: string
  readonly role: 'writer' | 'readers'
}

/** A thread that owns connections. Its messages are internal to the engine. */
export interface Thread {
  /** @internal */
  post(request: Request): void
  /** @internal */
  onReply(handle: (reply: Reply) => void): void
  /** Called at most once, when the thread exits for any reason. @internal */
  onEnd(handle: (cause: unknown) => void): void
}

export type StartThread = (task: ThreadTask) => Thread

/** Requests to a thread, keyed by kind. `Replies` has the reply to each kind. */
export interface Commands {
  readonly query: { readonly wanted: Wanted; readonly sql: string; readonly parameters: Parameters }
  readonly queryEach: { readonly sql: string; readonly rows: readonly Parameters[] | Packed }
  readonly script: { readonly sql: string }
  readonly page: {
    readonly cursor: number
    readonly count: number
    /** Statement of the cursor. Given with its first page only. */
    readonly opens?: { readonly sql: string; readonly parameters: Parameters }
  }
  readonly closeCursor: { readonly cursor: number }
  readonly commit: object
  readonly rollback: object
  /** Closes all connections and ends the thread. */
  readonly close: object
}

export interface Replies {
  readonly query: Answer
  readonly queryEach: undefined
  readonly script: undefined
  readonly page: Page
  readonly closeCursor: undefined
  readonly commit: undefined
  readonly rollback: undefined
  readonly close: undefined
}

export type Command = {
  [Kind in keyof Commands]: Commands[Kind] & { readonly kind: Kind }
}[keyof Commands]

export interface Request {
  readonly id: number
  /** Number of the connection. Each connection has at most one transaction at a time. */
  readonly lane: number
  /** Whether this request begins a transaction. */
  readonly begins: boolean
  readonly ask: Command
}

export type Reply =
  | { readonly id: number; readonly value: Replies[keyof Replies] }
  | { readonly id: number; readonly failure: ErrorRecord }

/** A serializable error. A structured clone would lose its class and code. */
type ErrorRecord =
  | {
      readonly kind: 'engine'
      readonly code: ErrorCode
      readonly message: string
      readonly retryAfterSeconds: number | undefined
      readonly cause?: string
    }
  | { readonly kind: 'constraint'; readonly constraint: ConstraintError['kind'] }
  | { readonly kind: 'bug'; readonly message: string }

/** Converts an error to a plain object that can be sent to another thread. */
export function errorRecordOf(error: unknown): ErrorRecord {
  if (error instanceof ConstraintError) return { kind: 'constraint', constraint: error.kind }
  if (!(error instanceof EngineError)) return { kind: 'bug', message: String(error) }
  const { code, message, retryAfterSeconds, cause } = error
  return {
    kind: 'engine',
    code,
    message,
    retryAfterSeconds,
    ...(cause instanceof Error ? { cause: cause.message } : {}),
  }
}

/** Restores an error from its record. */
export function errorOf(failure: ErrorRecord): Error {
  if (failure.kind === 'constraint') return new ConstraintError(failure.constraint)
  if (failure.kind === 'bug') return new Error(failure.message)
  const { code, message, retryAfterSeconds, cause } = failure
  return new EngineError(code, message, {
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
