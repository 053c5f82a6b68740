import { EngineError } from './errors.ts'

/** Revisions that the client takes for current (If-Match); `any` if the record only has to exist. */
export type HeldRevisions = 'any' | readonly string[]

/** A record with its revision, against which an edit can be checked. */
export interface AtRevision<T> {
  readonly record: T
  readonly revision: number
}

/**
 * Checks that an edit is based on the current revision, so that it does not overwrite an edit that its author
 * has not seen.
 * @param current revision of the record, or undefined if it does not exist
 * @throws EngineError `precondition_failed` if it is not, or if the record no longer exists
 */
export function requireHeld(held: HeldRevisions | undefined, current: number | undefined): void {
  if (held === undefined) return
  if (current !== undefined && (held === 'any' || held.includes(String(current)))) return
  const now = current === undefined ? 'it does not exist' : `it is revision "${current}" by now`
  throw new EngineError(
    'precondition_failed',
    `the record has changed since the revision in If-Match; ${now}`,
  )
}
