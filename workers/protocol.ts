import type { ErrorCode } from '../engine/shared/errors.ts'

/** Message to a thread. */
export interface Request {
  /** Name of a job of `engine/jobs.ts`. */
  readonly name: string
  readonly input: unknown
  /** Memory of the job's state, shared by pool and thread. */
  readonly state: SharedArrayBuffer
}

/**
 * Reply of a thread: the job's output; an EngineError as data, because a clone loses its code; another error;
 * or the bytes to load before the job is run again. Any other failure ends the thread.
 */
export type Reply =
  | { readonly output: unknown }
  | { readonly error: ErrorReply }
  | { readonly thrown: unknown }
  | { readonly missing: { readonly start: number; readonly end: number } }

interface ErrorReply {
  readonly code: ErrorCode
  readonly message: string
  readonly at: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly cause: string | undefined
}
