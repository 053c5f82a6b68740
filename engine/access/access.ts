import { EngineError } from '../errors.ts'
import { READING_ROLES } from './grants.ts'
import type { Guard } from './guards.ts'
import type { Principal } from './tokens.ts'

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
 *   (contract 5.3), which clients show to people, and so not in our usual form.
 */
export function authorise(
  file: GuardedFile,
  principal: Principal | undefined,
  tokenGiven: boolean,
): void {
  if (isOpenFile(file)) return
  if (!principal) {
    throw new EngineError(
      'unauthenticated',
      tokenGiven
        ? 'Your token is invalid or expired. Please get a new token.'
        : "You don't have access to the data: Please specify a X-Auth-Token",
    )
  }
  if (principal.admin) return
  if (file.guards.length > 0 && file.guards.every((guard) => passes(guard, principal))) return
  throw new EngineError('forbidden', refusal(file.id))
}

/** The refusal of a file that may be known to the caller, but whose bytes are not here. */
export function notStored(id: string): EngineError {
  return new EngineError('forbidden', `${refusal(id)}: its bytes are not stored here`)
}

const refusal = (id: string) =>
  `You don't have access to the data: Requested file ${id} does not allow read access`

function passes({ isOpen, anyOf, allOf }: Guard, { projects }: Principal): boolean {
  const mayRead = (project: string) =>
    projects.get(project)?.some((role) => READING_ROLES.some((reading) => reading === role)) ??
    false
  return isOpen || anyOf.some(mayRead) || (allOf.length > 0 && allOf.every(mayRead))
}
