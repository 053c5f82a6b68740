import type { ErrorCode } from '../engine/errors.ts'
import type { JobName } from '../engine/jobs.ts'

/** What crosses to a thread. */
export interface Request {
  readonly name: JobName
  readonly input: unknown
}

/** What comes back: the job's output, or the engine's error as data, since a clone loses its code. */
export type Reply = { readonly output: unknown } | { readonly error: ErrorReply }

export interface ErrorReply {
  readonly code: ErrorCode
  readonly message: string
  readonly at: string | undefined
  readonly cause: string | undefined
}
