import { EngineError } from './errors.ts'

/** The revisions of a record that a caller takes for current; `any` that there is one at all. */
export type HeldRevisions = 'any' | readonly string[]

/** A record and the revision that an edit of it may be held to. */
export interface AtRevision<T> {
  readonly record: T
  readonly revision: number
}

/**
 * Keeps an edit from falling on top of another one that its editor has not seen.
 * @param current - the record's revision, undefined when there is no such record
 * @throws EngineError `precondition_failed`
 */
export function requireHeld(held: HeldRevisions | undefined, current: number | undefined): void {
  if (held === undefined) return
  if (current !== undefined && (held === 'any' || held.includes(String(current)))) return
  const now = current === undefined ? 'it does not exist' : `it is revision "${current}" by now`
  throw new EngineError('precondition_failed', `the record is not as If-Match says; ${now}`)
}
