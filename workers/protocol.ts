import type { ErrorCode } from '../engine/shared/errors.ts'

/** Message to a thread. */
export interface Request {
  /** Name of a job in `engine/jobs.ts`. */
  readonly name: string
  readonly input: unknown
  /** Memory of the job's state, which pool and thread share. */
  readonly state: SharedArrayBuffer
}

/**
 * Reply of a thread: the output of the job; an EngineError as data, because cloning would lose its code; another
 * error; or which bytes to load before the job is run again. Any other failure ends the thread.
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
