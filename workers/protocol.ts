import type { JobName } from '../engine/jobs.ts'
import type { ErrorCode } from '../engine/shared/errors.ts'

/** What crosses to a thread. */
export interface Request {
  readonly name: JobName
  readonly input: unknown
  /** Memory of the job's state, which pool and thread share. */
  readonly state: SharedArrayBuffer
}

/**
 * What comes back: the job's output; the engine's error as data, since a clone loses its code; another
 * error as it is; or which bytes the job has to be given before it is run again. So that whatever else
 * goes wrong is the end of a thread.
 */
export type Reply =
  | { readonly output: unknown }
  | { readonly error: ErrorReply }
  | { readonly thrown: unknown }
  | { readonly missing: { readonly start: number; readonly end: number } }

export interface ErrorReply {
  readonly code: ErrorCode
  readonly message: string
  readonly at: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly cause: string | undefined
}
