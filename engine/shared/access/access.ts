import { EngineError } from '../errors.ts'
import { READING_ROLES } from './grants.ts'
import type { Guard } from './guards.ts'
import type { Principal } from './tokens.ts'

/** How errors of bytes and of numbers begin (data-commons.md 5.3). */
export const NO_ACCESS = "You don't have access to the data"

/** A file and everything that guards its bytes: each guard must let pass. */
export interface GuardedFile {
  readonly id: string
  readonly guards: readonly Guard[]
}

/** Whether anybody may read the file. One that nothing speaks for is closed. */
export function isOpenFile({ guards }: Pick<GuardedFile, 'guards'>): boolean {
  return guards.length > 0 && guards.every(({ isOpen }) => isOpen)
}

/**
 * Lets pass who may read a file's bytes. Open files need nothing, not even a good token; controlled
 * ones an administrator or someone with reading roles as the guards ask for them.
 *
 * @param principal whom the token that was sent belongs to, if it is good
 * @param tokenGiven whether a token was sent at all; an empty one is none
 * @throws EngineError `unauthenticated` or `forbidden`. The texts are those of the interface
 *   (data-commons.md 5.3), which clients show to people, and so not in our usual form.
 */
export function authorise(
  file: GuardedFile,
  principal: Principal | undefined,
  tokenGiven: boolean,
): void {
  if (isOpenFile(file)) return
  if (!principal) throw noPrincipal(tokenGiven)
  if (!mayRead(file, principal)) throw new EngineError('forbidden', rejection(file.id))
}

/** Whether someone may read what is guarded; what nothing speaks for is closed. */
export function mayRead(
  { guards }: Pick<GuardedFile, 'guards'>,
  principal: Principal | undefined,
): boolean {
  if (isOpenFile({ guards }) || principal?.admin) return true
  if (!principal || guards.length === 0) return false
  return guards.every((guard) => passes(guard, principal))
}

/** Whether somebody has a right on a project, whichever, and so may know that there is one. */
export function mayKnow({ admin, projects }: Principal, projectId: string): boolean {
  return admin || (projects.get(projectId)?.length ?? 0) > 0
}

/** The error of who sent no token, or none that is good. */
export function noPrincipal(tokenGiven: boolean): EngineError {
  return new EngineError(
    'unauthenticated',
    tokenGiven
      ? 'Your token is invalid or expired. Please get a new token.'
      : `${NO_ACCESS}: Please specify a X-Auth-Token`,
  )
}

/** The error of a file that the caller may read, but whose bytes are not here (data-commons.md 11.32). */
export function notStored(id: string): EngineError {
  return new EngineError('not_found', `file ${id} is known, but its bytes are not stored here`)
}

const rejection = (id: string) => `${NO_ACCESS}: Requested file ${id} does not allow read access`

function passes({ isOpen, anyOf, allOf }: Guard, { projects }: Principal): boolean {
  const mayRead = (project: string) =>
    projects.get(project)?.some((role) => READING_ROLES.some((reading) => reading === role)) ??
    false
  return isOpen || anyOf.some(mayRead) || (allOf.length > 0 && allOf.every(mayRead))
}
