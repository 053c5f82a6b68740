import type { ErrorCode } from '../engine/errors.ts'
import type { JobName } from '../engine/jobs.ts'

/** What crosses to a thread. */
export interface Request {
  readonly name: JobName
  readonly input: unknown
}

/**
 * What comes back: the job's output, or the engine's error as data, since a clone loses its code, or
 * which bytes the job has to be given before it is run again.
 */
export type Reply =
  | { readonly output: unknown }
  | { readonly error: ErrorReply }
  | { readonly missing: { readonly start: number; readonly end: number } }

export interface ErrorReply {
  readonly code: ErrorCode
  readonly message: string
  readonly at: string | undefined
  readonly cause: string | undefined
}
